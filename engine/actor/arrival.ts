/**
 * A new event as it is read: from the body of a message to what the actor stores and decides by.
 *
 * Owns: whether a body is scanned or parsed. Leaves out: scanning (body-codec.ts) and parsing (envelope.ts).
 *
 * 1. The bytes of an arrival are valid until the next one is read.
 * 2. The values of a scanned body are read from the bytes at the decision points, without the rest.
 */
import { isUtf8 } from 'node:buffer'
import type { DecisionPoints } from '../domain/event/decision-points.js'
import { oddPlaceOf } from '../domain/event/input/text-bytes.js'
import { parseEnvelope, type Envelope, type EventExtras } from '../domain/event/envelope.js'
import { RepeatedKeys, type RepeatedKey } from '../domain/event/input/repeated-key.js'
import { PointTree, type PointKey } from '../domain/event/point-tree.js'
import type { PointValues } from '../domain/event/point-value.js'
import { hasClusters, type JobSettings } from '../domain/job/job.js'
import type { BodyCodec } from '../store/body-codec.js'
import { pointsOf } from '../domain/job/job-points.js'

export interface Arrival {
  /** The body's bytes. */
  readonly body: Buffer
  /** The body, if it was parsed. */
  readonly rawBody: Record<string, unknown> | null
  readonly extras: EventExtras | null
  readonly idInBody: string | null
  /** The first odd place of a text that is not UTF-8; null for one that is. */
  readonly notUtf8: string | null
  /** A key that was given twice; null for none. */
  readonly repeated: RepeatedKey | null
  /** The bytes at the decision points, if the body was scanned and the job decides by them. */
  readonly key: PointKey | null
}

export class Arrivals {
  readonly points: DecisionPoints
  readonly #tree: PointTree
  readonly #codec: BodyCodec
  readonly #sectionNames: readonly string[]
  readonly #hasKeys: boolean
  /** The arrival that the scanner and the tree still know. */
  #scanned: Arrival | null = null
  /** The values of the arrival that was asked for last. */
  #valued: { readonly arrival: Arrival; readonly values: PointValues } | null = null

  constructor(settings: JobSettings, codec: BodyCodec, sectionNames: readonly string[]) {
    this.points = pointsOf(settings)
    this.#tree = new PointTree(settings.decisionPoints, settings.id)
    this.#codec = codec
    this.#sectionNames = sectionNames
    this.#hasKeys = !hasClusters(settings.category)
  }

  /** The event in `memory` from `start` to `end`. @throws Refusal as parseEnvelope and BodyCodec.encode. */
  read(memory: Buffer, start: number, end: number): Arrival {
    const { scanner } = this.#codec
    if (!scanner.scan(memory, start, end, this.#tree)) {
      this.#scanned = null
      const text = memory.toString('utf8', start, end)
      const notUtf8 = isUtf8(memory.subarray(start, end)) ? null : oddPlaceOf(text)
      const keys = new RepeatedKeys()
      const envelope = parseEnvelope(text, this.#sectionNames, keys.note)
      keys.mustBeOfOneJob()
      return { ...this.of(envelope), notUtf8, repeated: keys.finding }
    }
    return (this.#scanned = {
      body: scanner.out.subarray(0, scanner.length),
      rawBody: null,
      extras: null,
      idInBody: scanner.eventId,
      notUtf8: null,
      repeated: null,
      key: this.#hasKeys ? this.#tree.key(scanner.out) : null,
    })
  }

  /** The event in a parsed envelope. */
  of({ rawBody, extras, eventId }: Envelope): Arrival {
    const body = this.#codec.encode(rawBody)
    return { body, rawBody, extras, idInBody: eventId, notUtf8: null, repeated: null, key: null }
  }

  /** The values at the decision points. */
  valuesOf(arrival: Arrival): PointValues {
    if (this.#valued?.arrival !== arrival) this.#valued = { arrival, values: this.#readValues(arrival) }
    return this.#valued.values
  }

  #readValues(arrival: Arrival): PointValues {
    return arrival === this.#scanned && this.points.areScannable
      ? this.points.scannedValues(this.#tree, this.#codec.scannedValue)
      : this.points.valuesOf(this.bodyOf(arrival))
  }

  /** The body as an object. */
  bodyOf({ rawBody, body }: Arrival): Record<string, unknown> {
    return rawBody ?? this.#codec.decode(body)
  }
}
