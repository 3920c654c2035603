/**
 * Watches the clock of the machine: whether it jumped, and whether it is behind the times of events.
 *
 * 1. Each jump is logged once, and so are the beginning and the end of the time that the clock is behind.
 */
import type { Clock } from '../../clock.js'
import type { Log } from '../../api/monitor-service.js'

/** A smaller difference between the clock and the time that has passed is no jump. */
const JUMP_SECONDS = 60

export interface MachineClockDeps {
  readonly clock: Clock
  readonly shards: { readonly clockBehindSeconds: number }
  log(): Log
  /** Milliseconds that only ever grow. */
  monotonicMs(): number
}

/** A sentence for operators. */
export function clockBehind(seconds: number): string {
  return (
    `the clock of the machine was set back: it is ${seconds} s behind the latest event, ` +
    'and new events continue from the time of that one until the clock has caught up'
  )
}

export class MachineClock {
  readonly #deps: MachineClockDeps
  /** The time that the clock showed when the monotonic clock was 0, seconds. */
  #origin: number
  #isBehind = false

  constructor(deps: MachineClockDeps) {
    this.#deps = deps
    this.#origin = this.#originNow()
  }

  check(): void {
    const { shards, log } = this.#deps
    const origin = this.#originNow()
    const seconds = Math.round(origin - this.#origin)
    this.#origin = origin
    if (Math.abs(seconds) >= JUMP_SECONDS)
      log().warn('the clock of the machine jumped: check its time service', { seconds })
    const behindSeconds = shards.clockBehindSeconds
    if (behindSeconds > 0 && !this.#isBehind) log().warn(clockBehind(behindSeconds), { behindSeconds })
    if (behindSeconds === 0 && this.#isBehind) log().info('the clock of the machine has caught up with the events')
    this.#isBehind = behindSeconds > 0
  }

  #originNow(): number {
    return this.#deps.clock.nowMicros() / 1e6 - this.#deps.monotonicMs() / 1e3
  }
}
