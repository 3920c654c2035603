/**
 * Keys: commands, the keys that a person may change, sequences such as `g e`.
 *
 * 1. A letter acts outside of inputs only, and never together with Ctrl, Alt or Meta: those are the browser's.
 * 2. The latest component that offers a command has it. A command that nobody offers does nothing.
 * 3. A press is one action, however long the key is held. Only moving repeats.
 */
import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { TextKey } from '../texts.js'
import { nameOf } from './key-names.js'
import { prefer, preferences } from './preferences.js'

/** The keys of each command before a person changes them. More than one way is separated by a comma. */
export const defaultKeys = {
  'list.next': 'j, ArrowDown',
  'list.previous': 'k, ArrowUp',
  'list.open': 'Enter',
  'list.select': 'x',
  'list.range': 'X',
  'list.all': '*',
  back: 'Escape',
  'vote.1': '1',
  'vote.2': '2',
  'vote.3': '3',
  skip: 's',
  undo: 'u, z',
  why: 'e',
  similar: 'm',
  assign: 'a',
  note: 'c',
  search: '/',
  'new.show': 'n',
  'go.next': 'g n',
  'go.events': 'g e',
  'go.buckets': 'g b',
  'go.clusters': 'g c',
  'go.job': 'g j',
  'go.jobs': 'g l',
  'go.integrations': 'g i',
  'go.operations': 'g o',
  'go.audit': 'g a',
  'go.people': 'g p',
  'go.keys': 'g k',
  palette: 'mod-k',
  theme: 't',
  help: '?',
} as const

export type Command = keyof typeof defaultKeys
export const commands = Object.keys(defaultKeys) as Command[]
/** The commands that give a job's labels, in order. */
export const voteCommands = ['vote.1', 'vote.2', 'vote.3'] as const
export const textOfCommand = (command: Command): TextKey => `key.${command}`

type Run = (event: KeyboardEvent | null) => void
const offered = new Map<Command, Run[]>()
/** Rises whenever the offered commands change: for the palette. */
export const offers = signal(0)
/** The first key of a sequence, while the second is waited for. */
export const begun = signal('')
/** While true, keys do nothing: somebody is choosing one. */
export const isRebinding = signal(false)

export function keysOf(command: Command): string {
  return preferences.value.keys[command] ?? defaultKeys[command]
}

export function rebind(command: Command, keys: string): void {
  const { [command]: _, ...others } = preferences.value.keys
  prefer({ keys: keys === defaultKeys[command] ? others : { ...others, [command]: keys } })
}

/** The command that has these keys already, or null. */
export function commandOf(keys: string): Command | null {
  return commands.find((command) => keysOf(command).split(', ').includes(keys)) ?? null
}

export function isOffered(command: Command): boolean {
  return (offered.get(command)?.length ?? 0) > 0
}

export function runCommand(command: Command, event: KeyboardEvent | null = null): boolean {
  const run = offered.get(command)?.at(-1)
  run?.(event)
  return run !== undefined
}

/** Offers commands while the component is shown: from the moment on which somebody could see it. */
export function useCommands(runs: Readonly<Partial<Record<Command, Run>>>): void {
  const latest = useRef(runs)
  latest.current = runs
  const names = Object.keys(runs).join()
  useLayoutEffect(() => {
    const own = (Object.keys(latest.current) as Command[]).map((command): [Command, Run] => [
      command,
      (event) => latest.current[command]?.(event),
    ])
    for (const [command, run] of own) offered.set(command, [...(offered.get(command) ?? []), run])
    offers.value++
    return () => {
      for (const [command, run] of own)
        offered.set(
          command,
          (offered.get(command) ?? []).filter((other) => other !== run),
        )
      offers.value++
    }
  }, [names])
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement && target.type === 'checkbox') return false
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}

/** Enter and Escape on a control are the control's own. */
function isForControl(event: KeyboardEvent): boolean {
  if (!(event.target instanceof HTMLElement)) return false
  if (isTyping(event.target)) return event.key !== 'Escape' && !event.ctrlKey && !event.metaKey
  const isPressed = event.key === 'Enter' || event.key === ' '
  return isPressed && /^(BUTTON|A|SUMMARY|INPUT)$/.test(event.target.tagName)
}

/** Commands that go on while their key is held. */
const repeated: ReadonlySet<Command> = new Set(['list.next', 'list.previous'])

/** True if more keys make a command of these. */
function beginsSequence(keys: string): boolean {
  return commands.some((command) =>
    keysOf(command)
      .split(', ')
      .some((one) => one.startsWith(`${keys} `)),
  )
}

let forgetTimer: ReturnType<typeof setTimeout> | undefined

function pressed(event: KeyboardEvent): void {
  if (isRebinding.value || event.altKey || event.isComposing || isForControl(event)) return
  if (/^(Shift|Control|Meta|Alt)$/.test(event.key)) return
  const isInDialog = document.querySelector('dialog[open]') !== null
  const before = begun.value === '' ? '' : `${begun.value} `
  const name = nameOf(event, (own) => commandOf(before + own) !== null || beginsSequence(before + own))
  if (isTyping(event.target) && name === 'Escape' && !isInDialog) {
    // A field to search would be emptied.
    event.preventDefault()
    return (event.target as HTMLElement).blur()
  }
  if (isInDialog) return
  const sequence = before + name
  const command = commandOf(sequence)
  if (event.repeat && (command === null || !repeated.has(command))) {
    if (command !== null) event.preventDefault()
    return
  }
  clearTimeout(forgetTimer)
  begun.value = ''
  if (command !== null) {
    if (runCommand(command, event)) event.preventDefault()
    return
  }
  if (!beginsSequence(sequence)) return
  begun.value = sequence
  forgetTimer = setTimeout(() => (begun.value = ''), 1_500)
}

/** Begins to listen. */
export function listenToKeys(): void {
  addEventListener('keydown', pressed)
}
