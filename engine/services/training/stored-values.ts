/**
 * The values of stored events at decision points. Most events have those of an earlier one: such events share them in
 * memory, and are told by the bytes at these points, without being decoded.
 */
import { ABSENT, ByteTable } from '../../domain/event/byte-table.js'
import { bucketText } from '../../domain/event/bucket-key.js'
import { DecisionPoints } from '../../domain/event/decision-points.js'
import type { Types } from '../../domain/event/plain-value.js'
import type { PointKey } from '../../domain/event/point-tree.js'
import type { PointValues } from '../../domain/event/point-value.js'
import { StoredPoints } from '../../domain/event/stored-points.js'
import { BodyCodec } from '../../store/body-codec.js'
import type { Environment } from '../../store/environment.js'
import { bodyOf } from '../../store/event-record.js'

/** Different values that are shared. */
const sharedMax = 32_768

export class StoredValues {
  readonly #points: DecisionPoints
  readonly #codec: BodyCodec
  readonly #stored: StoredPoints
  /** The bytes of values, and the values by the numbers of these. Equal values may have several bytes. */
  readonly #bytes = new ByteTable()
  readonly #byBytes: PointValues[] = []
  readonly #byText = new Map<string, PointValues>()

  constructor(environment: Environment, points: readonly string[], types?: Types) {
    this.#points = new DecisionPoints(points, types)
    this.#codec = new BodyCodec(environment)
    this.#stored = new StoredPoints(points)
  }

  /** The values of an event by its record. Not to be changed: others may have them too. */
  of(record: Uint8Array): PointValues {
    const body = bodyOf(Buffer.from(record.buffer, record.byteOffset, record.byteLength))
    const key = this.#points.areScannable ? this.#codec.pointKey(body, this.#stored) : null
    if (key === null) return this.#decode(body)
    const known = this.#bytes.find(key.view, 0, key.length, key.hash)
    return known >= 0 ? (this.#byBytes[known] as PointValues) : this.#add(key, body)
  }

  #add({ view, length, hash }: PointKey, body: Buffer): PointValues {
    const values = this.#decode(body)
    if (this.#bytes.size >= sharedMax || this.#bytes.find(view, 0, length, hash) !== ABSENT) return values
    this.#byBytes[this.#bytes.add(view, 0, length, hash)] = values
    return values
  }

  #decode(body: Buffer): PointValues {
    const values = this.#points.valuesOf(this.#codec.decode(body))
    const text = bucketText(values)
    const known = this.#byText.get(text)
    if (known === undefined && this.#byText.size < sharedMax) this.#byText.set(text, values)
    return known ?? values
  }
}
