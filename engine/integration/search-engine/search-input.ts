/**
 * A search engine as input: documents in the order of their date, from a place that survives restarts.
 *
 * Owns: which documents are asked for next, and what was read. Leaves out: queries (search-query.ts), turning documents
 * into events.
 *
 * | documents                                    | are read                                                     |
 * |----------------------------------------------|--------------------------------------------------------------|
 * | dated up to now                              | in the order of their date, from the place                   |
 * | that become visible later, within `lookback` | because their span of time has more documents than were read |
 * | dated ahead of the clock                     | in the same way, in spans of a day from tomorrow on          |
 * | that become visible later than that          | by their time of indexing, where they have one               |
 *
 * 1. The place never passes the clock. So a document of a host whose clock is fast, or one of the year 2032, hides no
 *    other. Documents of the same date are all read (search-query.ts).
 * 2. A span is counted every five seconds, and read on where it has more documents than were read in it. If that does
 *    not bring all of them, it is read again from its beginning.
 * 3. A document that is read twice has the same id, so it is the same event (S6). In one run it is handed on once, as
 *    long as its name is remembered.
 * 4. An index where the date field is missing, or is no date, and one that does not store its documents is left out
 *    and named. The others are read.
 */
import { createHash } from 'node:crypto'
import type { Finding } from '../../domain/event/finding.js'
import type { OpenedParameters, Source, SourceDocument, SourcePiece, Tools } from '../contract.js'
import { SourceFailure } from '../contract.js'
import { AnswerTooLong, HttpFailure, type HttpAnswer } from '../http/http-client.js'
import { outcomeOf, sourceFailureOf, sourceFailureOfError, textAt } from '../http/http-kind.js'
import { documentIn, SearchClient } from './search-client.js'
import { parsePage } from './search-page.js'
import {
  countQuery,
  countsIn,
  fieldsIn,
  fieldsPath,
  hitsIn,
  pageQuery,
  searchPath,
  type DateRange,
  type Hit,
  type IndexFields,
  type PageRequest,
  type SearchPlace,
  type SearchSelection,
} from './search-query.js'

export const BATCH_STANDARD = 1_000
export const BATCH_MAX = 10_000
export const LOOKBACK_STANDARD_SECONDS = 300
export const LOOKBACK_SECONDS_MAX = 3_600
/** The field with the time of indexing in the Elastic Common Schema. */
export const INDEXED_FIELD = 'event.ingested'

const PAGE_BYTES_MAX = 64 * 1024 * 1024
/** The length of a span, and the shortest interval between two counts. */
const STEP_MS = 5_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Clocks differ a little: the place may be so far ahead of ours. */
const SLACK_MS = STEP_MS
/** Between two looks at the fields of the indexes. */
const FIELDS_MS = 60_000
/** Names of documents that are remembered. */
const NAMES_MAX = 100_000
/** Spans of days ahead of the clock whose numbers are kept in a checkpoint. */
const FAR_KEPT_MAX = 1_000
/** A span with so many documents rests for a millisecond each after it was read from its beginning. */
const REST_MS = 1
const NAMED_MAX = 5
/** Indexes that are left out are told again after so long. */
const TOLD_MS = DAY_MS
const NOTHING = Buffer.alloc(0)
/** What a search engine says of a page that is longer than it allows. */
const WINDOW = /Result window is too large.{1,80}?: \[(\d+)\]/

/** The stored progress. */
interface Checkpoint {
  /** Identifies the selection: a place is only valid for the same documents. */
  readonly selection: string
  readonly place: SearchPlace | null
  /** Documents read in the spans up to the place, the first of which begins at `from`. */
  readonly given?: { readonly from: number; readonly counts: readonly number[] }
  /** The same for days ahead of the clock, by their start. */
  readonly far?: readonly (readonly [number, number])[]
  /** Up to when late documents were read by their time of indexing. */
  readonly indexed?: { readonly field: string; readonly throughMs: number }
}

/** A span of time, and what was read of it. */
interface SpanState {
  readonly range: { readonly fromMs: number; readonly toMs: number }
  /** Documents that were read. */
  count: number
  /** Their names; null if not all of them are known. */
  names: Set<string> | null
  /** It was read ahead of the place, which will come by. */
  isAhead: boolean
  /** The last document that was read by counting. */
  place: SearchPlace | null
  restsUntilMs: number
}

interface Page {
  readonly hits: readonly Hit[]
  /** More may follow. */
  readonly isFull: boolean
}

/** What is to be read beside the documents behind the place. */
type Task =
  /** A span that has `wanted` documents. */
  | {
      readonly kind: 'span'
      readonly span: SpanState
      readonly wanted: number
      place: SearchPlace | null
      read: number
      isWhole: boolean
    }
  /** Late documents, by their time of indexing. */
  | {
      readonly kind: 'indexed'
      readonly fromMs: number
      readonly beganMs: number
      readonly datedBeforeMs: number
      place: SearchPlace | null
    }

export class SearchInput implements Source {
  readonly pollMs = 1_000
  readonly #client: SearchClient
  readonly #pattern: string
  readonly #selection: SearchSelection
  readonly #indexedField: string
  readonly #batch: number
  readonly #lookbackMs: number
  readonly #preserveId: boolean
  readonly #fingerprint: string
  readonly #nowMs: () => number
  /** The checkpoint that the state below belongs to, as text. */
  #of: string | null = null
  #place: SearchPlace | null = null
  /** By the start of the span; `#far` has those of days ahead of the clock. */
  readonly #near = new Map<number, SpanState>()
  readonly #far = new Map<number, SpanState>()
  #remembered = 0
  #indexedThroughMs: number | null = null
  /** Names of documents that were read beside the spans that are near now: late ones, and those of days to come. */
  readonly #passedNames = new Set<string>()
  #tasks: Task[] = []
  #isTasksTurn = false
  #countedMs = Number.NEGATIVE_INFINITY
  /** Documents in one answer: less where the search engine or their size sets a bound. */
  #size: number
  #sizeMax: number
  #fields: IndexFields | null = null
  #fieldsMs = Number.NEGATIVE_INFINITY
  /** Indexes that do not store their documents. */
  readonly #silent = new Set<string>()
  /** When an index was told as a finding. */
  readonly #told = new Map<string, number>()
  #findings: Finding[] = []
  #isBehind = false

  /** `leftOut` names fields of documents that are never read. */
  constructor(
    connection: OpenedParameters,
    parameters: OpenedParameters,
    tools: Tools,
    leftOut: readonly string[] = [],
  ) {
    this.#client = new SearchClient(connection, tools)
    this.#pattern = String(parameters.index_pattern)
    this.#selection = {
      dateField: textAt(parameters, 'datetime') ?? '@timestamp',
      startTime: textAt(parameters, 'start_time') ?? '',
      endTime: textAt(parameters, 'end_time') ?? '',
      filter: textAt(parameters, 'filter') ?? '',
      source: (textAt(parameters, '_source') ?? '')
        .split(',')
        .map((field) => field.trim())
        .filter((field) => field !== ''),
      leftOut,
    }
    const indexedField = String(parameters.indexed_field ?? INDEXED_FIELD).trim()
    this.#indexedField = indexedField === this.#selection.dateField ? '' : indexedField
    this.#batch = Number(parameters.batch_size ?? BATCH_STANDARD)
    this.#size = this.#batch
    this.#sizeMax = this.#batch
    this.#lookbackMs = Number(parameters.lookback_seconds ?? LOOKBACK_STANDARD_SECONDS) * 1_000
    this.#preserveId = parameters.preserve_id === true
    const { dateField, startTime, filter } = this.#selection
    this.#fingerprint = JSON.stringify([this.#pattern, dateField, startTime, filter])
    this.#nowMs = () => Math.floor(tools.clock.nowMicros() / 1_000)
  }

  async poll(checkpoint: unknown, signal: AbortSignal): Promise<SourcePiece> {
    try {
      return await this.#poll(checkpoint as Checkpoint | null, signal)
    } catch (error) {
      throw sourceFailureOfError(error)
    }
  }

  async close(): Promise<void> {
    this.#client.close()
  }

  async #poll(checkpoint: Checkpoint | null, signal: AbortSignal): Promise<SourcePiece> {
    this.#begin(checkpoint)
    await this.#lookAtFields(signal)
    const [task] = this.#tasks
    this.#isTasksTurn = !this.#isTasksTurn && task !== undefined
    if (this.#isTasksTurn && task !== undefined) {
      const hits = task.kind === 'span' ? await this.#readSpan(task, signal) : await this.#readIndexed(task, signal)
      return this.#piece(hits, true)
    }
    const bound = this.#nowMs() + SLACK_MS
    const request = { order: this.#selection.dateField, place: this.#place, within: { toMs: bound } }
    const { hits, isFull } = await this.#page(request, signal)
    const fresh = hits.filter((hit) => this.#given(hit))
    if (hits.length > 0) this.#place = placeBehind(hits, this.#place)
    this.#isBehind = isFull
    try {
      if (this.#nowMs() >= this.#countedMs + STEP_MS) await this.#count(bound, isFull, signal)
    } catch (error) {
      // The documents of the page are read. The next poll counts again, and fails if there is nothing else.
      if (hits.length === 0) throw error
    }
    return this.#piece(fresh, isFull || this.#tasks.length > 0)
  }

  /** Takes the state out of a checkpoint, unless it is the one that the last piece had. */
  #begin(checkpoint: Checkpoint | null): void {
    const text = JSON.stringify(checkpoint)
    if (text === this.#of) return
    this.#of = text
    const known = checkpoint?.selection === this.#fingerprint ? checkpoint : null
    this.#place = known?.place ?? null
    this.#near.clear()
    this.#far.clear()
    this.#passedNames.clear()
    this.#remembered = 0
    this.#tasks = []
    this.#countedMs = Number.NEGATIVE_INFINITY
    for (const [at, count] of known?.given?.counts.entries() ?? []) {
      const fromMs = (known?.given?.from ?? 0) + at * STEP_MS
      if (count > 0) this.#near.set(fromMs, counted({ fromMs, toMs: fromMs + STEP_MS }, count))
    }
    for (const [fromMs, count] of known?.far ?? [])
      this.#far.set(fromMs, counted({ fromMs, toMs: fromMs + DAY_MS }, count))
    const { indexed } = known ?? {}
    this.#indexedThroughMs = indexed?.field === this.#indexedField ? indexed.throughMs : null
  }

  #piece(hits: readonly Hit[], more: boolean): SourcePiece {
    const checkpoint: Checkpoint = {
      selection: this.#fingerprint,
      place: this.#place,
      ...this.#keptCounts(),
      ...(this.#indexedThroughMs === null
        ? {}
        : { indexed: { field: this.#indexedField, throughMs: this.#indexedThroughMs } }),
    }
    this.#of = JSON.stringify(checkpoint)
    const findings = this.#findings
    this.#findings = []
    return {
      documents: hits.map((hit) => this.#document(hit)),
      checkpoint,
      more,
      state: {
        readThroughMs: this.#place?.dateMs ?? null,
        isBehind: this.#isBehind,
        remark: this.#remark(),
      },
      ...(findings.length === 0 ? {} : { findings }),
    }
  }

  #document({ id, name, source }: Hit): SourceDocument {
    return {
      id: this.#preserveId ? id : createHash('sha256').update(name).digest('base64url').slice(0, 24),
      body: source ?? NOTHING,
      ...(source === null ? { unfit: `it has more than ${PAGE_BYTES_MAX} bytes` } : {}),
    }
  }

  /** The numbers that stay valid: of spans that the place has passed, and of days to come. */
  #keptCounts(): Pick<Checkpoint, 'given' | 'far'> {
    const far = [...this.#far.values()].slice(0, FAR_KEPT_MAX).map(({ range, count }) => [range.fromMs, count] as const)
    if (this.#place === null || this.#lookbackMs === 0) return far.length === 0 ? {} : { far }
    const [from, end] = [this.#lateFromMs(this.#place), startOf(this.#place.dateMs, STEP_MS)]
    const counts: number[] = []
    for (let at = from; at <= end; at += STEP_MS) {
      const span = this.#near.get(at)
      // Documents ahead of the place may be among those of its own span.
      counts.push(span === undefined || (at === end && span.isAhead) ? 0 : span.count)
    }
    return { given: { from, counts }, ...(far.length === 0 ? {} : { far }) }
  }

  /** Where the time begins in which late documents are found by counting. No span leaves it before it is read. */
  #lateFromMs({ dateMs }: SearchPlace): number {
    let fromMs = startOf(Math.min(dateMs, this.#nowMs()) - this.#lookbackMs, STEP_MS)
    for (const task of this.#tasks) if (task.kind === 'span') fromMs = Math.min(fromMs, task.span.range.fromMs)
    return fromMs
  }

  /** Notes a document that was read in the order of dates. False if it was read before. */
  #given(hit: Hit): boolean {
    const span = this.#spanOf(this.#near, startOf(hit.dateMs, STEP_MS), STEP_MS)
    if (this.#isKnown(span, hit)) return false
    if (span.isAhead && span.names === null) {
      // Nobody knows which of its documents were read: all of them come by now.
      span.count = 0
      span.isAhead = false
    }
    span.count++
    this.#remember(span, hit)
    return true
  }

  #spanOf(spans: Map<number, SpanState>, fromMs: number, lengthMs: number): SpanState {
    let span = spans.get(fromMs)
    if (span === undefined) {
      span = { ...counted({ fromMs, toMs: fromMs + lengthMs }, 0), names: new Set() }
      spans.set(fromMs, span)
    }
    return span
  }

  #isKnown(span: SpanState, { name }: Hit): boolean {
    return span.names?.has(name) === true || this.#passedNames.has(name)
  }

  #remember(span: SpanState, { name }: Hit): void {
    if (span.names === null || span.names.has(name)) return
    span.names.add(name)
    if (++this.#remembered <= NAMES_MAX) return
    for (const other of [...this.#near.values(), ...this.#far.values()]) {
      if (this.#remembered <= NAMES_MAX / 2) break
      this.#forget(other)
    }
  }

  #forget(span: SpanState): void {
    this.#remembered -= span.names?.size ?? 0
    span.names = null
  }

  /** Counts the documents around the place and ahead of the clock. What is missing becomes tasks. */
  async #count(boundMs: number, isCatchingUp: boolean, signal: AbortSignal): Promise<void> {
    const nowMs = this.#nowMs()
    const farMs = startOf(nowMs + HOUR_MS, DAY_MS) + DAY_MS
    const place = this.#place
    const lateFromMs = place === null ? boundMs : this.#lateFromMs(place)
    this.#prune(lateFromMs, farMs)
    const ranges: DateRange[] = []
    if (place !== null && this.#lookbackMs > 0)
      ranges.push({ fromMs: lateFromMs, toMs: Math.min(place.dateMs + 1, farMs) })
    // While there is much to read, what is ahead can wait.
    if (!isCatchingUp) ranges.push({ fromMs: boundMs })
    if (ranges.length > 0) {
      const request = { ranges, stepMs: STEP_MS, farMs, farStepMs: DAY_MS }
      const query = countQuery(this.#selection, request, [...this.#silent])
      const { near, far } = countsIn(documentIn(await this.#request(this.#searched(), query, signal)))
      for (const [fromMs, wanted] of near) this.#wants(this.#spanOf(this.#near, fromMs, STEP_MS), wanted, boundMs)
      for (const [fromMs, wanted] of far) this.#wants(this.#spanOf(this.#far, fromMs, DAY_MS), wanted, boundMs)
    }
    if (
      place !== null &&
      this.#fields?.isIndexedDated === true &&
      !this.#tasks.some(({ kind }) => kind === 'indexed')
    ) {
      const overlapMs = Math.max(this.#lookbackMs / 2, STEP_MS)
      const fromMs = (this.#indexedThroughMs ?? nowMs) - overlapMs
      this.#tasks.push({ kind: 'indexed', fromMs, beganMs: nowMs, datedBeforeMs: lateFromMs, place: null })
    }
    this.#countedMs = nowMs
  }

  #wants(span: SpanState, wanted: number, boundMs: number): void {
    if (span.range.toMs > boundMs) span.isAhead = true
    if (wanted <= span.count) {
      // Documents may be deleted, too.
      span.count = wanted
      return
    }
    if (this.#nowMs() < span.restsUntilMs || this.#tasks.some((task) => task.kind === 'span' && task.span === span))
      return
    const isWhole = span.place === null || span.names === null
    this.#tasks.push({ kind: 'span', span, wanted, place: isWhole ? null : span.place, read: 0, isWhole })
  }

  #prune(lateFromMs: number, farMs: number): void {
    for (const [fromMs, span] of this.#near) {
      if (fromMs >= lateFromMs) continue
      this.#forget(span)
      this.#near.delete(fromMs)
    }
    for (const [fromMs, span] of this.#far) {
      if (fromMs >= farMs) continue
      this.#pass(span.names ?? [])
      this.#forget(span)
      this.#far.delete(fromMs)
    }
  }

  #pass(names: Iterable<string>): void {
    if (this.#passedNames.size > NAMES_MAX / 2) this.#passedNames.clear()
    for (const name of names) this.#passedNames.add(name)
  }

  /** A page of a span. */
  async #readSpan(task: Extract<Task, { kind: 'span' }>, signal: AbortSignal): Promise<Hit[]> {
    const { span, wanted } = task
    if (task.isWhole && task.read === 0 && this.#remembered < NAMES_MAX / 2) span.names ??= new Set()
    const request = { order: this.#selection.dateField, place: task.place, within: span.range }
    const { hits, isFull } = await this.#page(request, signal)
    const fresh = hits.filter((hit) => !this.#isKnown(span, hit))
    for (const hit of hits) this.#remember(span, hit)
    // Without names nobody knows which of them were counted, so such a span is read whole.
    task.read += task.isWhole ? hits.length : fresh.length
    if (hits.length > 0) task.place = placeBehind(hits, task.place)
    if (isFull) return fresh
    span.place = task.place
    span.count = task.isWhole ? task.read : span.count + task.read
    if (!task.isWhole && (span.names === null || span.count < wanted)) {
      Object.assign(task, { place: null, read: 0, isWhole: true })
      return fresh
    }
    if (task.isWhole) span.restsUntilMs = this.#nowMs() + REST_MS * task.read
    this.#tasks.shift()
    return fresh
  }

  /** A page of documents that are too late to be found by counting. */
  async #readIndexed(task: Extract<Task, { kind: 'indexed' }>, signal: AbortSignal): Promise<Hit[]> {
    const { fromMs, datedBeforeMs, beganMs, place } = task
    const request = { order: this.#indexedField, place, within: { fromMs }, datedBeforeMs }
    const { hits, isFull } = await this.#page(request, signal)
    const fresh = hits.filter(({ name }) => !this.#passedNames.has(name))
    this.#pass(hits.map(({ name }) => name))
    if (hits.length > 0) task.place = placeBehind(hits, place)
    if (!isFull) {
      this.#indexedThroughMs = beganMs
      this.#tasks.shift()
    }
    return fresh
  }

  /** A page without documents of indexes that do not store them. These are left out from then on. */
  async #page(request: Omit<PageRequest, 'size'>, signal: AbortSignal): Promise<Page> {
    for (;;) {
      const page = await this.#tryPage({ ...request, size: this.#size }, signal)
      if (page === null) continue
      const without = page.hits.filter(({ source }) => source === undefined).map(({ index }) => index)
      if (without.length === 0) return page
      for (const index of without) this.#silent.add(index)
      this.#leftOut(without, 'it does not store its documents (_source)')
      if (!this.#hasOthers()) throw new SourceFailure(silentReason([...this.#silent]), 0, 'set_up')
    }
  }

  /** There may be an index that can be read. */
  #hasOthers(): boolean {
    if (this.#fields === null) return true
    const { indexes, without, otherwise } = this.#fields
    return indexes.some((index) => !this.#silent.has(index) && !without.includes(index) && !otherwise.includes(index))
  }

  /** Null where the page was too large for the search engine or for us: the next one is smaller. */
  async #tryPage(request: PageRequest, signal: AbortSignal): Promise<Page | null> {
    const { size } = request
    const query = pageQuery(this.#selection, request, [...this.#silent])
    try {
      const answer = await this.#send(query, signal)
      const [, window] = (answer.status === 400 ? WINDOW.exec(answer.body.toString()) : null) ?? []
      if (window === undefined) {
        const hits = hitsIn(parsePage(mustSucceed(answer).body))
        if (answer.body.length < PAGE_BYTES_MAX / 4) this.#size = Math.min(this.#sizeMax, 2 * size)
        return { hits, isFull: hits.length >= size }
      }
      if (size <= 1) throw new HttpFailure('an index allows no pages: its max_result_window is too small')
      this.#size = this.#sizeMax = Math.max(1, Math.min(size - 1, Number(window)))
      return null
    } catch (error) {
      // An answer that takes too long may be too large, too.
      if (error instanceof HttpFailure && error.connected) this.#size = Math.ceil(size / 2)
      if (!(error instanceof AnswerTooLong)) throw error
      if (size > 1) return null
      const hits = hitsIn(parsePage(mustSucceed(await this.#send({ ...query, _source: false }, signal)).body))
      return { hits: hits.map((hit) => ({ ...hit, source: null })), isFull: hits.length >= 1 }
    }
  }

  #send(query: object, signal: AbortSignal): Promise<HttpAnswer> {
    const body = JSON.stringify(query)
    return this.#client.send({ path: this.#searched(), body, signal, answerBytesMax: PAGE_BYTES_MAX })
  }

  /** @throws SourceFailure. */
  async #request(path: string, body: object, signal: AbortSignal): Promise<HttpAnswer> {
    return mustSucceed(await this.#client.send({ path, body: JSON.stringify(body), signal }))
  }

  /** The path of searches: the pattern without the indexes where the date field is no date. */
  #searched(): string {
    const wrong = this.#fields?.otherwise ?? []
    if (wrong.length === 0) return searchPath(this.#pattern)
    if (this.#pattern.includes('*')) return searchPath([this.#pattern, ...wrong.map((index) => `-${index}`)].join(','))
    return searchPath(this.#fields!.indexes.filter((index) => !wrong.includes(index)).join(',') || this.#pattern)
  }

  /** Looks which indexes have the date field. A search engine that does not say so is read as it is. */
  async #lookAtFields(signal: AbortSignal): Promise<void> {
    const nowMs = this.#nowMs()
    if (nowMs >= this.#fieldsMs && nowMs < this.#fieldsMs + FIELDS_MS) return
    this.#fieldsMs = nowMs
    const { dateField } = this.#selection
    const fields = [dateField, ...(this.#indexedField === '' ? [] : [this.#indexedField])]
    try {
      const answer = await this.#request(fieldsPath(this.#pattern, fields), {}, signal)
      this.#fields = fieldsIn(documentIn(answer), dateField, this.#indexedField)
    } catch (error) {
      if (!(error instanceof SourceFailure || error instanceof HttpFailure)) throw error
      return
    }
    this.#leftOut(this.#fields.without, `it has no field ${dateField}`)
    this.#leftOut(this.#fields.otherwise, `its field ${dateField} is no date`)
  }

  /** Tells of indexes that are left out, each once a day. */
  #leftOut(indexes: readonly string[], reason: string): void {
    for (const index of indexes) {
      if (this.#nowMs() < (this.#told.get(index) ?? Number.NEGATIVE_INFINITY) + TOLD_MS) continue
      this.#told.set(index, this.#nowMs())
      this.#findings.push({ kind: 'skipped_index', field: index, count: 1, example: `${index}: ${reason}` })
    }
  }

  /** What people should know while the input works; '' for nothing. */
  #remark(): string {
    const remarks: string[] = []
    const { dateField } = this.#selection
    if (this.#fields !== null) {
      const { indexes, without, otherwise } = this.#fields
      if (indexes.length === 0) remarks.push(`no index matches ${this.#pattern} yet`)
      if (without.length > 0) remarks.push(`not read, because there is no field ${dateField}: ${named(without)}`)
      if (otherwise.length > 0) remarks.push(`not read, because ${dateField} is no date: ${named(otherwise)}`)
    }
    if (this.#silent.size > 0) remarks.push(silentReason([...this.#silent]))
    const ahead = [...this.#far.values()].reduce((sum, { count }) => sum + count, 0)
    if (ahead > 0) remarks.push(`${ahead} documents are dated tomorrow or later; they were read`)
    return remarks.join('; ')
  }
}

function silentReason(indexes: readonly string[]): string {
  return `not read, because documents are not stored (_source is disabled): ${named(indexes)}`
}

function named(indexes: readonly string[]): string {
  const more = indexes.length - NAMED_MAX
  return indexes.slice(0, NAMED_MAX).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function mustSucceed(answer: HttpAnswer): HttpAnswer {
  const outcome = outcomeOf(answer)
  if (outcome.outcome !== 'delivered') throw sourceFailureOf(outcome)
  return answer
}

/** A span of which `count` documents were read, whose names nobody knows. */
function counted(range: SpanState['range'], count: number): SpanState {
  return { range, count, names: null, isAhead: false, place: null, restsUntilMs: 0 }
}

function startOf(dateMs: number, lengthMs: number): number {
  return Math.floor(dateMs / lengthMs) * lengthMs
}

/** The place of the last of these hits. They follow the place `before`. */
function placeBehind(hits: readonly Hit[], before: SearchPlace | null): SearchPlace {
  const { dateMs, seqNo } = hits.at(-1) as Hit
  const same = hits.filter((hit) => hit.dateMs === dateMs && hit.seqNo === seqNo).map(({ name }) => name)
  const isSame = before !== null && before.dateMs === dateMs && before.seqNo === seqNo
  return { dateMs, seqNo, names: isSame ? [...before.names, ...same] : same }
}
