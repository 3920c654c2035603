/** A time, relative to now; the exact one shows on hover and to screen readers. */
import { signal } from '@preact/signals'
import { ago, exactTime } from '../texts.js'

const now = signal(Date.now())
setInterval(() => {
  if (!document.hidden) now.value = Date.now()
}, 20_000)

interface TimeProps {
  readonly at: string | null | undefined
  /** True: the exact time is shown, and the relative one on hover. */
  readonly isExact?: boolean
}

export function Time({ at, isExact = false }: TimeProps) {
  const ms = at == null || at === '' ? Number.NaN : Date.parse(at)
  if (Number.isNaN(ms)) return <span class="dim">—</span>
  return (
    <time dateTime={at ?? ''} title={isExact ? ago(ms, now.value) : exactTime(ms)}>
      {isExact ? exactTime(ms) : ago(ms, now.value)}
    </time>
  )
}
