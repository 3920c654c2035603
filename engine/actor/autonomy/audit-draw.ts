/**
 * The draw of audits in a turn. Places of four events cost little more than that of one, so the next events of the job
 * are drawn with an event, as far as their ids can be known: those that the service makes of their times.
 */
import { autonomyBounds } from '../../domain/autonomy/bounds.js'
import { Draw, drawnTogether } from '../../domain/autonomy/sampling.js'
import type { ComingEvents } from './coming-events.js'

/** What became of an event in the draw. `second`: an audit about which a second person is asked. */
export type Drawn = 'none' | 'audit' | 'second'

export class AuditDraw {
  readonly key: string
  readonly #draw: Draw
  readonly #jobId: number
  readonly #coming: ComingEvents
  /** Times of events that were drawn together, and their places. */
  #times: readonly number[] = []
  readonly #places = new Float64Array(drawnTogether)
  readonly #seconds = new Float64Array(drawnTogether)

  /** `key`: the secret, Base64. */
  constructor(key: string, jobId: number, coming: ComingEvents) {
    this.key = key
    this.#draw = new Draw(Buffer.from(key, 'base64'))
    this.#jobId = jobId
    this.#coming = coming
  }

  /** Draws an event at the hold-out rate ρ. An event without a client's id has one made of its time. */
  of(clientId: string | null, eventMicros: number, rate: number): Drawn {
    if (clientId === null) {
      const at = this.#laneOf(eventMicros)
      return drawnOf(this.#places[at] as number, rate, this.#seconds[at] as number)
    }
    const place = this.#draw.placeOf(clientId)
    return drawnOf(place, rate, this.#draw.secondPlace)
  }

  #laneOf(eventMicros: number): number {
    const known = this.#times.indexOf(eventMicros)
    if (known >= 0) return known
    this.#times = [eventMicros, ...this.#coming.timesOf(this.#jobId, drawnTogether - 1)]
    this.#draw.placesAt(this.#times, this.#places, this.#seconds)
    return 0
  }
}

function drawnOf(place: number, rate: number, second: number): Drawn {
  if (place >= rate) return 'none'
  return second < autonomyBounds.secondRate ? 'second' : 'audit'
}
