/**
 * When a watchdog fires and resolves.
 *
 * 1. It fires once its value was bad for `forSeconds` without a break, and resolves once it was good for as long.
 *    Between the two thresholds it keeps its state.
 * 2. A value that cannot be measured changes nothing and starts the time anew.
 */
import type { WatchdogCondition, WatchdogView } from '../../api/watchdog-service.js'

/** What is read of a watchdog. */
type Checked = Pick<WatchdogView, 'threshold' | 'resolveThreshold' | 'forSeconds' | 'state'>

/** True where the value is bad, false where it is good, null between the thresholds. */
function judge(value: number, { threshold, resolveThreshold }: Checked, { bad }: WatchdogCondition): boolean | null {
  if (bad === 'above' ? value > threshold : value < threshold) return true
  return (bad === 'above' ? value <= resolveThreshold : value >= resolveThreshold) ? false : null
}

/** What a watchdog remembers from one check to the next. */
export class Hysteresis {
  /** Since when the value contradicts the state, and in which direction; null where it does not. */
  #against: { readonly isBad: boolean; readonly since: number } | null = null

  /** True where the state has to change: to firing, or back. */
  mustChange(watchdog: Checked, condition: WatchdogCondition, value: number | null, nowMicros: number): boolean {
    const isBad = value === null ? null : judge(value, watchdog, condition)
    if (isBad === null || isBad === (watchdog.state === 'firing')) {
      this.#against = null
      return false
    }
    if (this.#against?.isBad !== isBad) this.#against = { isBad, since: nowMicros }
    return nowMicros - this.#against.since >= watchdog.forSeconds * 1e6
  }
}
