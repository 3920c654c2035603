/**
 * Which events a gate hands to people instead of settling them.
 *
 * The choice hangs on the job's secret and the event's id alone. So it is the same when a message runs again and in a
 * replay, and a sender who does not know the secret cannot steer it.
 */
import { lanes } from './hash-lanes.js'
import { KeyedHash } from './keyed-hash.js'

/** 2^48: six bytes of the hash are a number that a double holds exactly. */
const range = 2 ** 48
/** Places of so many events take little more time than one. */
export const drawnTogether = lanes

export class Draw {
  readonly #hash: KeyedHash

  /** `secret` has 16 to 64 bytes. */
  constructor(secret: Uint8Array) {
    this.#hash = new KeyedHash(secret)
  }

  /** The event's place between 0 (included) and 1, evenly spread over ids: HMAC-SHA-256 of the id. */
  placeOf(eventId: string): number {
    return this.#hash.first48(eventId) / range
  }

  /** A second place of the event of the last `placeOf`, from other bits of the same hash. */
  get secondPlace(): number {
    return this.#hash.next48 / range
  }

  /** Both places of at most `drawnTogether` events whose ids the service makes of these times. */
  placesAt(times: readonly number[], places: Float64Array, seconds: Float64Array): void {
    this.#hash.ofEventIds(times, places, seconds)
    for (let at = 0; at < times.length; at++) {
      places[at] = (places[at] as number) / range
      seconds[at] = (seconds[at] as number) / range
    }
  }

  /** Whether the event is an audit at the hold-out rate ρ, 0 to 1. */
  isHeldOut(eventId: string, rate: number): boolean {
    return this.placeOf(eventId) < rate
  }
}
