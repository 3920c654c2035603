/** The buckets or events of a pool of candidates, by columns in shared memory. */
import { BUCKET_ID_BYTES } from '../../domain/event/bucket-key.js'

/** Subjects by columns. In shared memory, so that a page does not copy them between threads. */
export interface SubjectColumns {
  readonly count: number
  /** Of each id: those of buckets have 16 bytes, those of events 8. */
  readonly idBytes: number
  readonly ids: Uint8Array
  readonly events: Float64Array
  readonly firstMicros: Float64Array
  readonly lastMicros: Float64Array
}

/** A bucket, or an event. */
export interface CountedSubject {
  /** The id of a bucket, or the time of an event. */
  readonly id: Uint8Array
  readonly events: number
  readonly firstMicros: number
  readonly lastMicros: number
}

type Column = Uint8Array | Int32Array | Float32Array | Float64Array

/** The same numbers in shared memory. */
export function shared<T extends Column>(column: T): T {
  const memory = new SharedArrayBuffer(column.byteLength)
  const copy = new (column.constructor as new (memory: SharedArrayBuffer) => T)(memory)
  copy.set(column)
  return copy
}

export function columnsOf(subjects: readonly CountedSubject[]): SubjectColumns {
  const idBytes = subjects[0]?.id.length ?? BUCKET_ID_BYTES
  return {
    count: subjects.length,
    idBytes,
    ids: shared(Uint8Array.from(Buffer.concat(subjects.map(({ id }) => id)))),
    events: shared(Float64Array.from(subjects, ({ events }) => events)),
    firstMicros: shared(Float64Array.from(subjects, ({ firstMicros }) => firstMicros)),
    lastMicros: shared(Float64Array.from(subjects, ({ lastMicros }) => lastMicros)),
  }
}

export function subjectAt(columns: SubjectColumns, place: number): CountedSubject {
  const { idBytes, ids, events, firstMicros, lastMicros } = columns
  return {
    id: ids.subarray(place * idBytes, (place + 1) * idBytes),
    events: events[place] as number,
    firstMicros: firstMicros[place] as number,
    lastMicros: lastMicros[place] as number,
  }
}
