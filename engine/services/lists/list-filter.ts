/**
 * The filters of a list, sorted by what they need of an event: its row in the columns, its bucket, or its record.
 *
 * Owns: which filter needs what, and verdicts that hold for many events. Leaves out: the walk (run-list.ts).
 *
 * 1. A verdict is that of the condition on a real event, so it is the same as that of a query. Events of one bucket
 *    have the same values at the decision points, as far as buckets tell them apart (domain/event/decision-points.ts).
 * 2. What only votes decide is the same for all buckets without a vote.
 */
import { matches, type Condition } from '../../domain/query/condition.js'
import type { Field, FieldSet, OwnName } from '../../domain/query/field.js'
import { compileFilters, isQuery, type FieldFilter, type Filter } from '../../domain/query/filter.js'
import type { QueryTerms } from '../../domain/query/query-language.js'
import { hasBuckets } from '../../domain/job/job.js'
import { BucketTable } from '../../store/bucket-table.js'
import { jobRange, timeKey } from '../../store/tables.js'
import type { QueryStore } from '../query/event-scan.js'
import type { QueriedJob } from '../query/query-protocol.js'
import type { RecordFields } from '../query/record-fields.js'
import type { BucketValues } from './bucket-values.js'
import { REFUSED, type Tables } from './column-walk.js'
import { NO_BUCKET, type EventColumns } from './event-columns.js'

/** What the value of a field depends on. */
export type Need = 'code' | 'confidence' | 'bucket' | 'votes' | 'record'

const ofCode: ReadonlySet<OwnName> = new Set(['result', 'result_label', 'outlier', 'outlier_flag', 'inference_status'])
const ofVotes: ReadonlySet<OwnName> = new Set([
  'consensus',
  'bucket_state',
  'knowledge_base_state',
  'last_compute_consensus_timestamp',
  'attention.undecided_consensus.attention_required',
])

/** What a field of a job needs. */
export function needOf(field: Field, name: string, job: QueriedJob): Need {
  if (field.kind === 'own') {
    if (ofCode.has(field.own)) return 'code'
    if (field.own === 'confidence_score') return 'confidence'
    if (!hasBuckets(job.category)) return 'record'
    return ofVotes.has(field.own) ? 'votes' : field.own === 'bucket_id' ? 'bucket' : 'record'
  }
  const isPoint = field.kind === 'body' && field.own === null && job.decisionPoints.includes(name)
  return isPoint && hasBuckets(job.category) ? 'bucket' : 'record'
}

const [UNKNOWN, NO, YES, ALONE] = [0, REFUSED, 2, 3]

interface Verdicts {
  byBucket: Uint8Array
  /** By the number of the value that a bucket has at the field (bucket-values.ts). */
  readonly byValue: Map<number, number>
}

/** Verdicts on buckets that hold for good, by filter. */
export type KeptVerdicts = Map<string, Verdicts>

const KEPT_MAX = 16

export interface ListFilterDeps {
  readonly job: QueriedJob
  readonly store: QueryStore
  readonly columns: EventColumns
  /** Of this job. */
  readonly fields: RecordFields
  readonly fieldSet: FieldSet
  readonly context: QueryTerms
  readonly kept: KeptVerdicts
  readonly values: BucketValues
}

interface BucketFilter {
  readonly condition: Condition
  readonly name: string
  readonly field: Field
  readonly verdicts: Verdicts
  readonly need: 'bucket' | 'votes'
}

export class ListFilter {
  readonly #deps: ListFilterDeps
  readonly #table: BucketTable
  readonly #codes: Condition[] = []
  readonly #confidences: Condition[] = []
  readonly #buckets: BucketFilter[] = []
  readonly #records: Condition[] = []
  readonly #codeVerdicts = new Uint8Array(65_536)
  readonly #confidenceVerdicts = new Uint8Array(65_536)
  /** Records that were read for verdicts. */
  reads = 0
  #voted: ReadonlySet<string> | null = null
  #unvoted = UNKNOWN

  constructor(filters: readonly Filter[], dates: Condition, deps: ListFilterDeps) {
    this.#deps = deps
    this.#table = new BucketTable(deps.store.environment, deps.job.id)
    for (const [at, filter] of filters.entries()) {
      const { fieldSet, context, job } = deps
      const condition = compileFilters([filter], fieldSet, context, ['body', 'filters', at])
      if (isQuery(filter)) {
        this.#records.push(condition)
        continue
      }
      const field = fieldSet.field(filter.field)
      const need = needOf(field, filter.field, job)
      if (need === 'code') this.#codes.push(condition)
      else if (need === 'confidence') this.#confidences.push(condition)
      else if (need === 'record') this.#records.push(condition)
      else {
        const verdicts = this.#verdictsOf(filter, need)
        this.#buckets.push({ condition, name: filter.field, field, need, verdicts })
      }
    }
    if (dates.kind !== 'all') this.#records.push(dates)
  }

  /** True if no filter looks at anything but records. */
  get needsRecordsAlone(): boolean {
    return this.#codes.length + this.#confidences.length + this.#buckets.length === 0
  }

  get needsRecords(): boolean {
    return this.#records.length > 0
  }

  /** The verdicts so far. The walk fills them, and goes by them from then on. */
  get tables(): Tables {
    return {
      byCode: this.#codes.length > 0 ? this.#codeVerdicts : null,
      byConfidence: this.#confidences.length > 0 ? this.#confidenceVerdicts : null,
      // One is enough: the others are asked of the rows that it lets pass.
      byBucket: this.#buckets[0]?.verdicts.byBucket ?? null,
    }
  }

  /** True if the row passes; what its record says is not asked. */
  passesRow(micros: number, bucket: number, code: number, confidence: number): boolean {
    if (this.#codes.length > 0 && !this.#ofTable(this.#codeVerdicts, code, this.#codes, micros)) return false
    if (this.#confidences.length > 0 && !this.#ofTable(this.#confidenceVerdicts, confidence, this.#confidences, micros))
      return false
    for (let i = 0; i < this.#buckets.length; i++)
      if (!this.#passesBucket(this.#buckets[i] as BucketFilter, micros, bucket)) return false
    return true
  }

  /** True if the record passes the filters that look at it. */
  passesRecord(micros: number, record: Uint8Array): boolean {
    if (this.#records.length === 0) return true
    this.#deps.fields.event(micros, record)
    return this.#records.every((condition) => matches(condition, this.#deps.fields))
  }

  /** True if an event that is not in the columns passes. */
  passesAll(micros: number, record: Uint8Array): boolean {
    this.#deps.fields.event(micros, record)
    const all = [...this.#codes, ...this.#confidences, ...this.#buckets.map(({ condition }) => condition)]
    return [...all, ...this.#records].every((condition) => matches(condition, this.#deps.fields))
  }

  #ofTable(verdicts: Uint8Array, place: number, conditions: readonly Condition[], micros: number): boolean {
    if (verdicts[place] === UNKNOWN) verdicts[place] = this.#ask(conditions, micros)
    return verdicts[place] === YES
  }

  #passesBucket(filter: BucketFilter, micros: number, bucket: number): boolean {
    if (bucket === NO_BUCKET) return this.#ask([filter.condition], micros) === YES
    const { byBucket } = filter.verdicts
    let verdict = byBucket[bucket]
    if (verdict === undefined) return this.#ask([filter.condition], micros) === YES
    if (verdict === UNKNOWN) {
      verdict = filter.need === 'votes' ? this.#askVotes(filter, bucket, micros) : this.#askBucket(filter, bucket)
      byBucket[bucket] = verdict
    }
    return verdict === ALONE ? this.#ask([filter.condition], micros) === YES : verdict === YES
  }

  /** Buckets with the same value at the field have the same verdict, and a value is read once for all filters. */
  #askBucket({ condition, name, field, verdicts }: BucketFilter, bucket: number): number {
    const { columns, store, job, fields, values } = this.#deps
    const known = verdicts.byValue.get(values.numberOf(name, bucket))
    if (known !== undefined) return known
    if (!columns.buckets.isCurrent(this.#table, bucket)) return ALONE
    const micros = columns.buckets.times[bucket] as number
    this.reads++
    const record = store.environment.get('events', timeKey(job.id, micros))
    if (record === undefined) return ALONE
    fields.event(micros, record)
    const value = values.note(name, bucket, field.kind === 'body' ? fields.values(field) : null)
    let verdict = verdicts.byValue.get(value)
    if (verdict !== undefined) return verdict
    verdict = matches(condition, fields) ? YES : NO
    if (value > 0) verdicts.byValue.set(value, verdict)
    return verdict
  }

  #askVotes({ condition }: BucketFilter, bucket: number, micros: number): number {
    this.#voted ??= this.#votedBuckets()
    if (this.#voted.has(this.#deps.columns.buckets.ids[bucket] as string)) return this.#ask([condition], micros)
    if (this.#unvoted === UNKNOWN || this.#buckets.length > 1) this.#unvoted = this.#ask([condition], micros)
    return this.#unvoted
  }

  #votedBuckets(): ReadonlySet<string> {
    const { store, job } = this.#deps
    const ids = new Set<string>()
    for (const { key } of store.environment.range('ballots', jobRange(job.id)))
      ids.add(Buffer.from(key.buffer, key.byteOffset + 4, key.length - 4).toString('latin1'))
    return ids
  }

  /** The verdict on a stored event; NO where it is gone. */
  #ask(conditions: readonly Condition[], micros: number): number {
    const { store, job, fields } = this.#deps
    this.reads++
    const record = store.environment.get('events', timeKey(job.id, micros))
    if (record === undefined) return NO
    fields.event(micros, record)
    return conditions.every((condition) => matches(condition, fields)) ? YES : NO
  }

  /** One entry for each bucket. Values at decision points never change, so their verdicts are kept. */
  #verdictsOf(filter: FieldFilter, need: 'bucket' | 'votes'): Verdicts {
    const { columns, kept } = this.#deps
    const size = columns.buckets.length
    if (need === 'votes') return { byBucket: new Uint8Array(size), byValue: new Map() }
    const key = JSON.stringify(filter)
    const verdicts = kept.get(key) ?? { byBucket: new Uint8Array(size), byValue: new Map<number, number>() }
    if (verdicts.byBucket.length < size) {
      const longer = new Uint8Array(Math.max(size, 2 * verdicts.byBucket.length))
      longer.set(verdicts.byBucket)
      verdicts.byBucket = longer
    }
    kept.delete(key)
    kept.set(key, verdicts)
    for (const old of kept.keys()) if (kept.size > KEPT_MAX) kept.delete(old)
    return verdicts
  }
}
