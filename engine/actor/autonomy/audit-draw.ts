/**
 * The draw of audits in a turn. Places of four events cost little more than that of one, so the next events of the job
 * are drawn with an event, as far as their ids can be known: those that the service makes of their times.
 */
import { autonomyBounds } from '../../domain/autonomy/bounds.js'
import { Draw, drawnTogether } from '../../domain/autonomy/sampling.js'
import { eventIdOf } from '../../domain/event/event-id.js'
import type { ComingEvents } from './coming-events.js'

export class AuditDraw {
  readonly key: string
  readonly #draw: Draw
  readonly #jobId: number
  readonly #coming: ComingEvents
  /** Times of events that were drawn together, and their places. */
  #times: readonly number[] = []
  #places: readonly number[] = []

  /** `key`: the secret, Base64. */
  constructor(key: string, jobId: number, coming: ComingEvents) {
    this.key = key
    this.#draw = new Draw(Buffer.from(key, 'base64'))
    this.#jobId = jobId
    this.#coming = coming
  }

  /** Whether the event is an audit at the hold-out rate ρ. An event without a client's id has one made of its time. */
  isHeldOut(clientId: string | null, eventMicros: number, rate: number): boolean {
    return (clientId === null ? this.#placeAt(eventMicros) : this.#draw.placeOf(clientId)) < rate
  }

  /** Whether a second person is asked about the audit. */
  isSecond(clientId: string | null, eventMicros: number): boolean {
    return this.#draw.isHeldOut(`second ${clientId ?? eventIdOf(eventMicros)}`, autonomyBounds.secondRate)
  }

  #placeAt(eventMicros: number): number {
    const known = this.#times.indexOf(eventMicros)
    if (known >= 0) return this.#places[known] as number
    this.#times = [eventMicros, ...this.#coming.timesOf(this.#jobId, drawnTogether - 1)]
    this.#places = this.#draw.placesOf(this.#times.map(eventIdOf))
    return this.#places[0] as number
  }
}
