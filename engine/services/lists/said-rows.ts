/**
 * The votes and notes of a job, read once for a list: for conditions on what people said, and to tell the events that
 * nobody said anything of.
 *
 * 1. No record is read: an event is known by its time and its bucket.
 * 2. What was read holds until the next turn of the shard, so it is kept, unless it is large (SaidMemo).
 */
import { BUCKET_ID_BYTES, bucketIdText } from '../../domain/event/bucket-key.js'
import type { ScalarValue } from '../../domain/event/point-value.js'
import type { EventFields } from '../../domain/query/condition.js'
import type { Field } from '../../domain/query/field.js'
import { lastTime } from '../../actor/event-table.js'
import { WHOLE_BUCKET } from '../../actor/votes/vote-rows.js'
import { decodeVotes } from '../../store/ballot-row.js'
import type { Environment } from '../../store/environment.js'
import { decodeNotes } from '../../store/note-row.js'
import { jobRange, timeOfKey, timeValue, voteOfKey } from '../../store/tables.js'
import type { QueriedJob } from '../query/query-protocol.js'
import { saidValues, votesOfEvent, type SaidName } from '../query/said-fields.js'

const noNames: readonly ScalarValue[] = []
/** Bytes of rows that are kept from one list to the next. */
const KEPT_BYTES_MAX = 4 * 1024 * 1024

/** The votes and notes of one job as they were read last. */
export class SaidMemo {
  #rows: SaidRows | null = null
  #turnMicros = -1

  now(environment: Environment, job: QueriedJob): SaidRows {
    const turnMicros = lastTime(environment)
    if (this.#rows !== null && turnMicros === this.#turnMicros) return this.#rows.of(job)
    const rows = new SaidRows(environment, job)
    this.#rows = rows.bytes > KEPT_BYTES_MAX ? null : rows
    this.#turnMicros = turnMicros
    return rows
  }
}

export class SaidRows implements EventFields {
  #job: QueriedJob
  /** Times of events with votes or notes of their own. */
  readonly times = new Set<number>()
  /** Rows of votes by subject and time. */
  readonly #votes = new Map<string, Uint8Array>()
  readonly #notes = new Map<number, Uint8Array>()
  bytes = 0
  /** What `values` are of. */
  #subject = ''
  #micros = WHOLE_BUCKET

  constructor(environment: Environment, job: QueriedJob) {
    this.#job = job
    for (const { key, value } of environment.range('votes', jobRange(job.id))) {
      const { subject, micros } = voteOfKey(key)
      if (micros !== WHOLE_BUCKET) this.times.add(micros)
      else if (subject.length !== BUCKET_ID_BYTES) continue
      this.#votes.set(keyOf(bucketIdText(subject), micros), value)
      this.bytes += key.length + value.length
    }
    for (const { key, value } of environment.range('notes', jobRange(job.id))) {
      this.times.add(timeOfKey(key))
      this.#notes.set(timeOfKey(key), value)
      this.bytes += key.length + value.length
    }
  }

  /** The same rows; the labels of the job may have other names. */
  of(job: QueriedJob): this {
    this.#job = job
    return this
  }

  /** True if somebody voted on the whole bucket. */
  hasBucket(id: string): boolean {
    return this.#votes.has(keyOf(id, WHOLE_BUCKET))
  }

  /** Shows an event, or with WHOLE_BUCKET those of the bucket of which nothing else was said. */
  show(bucketId: string | null, micros: number): void {
    this.#subject = bucketId ?? bucketIdText(timeValue(micros))
    this.#micros = micros
  }

  values(field: Field): readonly ScalarValue[] {
    if (field.kind !== 'own') return noNames
    const own = this.#micros === WHOLE_BUCKET ? [] : this.#votesOn(this.#micros)
    const notes = this.#notes.get(this.#micros)
    const votes = votesOfEvent(own, this.#votesOn(WHOLE_BUCKET))
    return saidValues(field.own as SaidName, votes, notes === undefined ? [] : decodeNotes(notes), this.#job.labels)
  }

  has(field: Field): boolean {
    return this.values(field).length > 0
  }

  #votesOn(micros: number) {
    const row = this.#votes.get(keyOf(this.#subject, micros))
    return row === undefined ? [] : decodeVotes(row)
  }
}

function keyOf(subject: string, micros: number): string {
  return `${micros} ${subject}`
}
