/**
 * The condition of a list on rows of the columns: each part is asked where its answer is cheapest.
 *
 * Owns: which part needs what, and verdicts that hold for many events. Leaves out: the walk (list-walk.ts), the
 * conditions themselves (domain/query/).
 *
 * | need         | a verdict is for                       | a record is read                               |
 * |--------------|----------------------------------------|------------------------------------------------|
 * | `code`       | a label, pending, outlier              | once for each                                  |
 * | `confidence` | a hundredth of a percent               | once for each                                  |
 * | `ingest`     | a time of arrival                      | never                                          |
 * | `time`       | an event's own time                    | never                                          |
 * | `work`       | a person who has events                | never                                          |
 * | `bucket`     | a value at a decision point            | once for each bucket                           |
 * | `votes`      | a bucket with votes, all others as one | once for each                                  |
 * | `voters`     | a bucket, an event with votes or notes | never: votes and notes are read (said-rows.ts) |
 * | `value`      | a value of a field (field-columns.ts)  | once for each event and field                  |
 * | `text`       | an event                               | once for each event and condition              |
 * | `record`     | nothing: it may change                 | each time                                      |
 *
 * 1. A verdict is that of the condition on a real event, so it is the same as that of a query. Events of one bucket
 *    have the same values at the decision points, as far as buckets tell them apart (domain/event/decision-points.ts).
 * 2. What only votes decide is the same for all buckets without a vote.
 * 3. Records that lie side by side are read together: whoever needs one of a row soon needs the next.
 */
import { BUCKET_ID_BYTES } from '../../domain/event/bucket-key.js'
import { grown } from '../../domain/event/grown.js'
import {
  allOf,
  anyOf,
  fieldsOf,
  keyOf,
  matches,
  not,
  type Condition,
  type EventFields,
} from '../../domain/query/condition.js'
import type { Field, OwnField, OwnName } from '../../domain/query/field.js'
import { hasBuckets } from '../../domain/job/job.js'
import { findEvent } from '../../actor/event-table.js'
import { WHOLE_BUCKET } from '../../actor/votes/vote-rows.js'
import { BucketTable } from '../../store/bucket-table.js'
import { jobRange, timeKey, timeOfKey, timeOfValue } from '../../store/tables.js'
import type { QueryStore } from '../query/event-scan.js'
import type { QueriedJob } from '../query/query-protocol.js'
import type { RecordFields } from '../query/record-fields.js'
import type { BucketValues } from './bucket-values.js'
import { REFUSED, type Tables } from './column-walk.js'
import { NO_BUCKET, type EventColumns } from './event-columns.js'
import type { EventRows } from './event-rows.js'
import type { SaidMemo, SaidRows } from './said-rows.js'
import { EntryFields, isSent, type FieldColumns, type RowVerdicts, type ValueColumn } from './field-columns.js'

/** What the value of a field depends on. */
export type Need =
  | 'code'
  | 'confidence'
  | 'ingest'
  | 'time'
  | 'work'
  | 'bucket'
  | 'votes'
  | 'voters'
  | 'value'
  | 'text'
  | 'record'

/** In the order in which they are asked. */
const costs: Readonly<Record<Need, number>> = {
  code: 0,
  confidence: 0,
  ingest: 0,
  time: 0,
  work: 1,
  bucket: 2,
  votes: 3,
  voters: 3,
  value: 4,
  text: 5,
  record: 6,
}

const ownNeeds: ReadonlyMap<OwnName, Need> = new Map<OwnName, Need>([
  ['result', 'code'],
  ['result_words', 'code'],
  ['result_label', 'code'],
  ['outlier', 'code'],
  ['outlier_flag', 'code'],
  ['inference_status', 'code'],
  ['inference_status_words', 'code'],
  // Equal for all events of a job.
  ['job_id', 'code'],
  ['job_title', 'code'],
  ['confidence_score', 'confidence'],
  ['assigned', 'work'],
  ['voter', 'voters'],
  ['voted', 'voters'],
  ['note', 'voters'],
])
const ofVotes: ReadonlySet<OwnName> = new Set([
  'consensus',
  'bucket_state',
  'knowledge_base_state',
  'last_compute_consensus_timestamp',
  'attention.undecided_consensus.attention_required',
])

/** What a field of a job needs. */
export function needOf(field: Field, job: QueriedJob): Need {
  if (field.kind === 'time') return field.which === 'ingest' ? 'ingest' : 'time'
  if (field.kind === 'own') return needOfOwn(field, job)
  const isPoint = field.own === null && job.decisionPoints.includes(field.name)
  if (isPoint && hasBuckets(job.category)) return 'bucket'
  return !isSent(field) ? 'record' : field.name === '*' ? 'text' : 'value'
}

function needOfOwn(field: OwnField, job: QueriedJob): Need {
  const known = ownNeeds.get(field.own)
  if (known !== undefined) return known
  if (isSent(field)) return 'value'
  if (!hasBuckets(job.category)) return 'record'
  return ofVotes.has(field.own) ? 'votes' : field.own === 'bucket_id' ? 'bucket' : 'record'
}

/**
 * A column of answers is the field of the event where it has one, else the service's own: two questions, each
 * of which goes where it is cheaper than both together.
 */
function split(condition: Condition, job: QueriedJob): Condition {
  if ('parts' in condition) {
    const parts = condition.parts.map((part) => split(part, job))
    return condition.kind === 'and' ? allOf(parts) : anyOf(parts, condition.least)
  }
  if (condition.kind === 'not') return not(split(condition.part, job))
  if (!('field' in condition)) return condition
  const { field, key } = condition
  if (field.kind !== 'body' || field.own === null || needOf(field, job) !== 'record') return condition
  const own: OwnField = { kind: 'own', name: field.own, own: field.own }
  if (needOf(own, job) === 'record') return condition
  const sent: Field = { ...field, own: null }
  const of = (meant: Field): Condition => {
    const { key: _, ...rest } = condition
    return { ...rest, field: meant, ...(key === undefined ? {} : { key: `${meant.kind} ${key}` }) }
  }
  const isSent: Condition = { kind: 'has', field: sent, key: `has ${field.name}` }
  return anyOf([allOf([isSent, of(sent)]), allOf([not(isSent), of(own)])])
}

/** A field with an empty text: at a decision point it shares a bucket with events that lack the field. */
const emptyText: EventFields = { values: () => [''], has: () => true }
const nothing: EventFields = { values: () => [], has: () => false }

/** True where the events of a bucket may have different verdicts: an empty text is the same as no value there. */
function isUnsure(condition: Condition, fields: EventFields, field: Field): boolean {
  if (field.kind !== 'body' || fields.values(field).some((value) => value !== '')) return false
  return matches(condition, emptyText) !== matches(condition, nothing)
}

const [UNKNOWN, NO, YES, ALONE] = [0, REFUSED, 2, 3]
/** Tables by code or confidence have an entry for each. */
const TABLE = 65_536
/** Verdicts of `text`, as a table by value. */
const refusedVerdicts = Uint8Array.of(UNKNOWN, NO, UNKNOWN, UNKNOWN)
/** Records that are read together, at most. */
const TOGETHER_MAX = 512
/** Rows between two needed ones that still lie side by side. */
const GAP = 3

interface Verdicts {
  byBucket: Uint8Array
  /** By the number of the value that a bucket has at the field (bucket-values.ts). */
  readonly byValue: Map<number, number>
}

/** Verdicts on buckets that hold for good, by condition. */
export type KeptVerdicts = Map<string, Verdicts>

const KEPT_MAX = 16

export interface RowFilterDeps {
  readonly job: QueriedJob
  readonly store: QueryStore
  readonly columns: EventColumns
  /** Of this job. */
  readonly fields: RecordFields
  readonly fieldColumns: FieldColumns
  readonly kept: KeptVerdicts
  readonly values: BucketValues
  readonly said: SaidMemo
  /** Fields whose values are noted as well. */
  readonly noted: readonly Field[]
}

/** What somebody has voted on: ids of buckets, and times of events without one. */
interface VotedSubjects {
  readonly buckets: ReadonlySet<string>
  readonly times: ReadonlySet<number>
}

/** A part of the condition. */
interface Part {
  readonly cost: number
  test(): boolean
  readonly byCode?: Uint8Array
  readonly byConfidence?: Uint8Array
  readonly byBucket?: () => Uint8Array
  readonly byValue?: () => Uint8Array
  readonly numbers?: (rows: EventRows) => Int32Array | Uint8Array
}

/** A column, and the field of this request that it has the values of. */
type Noted =
  | { readonly column: ValueColumn; readonly field: Field }
  | { readonly column: RowVerdicts; readonly condition: Condition }

export class RowFilter {
  readonly #deps: RowFilterDeps
  readonly #table: BucketTable
  readonly #root: Part
  readonly #parts: readonly Part[]
  /** What is noted of each record that is read. */
  readonly #noted: Noted[] = []
  /** Records that were read. */
  reads = 0
  #voted: VotedSubjects | null = null
  #said: SaidRows | null = null
  #assigned: ReadonlyMap<number, string> | null = null
  #rows!: EventRows
  #at = 0
  /** Of the row that is asked about; undefined: it was not read yet. */
  #record: Uint8Array | null | undefined = undefined
  /** How many records were read together, and the row behind them. */
  #together = 1
  #behind = -1
  #behindIn: EventRows | null = null

  constructor(condition: Condition, deps: RowFilterDeps) {
    this.#deps = deps
    this.#table = new BucketTable(deps.store.environment, deps.job.id)
    for (const field of deps.noted) {
      const column = deps.fieldColumns.values(field)
      if (column !== null) this.#noted.push({ column, field })
    }
    this.#parts = this.#topOf(split(condition, deps.job))
    this.#root = allParts(this.#parts)
  }

  /** True if every row passes. */
  get passesAll(): boolean {
    return this.#parts.length === 0
  }

  /** What is known of rows so far. The walk goes by it from then on. */
  get tables(): Tables {
    const find = <K extends keyof Part>(name: K): Part[K] | undefined =>
      this.#parts.find((part) => part[name] !== undefined)?.[name]
    const ofValue = this.#parts.find((part) => part.byValue !== undefined)
    return {
      byCode: find('byCode') ?? null,
      byConfidence: find('byConfidence') ?? null,
      // One is enough: the others are asked of the rows that it lets pass.
      byBucket: find('byBucket')?.() ?? null,
      byValue: ofValue?.byValue?.() ?? null,
      numbers: (rows) => ofValue?.numbers?.(rows) ?? null,
    }
  }

  /** True if the row passes. */
  passes(rows: EventRows, at: number): boolean {
    this.#rows = rows
    this.#at = at
    this.#record = undefined
    return this.#root.test()
  }

  /** The same for a row whose record was read. What it says is noted. */
  passesRecord(rows: EventRows, at: number, record: Uint8Array): boolean {
    this.#rows = rows
    this.#at = at
    this.#record = record
    this.note(record)
    return this.#root.test()
  }

  /** The record of the row that was asked about last; null where it is gone. */
  record(): Uint8Array | null {
    if (this.#record !== undefined) return this.#record
    const { store, job } = this.#deps
    this.reads++
    return (this.#record = store.environment.get('events', timeKey(job.id, this.#micros)) ?? null)
  }

  /** The number of the value of a noted field at the row that was asked about last; 0 where it has none. */
  numberIn(column: ValueColumn): number {
    const number = column.numbers(this.#rows)[this.#at] as number
    if (number > 0 || column.isFull) return number
    this.#fill()
    return column.numbers(this.#rows)[this.#at] as number
  }

  note(record: Uint8Array): void {
    if (this.#noted.length === 0) return
    this.#deps.fields.event(this.#micros, record)
    this.#noteAll(this.#rows, this.#at)
  }

  get #micros(): number {
    return this.#rows.times[this.#at] as number
  }

  #noteAll(rows: EventRows, at: number): void {
    const { fields } = this.#deps
    for (const noted of this.#noted) {
      if ('field' in noted) noted.column.note(rows, at, fields, noted.field)
      else {
        const verdicts = noted.column.of(rows)
        if (verdicts[at] === UNKNOWN) verdicts[at] = matches(noted.condition, fields) ? YES : NO
      }
    }
  }

  /** Reads the record of the row, and those behind it where rows are asked about one after the other. */
  #fill(): void {
    const { store, job, fields } = this.#deps
    const [rows, at] = [this.#rows, this.#at]
    const step = rows.isLater ? -1 : 1
    const isNext = this.#behindIn === rows && (at - this.#behind) * step >= 0 && (at - this.#behind) * step <= GAP
    this.#together = isNext ? Math.min(TOGETHER_MAX, this.#together * 2) : 1
    this.#behindIn = rows
    if (this.#together === 1) {
      this.#behind = at + step
      const record = this.record()
      if (record !== null) this.note(record)
      return
    }
    const end = Math.max(-1, Math.min(rows.length, at + step * this.#together))
    const last = end - step
    const range = {
      from: timeKey(job.id, rows.times[last] as number),
      to: timeKey(job.id, (rows.times[at] as number) + 1),
      reverse: true,
    }
    let place = at
    store.environment.scan('events', range, (key, value) => {
      const micros = timeOfKey(key)
      while (place !== end && rows.times[place] !== micros) place += step
      if (place === end) return false
      this.reads++
      fields.event(micros, value)
      this.#noteAll(rows, place)
      return true
    })
    this.#behind = end
    // What the fields have now is another event.
    this.#record = undefined
  }

  /** The parts that must all hold: those of one need together, where one verdict is for all of them. */
  #topOf(condition: Condition): readonly Part[] {
    if (condition.kind === 'all') return []
    const all = condition.kind === 'and' ? condition.parts : [condition]
    const together = (need: Need): Condition[] => all.filter((part) => this.#needOf(part) === need)
    const rest = all.filter((part) => !['code', 'confidence'].includes(this.#needOf(part) ?? ''))
    const groups = [together('code'), together('confidence')].filter(({ length }) => length > 0)
    const parts = [...groups.map((parts): Condition => ({ kind: 'and', parts })), ...rest].map((part) =>
      this.#part(part),
    )
    return parts.sort((a, b) => a.cost - b.cost)
  }

  /** The need of a condition that one verdict is for; null where its parts are asked one by one. */
  #needOf(condition: Condition): Need | null {
    const fields = [...fieldsOf(condition)]
    const needs = new Set(fields.map((field) => needOf(field, this.#deps.job)))
    const [need] = needs
    if (need === undefined) return null
    if (needs.size === 1 && (fields.length === 1 || need === 'code' || need === 'votes' || need === 'voters'))
      return need
    const isOfText = condition.kind !== 'and' && fields.every(isSent) && keyOf(condition) !== null && needs.has('text')
    return isOfText ? 'text' : null
  }

  #part(condition: Condition): Part {
    const need = this.#needOf(condition)
    if (need !== null) return this.#leaf(condition, need)
    switch (condition.kind) {
      case 'and':
        return allParts(condition.parts.map((part) => this.#part(part)).sort((a, b) => a.cost - b.cost))
      case 'or': {
        const parts = condition.parts.map((part) => this.#part(part)).sort((a, b) => a.cost - b.cost)
        const { least } = condition
        return { cost: costOf(parts), test: () => someHold(parts, least) }
      }
      case 'not': {
        const part = this.#part(condition.part)
        return { cost: part.cost, test: () => !part.test() }
      }
      default:
        return { cost: 0, test: () => condition.kind === 'all' }
    }
  }

  #leaf(condition: Condition, need: Need): Part {
    const cost = costs[need]
    const [field] = fieldsOf(condition) as ReadonlySet<Field> & Iterable<Field>
    switch (need) {
      case 'code': {
        const byCode = new Uint8Array(TABLE)
        return { cost, byCode, test: () => this.#ofTable(byCode, this.#rows.codes[this.#at] as number, condition) }
      }
      case 'confidence': {
        const byConfidence = new Uint8Array(TABLE)
        const test = (): boolean => this.#ofTable(byConfidence, this.#rows.confidences[this.#at] as number, condition)
        return { cost, byConfidence, test }
      }
      case 'ingest':
        return { cost, test: this.#ofNumber(condition, () => this.#micros) }
      case 'work':
        return { cost, test: this.#ofAssigned(condition) }
      case 'bucket':
      case 'votes':
        return this.#ofBucket(condition, field as Field, need)
      case 'voters':
        return { cost, test: this.#ofVoters(condition) }
      case 'time':
        return { cost, test: this.#ofNumber(condition, () => this.#rows.own[this.#at] as number) }
      case 'value': {
        if (condition.kind === 'ids') return { cost: costs.work, test: this.#ofIds(condition.ids) }
        const column = this.#deps.fieldColumns.values(field as Field)
        return column === null ? this.#ofText(condition) : this.#ofValue(condition, field as Field, column)
      }
      case 'text':
        return this.#ofText(condition)
      case 'record':
        return { cost, test: () => this.#ask(condition) }
    }
  }

  #ofTable(verdicts: Uint8Array, place: number, condition: Condition): boolean {
    if (verdicts[place] === UNKNOWN) verdicts[place] = this.#ask(condition) ? YES : NO
    return verdicts[place] === YES
  }

  #ofNumber(condition: Condition, numberNow: () => number): () => boolean {
    const entry = new EntryFields()
    const values = [0]
    entry.entry = { values, isThere: true }
    return () => {
      values[0] = numberNow()
      return matches(condition, entry)
    }
  }

  #ofIds(ids: ReadonlySet<string>): () => boolean {
    const { store, job } = this.#deps
    const times = new Set([...ids].map((id) => findEvent(store.environment, job.id, id)?.micros))
    return () => times.has(this.#micros)
  }

  #ofAssigned(condition: Condition): () => boolean {
    const entry = new EntryFields()
    const verdict = (assignee: string | null): boolean => {
      entry.entry = { values: assignee === null ? [] : [assignee], isThere: assignee !== null }
      return matches(condition, entry)
    }
    const isOfNobody = verdict(null)
    const others = new Set<number>()
    const byName = new Map<string, boolean>()
    for (const [micros, assignee] of this.#assignees()) {
      let passes = byName.get(assignee)
      if (passes === undefined) byName.set(assignee, (passes = verdict(assignee)))
      if (passes !== isOfNobody) others.add(micros)
    }
    return () => others.has(this.#micros) !== isOfNobody
  }

  /** Who has which event, by its time. */
  #assignees(): ReadonlyMap<number, string> {
    if (this.#assigned !== null) return this.#assigned
    const { store, job } = this.#deps
    const assigned = new Map<number, string>()
    for (const [id, assignee] of store.assignees?.(job.id) ?? []) {
      const event = findEvent(store.environment, job.id, id)
      if (event !== null) assigned.set(event.micros, assignee)
    }
    return (this.#assigned = assigned)
  }

  #ofVoters(condition: Condition): () => boolean {
    const isOfNobody = matches(condition, new EntryFields())
    let ofWhole: Uint8Array = new Uint8Array(Math.max(1_024, this.#deps.columns.buckets.length))
    const ask = (said: SaidRows, bucket: number, micros: number): boolean => {
      said.show(bucket === NO_BUCKET ? null : (this.#deps.columns.buckets.ids[bucket] as string), micros)
      return matches(condition, said)
    }
    return () => {
      const said = this.#saidNow()
      const bucket = this.#rows.buckets[this.#at] as number
      if (said.times.has(this.#micros)) return ask(said, bucket, this.#micros)
      if (bucket === NO_BUCKET) return isOfNobody
      if (bucket >= ofWhole.length) ofWhole = grown(ofWhole, new Uint8Array(2 * bucket))
      if (ofWhole[bucket] === UNKNOWN) ofWhole[bucket] = ask(said, bucket, WHOLE_BUCKET) ? YES : NO
      return ofWhole[bucket] === YES
    }
  }

  /** True if somebody has the event of the row, or has voted on it or noted something. */
  isTouched(need: 'work' | 'voters', rows: EventRows, at: number): boolean {
    const micros = rows.times[at] as number
    if (need === 'work') return this.#assignees().has(micros)
    const said = this.#saidNow()
    const bucket = rows.buckets[at] as number
    return (
      said.times.has(micros) ||
      (bucket !== NO_BUCKET && said.hasBucket(this.#deps.columns.buckets.ids[bucket] as string))
    )
  }

  #saidNow(): SaidRows {
    return (this.#said ??= this.#deps.said.now(this.#deps.store.environment, this.#deps.job))
  }

  #ofValue(condition: Condition, field: Field, column: ValueColumn): Part {
    this.#noted.push({ column, field })
    const entry = new EntryFields()
    let verdicts: Uint8Array = new Uint8Array(Math.max(1_024, column.entries.length))
    const test = (): boolean => {
      const number = this.numberIn(column)
      // There are too many values to note them all.
      if (number === 0) return this.#ask(condition)
      if (number >= verdicts.length) {
        const longer = new Uint8Array(2 * number)
        longer.set(verdicts)
        verdicts = longer
      }
      if (verdicts[number] === UNKNOWN) {
        entry.entry = column.entries[number] as EntryFields['entry']
        verdicts[number] = matches(condition, entry) ? YES : NO
      }
      return verdicts[number] === YES
    }
    return { cost: costs.value, test, byValue: () => verdicts, numbers: (rows) => column.numbers(rows) }
  }

  #ofText(condition: Condition): Part {
    const key = keyOf(condition)
    if (key === null) return { cost: costs.record, test: () => this.#ask(condition) }
    const column = this.#deps.fieldColumns.verdicts(key)
    this.#noted.push({ column, condition })
    const test = (): boolean => {
      if (column.of(this.#rows)[this.#at] === UNKNOWN) this.#fill()
      return column.of(this.#rows)[this.#at] === YES
    }
    return { cost: costs.text, test, byValue: () => refusedVerdicts, numbers: (rows) => column.of(rows) }
  }

  #ofBucket(condition: Condition, field: Field, need: 'bucket' | 'votes'): Part {
    const verdicts = this.#verdictsOf(condition, need)
    let unvoted = UNKNOWN
    const askVotes = (bucket: number): number => {
      const { buckets } = (this.#voted ??= this.#votedSubjects())
      if (buckets.has(this.#deps.columns.buckets.ids[bucket] as string)) return this.#ask(condition) ? YES : NO
      if (unvoted === UNKNOWN) unvoted = this.#ask(condition) ? YES : NO
      return unvoted
    }
    const test = (): boolean => {
      const bucket = this.#rows.buckets[this.#at] as number
      const { byBucket } = verdicts
      let verdict = bucket === NO_BUCKET ? undefined : byBucket[bucket]
      if (verdict === undefined) return this.#ask(condition)
      if (verdict === UNKNOWN) {
        verdict = need === 'votes' ? askVotes(bucket) : this.#askBucket(condition, field, verdicts, bucket)
        byBucket[bucket] = verdict
      }
      return verdict === ALONE ? this.#ask(condition) : verdict === YES
    }
    return { cost: costs[need], test, byBucket: () => verdicts.byBucket }
  }

  /** Buckets with the same value at the field have the same verdict, and a value is read once for all filters. */
  #askBucket(condition: Condition, field: Field, { byValue }: Verdicts, bucket: number): number {
    const { columns, store, job, fields, values } = this.#deps
    const known = byValue.get(values.numberOf(field.name, bucket))
    if (known !== undefined) return known
    if (!columns.buckets.isCurrent(this.#table, bucket)) return ALONE
    const micros = columns.buckets.times[bucket] as number
    this.reads++
    const record = store.environment.get('events', timeKey(job.id, micros))
    if (record === undefined) return ALONE
    this.#record = undefined
    fields.event(micros, record)
    const sentValues = field.kind === 'body' ? fields.values(field) : null
    const value = values.note(field.name, bucket, sentValues, fields.has(field))
    let verdict = byValue.get(value)
    if (verdict !== undefined) return verdict
    verdict = isUnsure(condition, fields, field) ? ALONE : matches(condition, fields) ? YES : NO
    if (value > 0) byValue.set(value, verdict)
    return verdict
  }

  #votedSubjects(): VotedSubjects {
    const { store, job } = this.#deps
    const voted = { buckets: new Set<string>(), times: new Set<number>() }
    for (const { key } of store.environment.range('ballots', jobRange(job.id))) {
      const subject = Buffer.from(key.buffer, key.byteOffset + 4, key.length - 4)
      if (subject.length === BUCKET_ID_BYTES) voted.buckets.add(subject.toString('latin1'))
      else voted.times.add(timeOfValue(subject))
    }
    return voted
  }

  /** The verdict on the row's own record; false where it is gone. */
  #ask(condition: Condition): boolean {
    const record = this.record()
    if (record === null) return false
    this.#deps.fields.event(this.#micros, record)
    return matches(condition, this.#deps.fields)
  }

  /** One entry for each bucket. Values at decision points never change, so their verdicts are kept. */
  #verdictsOf(condition: Condition, need: 'bucket' | 'votes'): Verdicts {
    const { columns, kept } = this.#deps
    // Buckets that come while the columns grow have no entry, and are asked one by one.
    const size = Math.max(1_024, columns.buckets.length)
    const key = need === 'votes' ? null : keyOf(condition)
    if (key === null) return { byBucket: new Uint8Array(size), byValue: new Map() }
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

function costOf(parts: readonly Part[]): number {
  return Math.max(0, ...parts.map(({ cost }) => cost))
}

function allParts(parts: readonly Part[]): Part {
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return only
  const test = (): boolean => {
    for (let i = 0; i < parts.length; i++) if (!(parts[i] as Part).test()) return false
    return true
  }
  return { cost: costOf(parts), test }
}

function someHold(parts: readonly Part[], least: number): boolean {
  let found = 0
  for (let i = 0; i < parts.length && found + parts.length - i >= least; i++) {
    if ((parts[i] as Part).test() && ++found >= least) return true
  }
  return false
}
