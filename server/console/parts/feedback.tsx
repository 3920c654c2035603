/** What a page shows while it has nothing to show: loading, nothing there, an error. */
import type { ComponentChildren } from 'preact'
import { t } from '../texts.js'
import { Icon } from './icon.js'

/** Lines in the place of what is loaded. It appears late, so that fast answers do not flicker. */
export function Skeleton({ lines = 6 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-label={t('loading')}>
      {Array.from({ length: lines }, (_, at) => (
        <div key={at} class={`bone bone-${at % 3}`} />
      ))}
    </div>
  )
}

interface EmptyProps {
  readonly title: string
  readonly text?: string
  readonly icon?: string
  /** It is all that the page has. */
  readonly isPage?: boolean
  readonly children?: ComponentChildren
}

/** Nothing is there: it says what to do. */
export function Empty({ title, text, icon = 'inbox', isPage = false, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {text === undefined ? null : <p>{text}</p>}
      {children}
    </div>
  )
}

/** What failed, and a way to try again. */
export function Failed({ error, retry }: { readonly error: string; readonly retry?: () => void }) {
  return (
    <div class="failed" role="alert">
      <Icon name="triangle-alert" />
      <span>{error}</span>
      {retry === undefined ? null : (
        <button type="button" onClick={retry}>
          {t('retry')}
        </button>
      )}
    </div>
  )
}
