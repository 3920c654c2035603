/** The way to the pages before and after, where there are any, and how much there is. */
import type { ComponentChildren } from 'preact'
import { t } from '../texts.js'

interface PagesProps {
  /** From 0. */
  readonly page: number
  readonly size: number
  readonly total: number
  readonly go: (page: number) => void
  readonly children: ComponentChildren
}

export function Pages({ page, size, total, go, children }: PagesProps) {
  return (
    <div class="row">
      {page === 0 && total <= size ? null : (
        <>
          <button type="button" disabled={page === 0} onClick={() => go(page - 1)}>
            {t('page.back')}
          </button>
          <button type="button" disabled={(page + 1) * size >= total} onClick={() => go(page + 1)}>
            {t('page.on')}
          </button>
        </>
      )}
      <span class="dim">{children}</span>
    </div>
  )
}
