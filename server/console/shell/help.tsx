/** The list of keys. Each can be changed. */
import { useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { Dialog } from '../parts/dialog.js'
import { Keys } from '../parts/keys.js'
import {
  commandOf,
  commands,
  defaultKeys,
  isRebinding,
  keysOf,
  rebind,
  textOfCommand,
  type Command,
} from '../state/keys.js'
import { nameOf } from '../state/key-names.js'
import { prefer, preferences } from '../state/preferences.js'
import { t } from '../texts.js'
import { isHelpOpen } from './open.js'

const SEQUENCE_MS = 900

/** Waits for a key, or two of a sequence, and calls `chosen` with them; '' if the person thought better of it. */
function useChosenKeys(isActive: boolean, chosen: (keys: string) => void): void {
  // Before the next paint: a quick person presses the key at once.
  useLayoutEffect(() => {
    if (!isActive) return
    isRebinding.value = true
    let keys = ''
    let timer: ReturnType<typeof setTimeout> | undefined
    const press = (event: KeyboardEvent): void => {
      event.preventDefault()
      event.stopPropagation()
      if (event.repeat || /^(Shift|Control|Meta|Alt)$/.test(event.key)) return
      if (event.key === 'Escape') return chosen('')
      clearTimeout(timer)
      keys = keys === '' ? nameOf(event) : `${keys} ${nameOf(event)}`
      if (keys.includes(' ')) chosen(keys)
      else timer = setTimeout(() => chosen(keys), SEQUENCE_MS)
    }
    addEventListener('keydown', press, true)
    return () => {
      clearTimeout(timer)
      isRebinding.value = false
      removeEventListener('keydown', press, true)
    }
  }, [isActive])
}

function List() {
  const chosen = useSignal<Command | null>(null)
  const problem = useSignal('')
  useChosenKeys(chosen.value !== null, (keys) => {
    const command = chosen.value
    chosen.value = null
    if (command === null || keys === '') return
    const taken = commandOf(keys)
    if (taken !== null && taken !== command) {
      problem.value = t('help.taken', { keys, command: t(textOfCommand(taken)) })
      return
    }
    problem.value = ''
    rebind(command, keys)
  })
  return (
    <>
      <p class="dim">{t('help.text')}</p>
      <p class="bad" role="alert">
        {problem.value}
      </p>
      <ul class="key-list">
        {commands.map((command) => (
          <li key={command}>
            <span class="grow">{t(textOfCommand(command))}</span>
            <button type="button" class="plain" onClick={() => (chosen.value = command)}>
              <span class="hidden">{t('help.change', { command: t(textOfCommand(command)) })} </span>
              {chosen.value === command ? t('help.press') : <Keys keys={keysOf(command)} />}
            </button>
          </li>
        ))}
      </ul>
      {Object.keys(preferences.value.keys).some((name) => name in defaultKeys) ? (
        <button type="button" onClick={() => prefer({ keys: {} })}>
          {t('help.reset')}
        </button>
      ) : null}
    </>
  )
}

export function Help() {
  if (!isHelpOpen.value) return null
  return (
    <Dialog title={t('bar.shortcuts')} close={() => (isHelpOpen.value = false)} class="wide">
      <List />
    </Dialog>
  )
}
