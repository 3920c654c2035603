/** Messages: what was done, on the foot of the page, and what failed, above everything. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../texts.js'
import { close, failures, said, undo } from '../state/toasts.js'
import { Icon } from './icon.js'
import { Key } from './keys.js'

/** Above dialogs too: what failed has to be seen. */
function useOnTop(ref: RefObject<HTMLDivElement | null>): void {
  const all = failures.value
  useLayoutEffect(() => {
    const { current } = ref
    if (current === null) return
    if (current.matches(':popover-open')) current.hidePopover()
    if (all.length > 0) current.showPopover()
  }, [all])
}

/** What failed. */
export function Failures() {
  const ref = useRef<HTMLDivElement>(null)
  useOnTop(ref)
  return (
    <div ref={ref} popover="manual" class="toasts" role="status" aria-live="polite">
      {failures.value.map(({ id, text }) => (
        <div key={id} class="toast bad">
          <Icon name="triangle-alert" />
          <span class="grow">{text}</span>
          <button type="button" class="plain icon-only" aria-label={t('close')} onClick={() => close(id)}>
            <Icon name="x" />
          </button>
        </div>
      ))}
    </div>
  )
}

/** What was done last, and the way back. */
export function LastDone() {
  const one = said.value
  return (
    <div class="said" role="status" aria-live="polite">
      {one === null ? null : (
        <span class="toast" key={one.id}>
          <Icon name="check" />
          <span class="ellipsis bidi" title={one.text}>
            {one.text}
          </span>
          {one.step === null ? null : (
            <button type="button" class="plain" onClick={() => void undo(one.step ?? undefined)}>
              {t('undo')} <Key of="undo" />
            </button>
          )}
        </span>
      )}
    </div>
  )
}
