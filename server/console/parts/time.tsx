/**
 * A time, relative to now; the exact one, with its zone, shows on hover and to screen readers.
 *
 * 1. Every time that a page shows is one of these, or is written by state/times.ts.
 * 2. "Now" is the service's: a browser's clock may be wrong.
 */
import { signal } from '@preact/signals'
import { serviceNow } from '../state/clock.js'
import { timeText } from '../state/times.js'
import { ago } from '../texts.js'

const now = signal(serviceNow())
setInterval(() => {
  if (!document.hidden) now.value = serviceNow()
}, 20_000)

interface TimeProps {
  readonly at: string | null | undefined
  /** True: the exact time is shown, and the relative one on hover. */
  readonly isExact?: boolean
}

export function Time({ at, isExact = false }: TimeProps) {
  const ms = at == null || at === '' ? Number.NaN : Date.parse(at)
  if (Number.isNaN(ms)) return <span class="dim">—</span>
  // A time that came after the page looked at its clock.
  const relative = ago(ms, Math.max(now.value, Math.min(ms, serviceNow())))
  return (
    <time dateTime={at ?? ''} title={isExact ? relative : timeText(ms)}>
      {isExact ? timeText(ms) : relative}
    </time>
  )
}
