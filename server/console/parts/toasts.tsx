/** Messages at the foot of the page. */
import { t } from '../texts.js'
import { close, toasts, undo } from '../state/toasts.js'
import { Icon } from './icon.js'

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <div key={toast.id} class={toast.isError ? 'toast bad' : 'toast'}>
          <Icon name={toast.isError ? 'triangle-alert' : 'check'} />
          <span class="grow">{toast.text}</span>
          {toast.undo === null ? null : (
            <button type="button" class="plain" onClick={() => void undo(toast)}>
              {t('undo')} <kbd>u</kbd>
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
