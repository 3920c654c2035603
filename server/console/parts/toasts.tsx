/** Messages at the foot of the page. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../texts.js'
import { close, toasts, undo } from '../state/toasts.js'
import { Icon } from './icon.js'
import { Key } from './keys.js'

/** Above everything, dialogs too: what failed has to be seen. */
function useOnTop(ref: RefObject<HTMLDivElement | null>): void {
  const all = toasts.value
  useLayoutEffect(() => {
    const { current } = ref
    if (current === null) return
    if (current.matches(':popover-open')) current.hidePopover()
    if (all.length > 0) current.showPopover()
  }, [all])
}

export function Toasts() {
  const ref = useRef<HTMLDivElement>(null)
  useOnTop(ref)
  return (
    <div ref={ref} popover="manual" class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <div key={toast.id} class={toast.isError ? 'toast bad' : 'toast'}>
          <Icon name={toast.isError ? 'triangle-alert' : 'check'} />
          <span class="grow">{toast.text}</span>
          {toast.undo === null ? null : (
            <button type="button" class="plain" onClick={() => void undo(toast)}>
              {t('undo')} <Key of="undo" />
            </button>
          )}
          <button type="button" class="plain icon-only" aria-label={t('close')} onClick={() => close(toast.id)}>
            <Icon name="x" />
          </button>
        </div>
      ))}
    </div>
  )
}
