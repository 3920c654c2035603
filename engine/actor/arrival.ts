/**
 * A new event as it is read: from the body of a message to what the actor stores and decides by.
 *
 * Owns: whether a body is scanned or parsed. Leaves out: scanning (body-codec.ts) and parsing (envelope.ts).
 *
 * 1. The bytes of an arrival are valid until the next one is read.
 */
import { DecisionPoints } from '../domain/event/decision-points.js'
import { parseEnvelope, type Envelope, type EventExtras } from '../domain/event/envelope.js'
import { PointTree, type PointKey } from '../domain/event/point-tree.js'
import type { PointValues } from '../domain/event/point-value.js'
import { hasBuckets, type JobSettings } from '../domain/job/job.js'
import type { BodyCodec } from '../store/body-codec.js'

export interface Arrival {
  /** The body's bytes. */
  readonly body: Uint8Array
  /** The body, if it was parsed. */
  readonly rawBody: Record<string, unknown> | null
  readonly extras: EventExtras | null
  readonly idInBody: string | null
  /** The bytes at the decision points, if the body was scanned. */
  readonly key: PointKey | null
}

export class Arrivals {
  readonly points: DecisionPoints
  readonly #tree: PointTree
  readonly #codec: BodyCodec
  readonly #sectionNames: readonly string[]
  /** Without buckets each event is decided by its values, for which the body has to be parsed. */
  readonly #scans: boolean
  /** The values of the arrival that was asked for last. */
  #valued: { readonly arrival: Arrival; readonly values: PointValues } | null = null

  constructor(settings: JobSettings, codec: BodyCodec, sectionNames: readonly string[]) {
    this.points = new DecisionPoints(settings.decisionPoints)
    this.#tree = new PointTree(settings.decisionPoints)
    this.#codec = codec
    this.#sectionNames = sectionNames
    this.#scans = hasBuckets(settings.category)
  }

  /** The event in `memory` from `start` to `end`. @throws Refusal as parseEnvelope and BodyCodec.encode. */
  read(memory: Buffer, start: number, end: number): Arrival {
    const { scanner } = this.#codec
    if (this.#scans && scanner.scan(memory, start, end, this.#tree)) {
      const key = this.#tree.key(scanner.out)
      return {
        body: new Uint8Array(scanner.out.buffer, scanner.out.byteOffset, scanner.length),
        rawBody: null,
        extras: null,
        idInBody: scanner.eventId,
        key,
      }
    }
    return this.of(parseEnvelope(memory.toString('utf8', start, end), this.#sectionNames))
  }

  /** The event in a parsed envelope. */
  of({ rawBody, extras, eventId }: Envelope): Arrival {
    return { body: this.#codec.encode(rawBody), rawBody, extras, idInBody: eventId, key: null }
  }

  /** The values at the decision points. */
  valuesOf(arrival: Arrival): PointValues {
    if (this.#valued?.arrival !== arrival)
      this.#valued = { arrival, values: this.points.valuesOf(this.bodyOf(arrival)) }
    return this.#valued.values
  }

  /** The body as an object. */
  bodyOf({ rawBody, body }: Arrival): Record<string, unknown> {
    return rawBody ?? this.#codec.decode(body)
  }
}
