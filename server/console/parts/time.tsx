/** A time, relative to now; the exact one shows on hover and to screen readers. */
import { signal } from '@preact/signals'
import { ago, exactTime } from '../texts.js'

const now = signal(Date.now())
setInterval(() => {
  if (!document.hidden) now.value = Date.now()
}, 20_000)

export function Time({ at }: { readonly at: string | null | undefined }) {
  const ms = at == null || at === '' ? Number.NaN : Date.parse(at)
  if (Number.isNaN(ms)) return <span class="dim">—</span>
  return (
    <time dateTime={at ?? ''} title={exactTime(ms)}>
      {ago(ms, now.value)}
    </time>
  )
}
