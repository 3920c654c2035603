/** A question before something is done: what it would change, then yes or no. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { messageOf } from '../state/api.js'
import { t } from '../texts.js'
import { Dialog, useFocus } from './dialog.js'

interface ConfirmProps {
  readonly title: string
  /** The words on the button: what is done. */
  readonly verb: string
  readonly close: () => void
  /** Does it. A failure is said, and the question stays. */
  readonly act: () => Promise<unknown>
  /** What it would change. */
  readonly children: ComponentChildren
  readonly isReady?: boolean
}

export function Confirm({ title, verb, close, act, children, isReady = true }: ConfirmProps) {
  const isBusy = useSignal(false)
  const focused = useFocus<HTMLButtonElement>(isReady)
  const problem = useSignal<string | null>(null)
  const yes = async (): Promise<void> => {
    if (isBusy.value) return
    isBusy.value = true
    problem.value = null
    try {
      await act()
      close()
    } catch (error) {
      problem.value = messageOf(error)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <Dialog title={title} close={close}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Enter in a field is the button, as in a form. */}
      <div
        class="stack"
        onKeyDown={(event) => {
          const isField = event.target instanceof HTMLInputElement && !/checkbox|radio/.test(event.target.type)
          if (event.key !== 'Enter' || event.repeat || !isField || !isReady) return
          event.preventDefault()
          void yes()
        }}
      >
        {children}
        {problem.value === null ? null : (
          <p class="bad" role="alert">
            {problem.value}
          </p>
        )}
        <div class="row">
          <button
            ref={focused}
            type="button"
            class="primary"
            disabled={isBusy.value || !isReady}
            onClick={() => void yes()}
          >
            {verb}
          </button>
          <button type="button" onClick={close}>
            {t('cancel')}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
