/**
 * The own times of a shard's events: read from new bodies by the rule of domain/event/event-time-fields.ts, and from
 * records.
 *
 * 1. A new event's time is read from the bytes of its body, and stored beside it. So a change of `time_field` counts
 *    for the events that come after it.
 * 2. Most times are read without a walk of the body (domain/event/quick-time.ts).
 */
import { timeOf } from '../domain/event/event-time.js'
import { eventTimeFields, isMeantAsTime } from '../domain/event/event-time-fields.js'
import type { ScalarValue } from '../domain/event/point-value.js'
import { QuickTime } from '../domain/event/quick-time.js'
import { BodyFields } from '../domain/query/body-fields.js'
import { FieldSet, type BodyField } from '../domain/query/field.js'
import type { BodyCodec } from '../store/body-codec.js'
import { bodyOf, ownMicrosOf } from '../store/event-record.js'
import { NO_OWN_TIME } from '../store/record-header.js'

const HOUR_MICROS = 3_600_000_000
/** Own times are ahead of the clock by more than this: somebody's clock is wrong. */
const AHEAD_MICROS = HOUR_MICROS
/** How Go and .NET write a time that was never set. */
const YEAR_1 = -62_135_596_800_000_000

/** A value that is told as a finding, and the field that it was at. */
interface OddTime {
  readonly kind: 'unread_time' | 'time_ahead'
  readonly field: string
  readonly value: string
}

/** Reads all fields, in one walk of a body. */
interface Walk {
  readonly fields: readonly BodyField[]
  readonly body: BodyFields
}

export class EventTimes {
  readonly #codec: BodyCodec
  readonly #names: ReadonlySet<string>
  readonly #quick: QuickTime
  /** Null until a body needs it. */
  #walk: Walk | null = null
  /** What is odd about the time that was read last. */
  odd: OddTime | null = null

  constructor(codec: BodyCodec, timeField: string | null = null) {
    this.#codec = codec
    this.#names = new Set([...(timeField === null ? [] : [timeField]), ...eventTimeFields])
    this.#quick = new QuickTime(this.#names)
  }

  /** The time of a stored event: its own, or else that of its arrival at `micros`. */
  of(record: Uint8Array, micros: number): number {
    const stored = ownMicrosOf(record) ?? this.read(bodyOf(asBuffer(record)), micros)
    return stored === NO_OWN_TIME ? micros : stored
  }

  /** The own time of a body that arrived at `micros`; NO_OWN_TIME for none. */
  read(body: Buffer, micros: number): number {
    this.odd = null
    const quick = this.#quick
    quick.arrivedMicros = micros
    this.#codec.walk(body, quick)
    const time = quick.micros
    if (time === null) return NO_OWN_TIME
    if (!(time > YEAR_1)) return this.#timeOfAll(body, micros)
    if (time > micros + AHEAD_MICROS) this.#note('time_ahead', quick.field, quick.written)
    return time
  }

  #timeOfAll(body: Buffer, micros: number): number {
    const { fields, body: found } = (this.#walk ??= walkOf(this.#names))
    this.#codec.walk(body, found)
    for (let i = 0; i < fields.length; i++) {
      const { name, slots } = fields[i] as BodyField
      for (let n = 0; n < slots.length; n++) {
        const time = this.#timeIn(name, found.values(slots[n] as number), micros)
        if (time !== null) return time
      }
    }
    return NO_OWN_TIME
  }

  #timeIn(field: string, values: readonly ScalarValue[], micros: number): number | null {
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as ScalarValue
      const time = timeOf(value, micros)
      if (time === YEAR_1) continue
      if (time === null) {
        if (this.odd === null && isMeantAsTime(field, value)) this.#note('unread_time', field, value)
        continue
      }
      this.odd = null
      if (time > micros + AHEAD_MICROS) this.#note('time_ahead', field, value)
      return time
    }
    return null
  }

  #note(kind: OddTime['kind'], field: string, value: ScalarValue): void {
    this.odd = { kind, field, value: String(value) }
  }
}

function walkOf(names: Iterable<string>): Walk {
  const set = new FieldSet([])
  const fields = [...names].map((name) => set.path(name))
  return { fields, body: new BodyFields(set.paths) }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
