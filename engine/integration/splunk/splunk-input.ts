/**
 * Splunk as input: events in the order in which they were indexed, from a place that survives restarts.
 *
 * Owns: the pages, the width of the searched time span, and late events. Leaves out: searches (splunk-query.ts),
 * turning documents into events.
 *
 * 1. A second is read `settle_seconds` after its end, because Splunk may still index events in it.
 * 2. An event may become visible late, before the place. For the last `lookback_seconds` the number of events per ten
 *    seconds is known. If there are more now, these seconds are read again. After a restart all of that time is read
 *    again.
 * 3. The id of an event is made of the place where it is stored, or is a field of it. So an event that is read twice is
 *    the same event (S6).
 */
import { createHash } from 'node:crypto'
import type { OpenedParameters, Source, SourceDocument, SourcePiece, Tools } from '../contract.js'
import { SourceFailure } from '../contract.js'
import { isoMicros } from '../../clock.js'
import { fittingId, idText } from '../../domain/event/client-id.js'
import { timeOf } from '../../domain/event/event-time.js'
import { writeJson } from '../../domain/event/json.js'
import { millisIn } from '../dates.js'
import { HttpFailure } from '../http/http-client.js'
import { textAt } from '../http/http-kind.js'
import { SplunkClient, type SplunkSearch } from './splunk-client.js'
import {
  countsIn,
  countSearch,
  eventsIn,
  pageSearch,
  type SplunkEvent,
  type SplunkPlace,
  type SplunkSelection,
} from './splunk-query.js'

export const BATCH_STANDARD = 1_000
export const BATCH_MAX = 10_000
/** So far may the clocks of indexers be behind ours. */
export const LOOKBACK_STANDARD_SECONDS = 600
const STEP = 10
/** The widest and the narrowest span of one search, seconds. */
const SPAN_MAX = 86_400
const SPAN_MIN = 10
/** Internal fields of Splunk, and our own. */
const inner: ReadonlySet<string> = new Set([
  'ds_key',
  'ds_indexed',
  '_kv',
  '_serial',
  '_si',
  '_bkt',
  '_cd',
  '_subsecond',
])

interface Checkpoint {
  /** Identifies the selection: a place is only valid for the same events. */
  readonly selection: string
  readonly place: SplunkPlace
  /** The second in which the input began. */
  readonly start: number
}

export class SplunkInput implements Source {
  readonly pollMs: number
  readonly #client: SplunkClient
  readonly #selection: SplunkSelection
  readonly #batch: number
  readonly #settle: number
  readonly #lookback: number
  #start: number
  readonly #idField: string | undefined
  readonly #nowSeconds: () => number
  #span = SPAN_MIN
  /** Events read in each step of ten seconds, by its start. */
  readonly #given = new Map<number, number>()
  #countedAt = 0
  /** The step that is read again. */
  #again: { from: number; place: SplunkPlace; count: number } | null = null

  constructor(connection: OpenedParameters, parameters: OpenedParameters, tools: Tools) {
    this.#client = new SplunkClient(connection, tools)
    this.#nowSeconds = () => Math.floor(tools.clock.nowMicros() / 1e6)
    this.#selection = {
      search: String(parameters.search).replace(/^\s*search\s+/i, ''),
      ageSeconds: Number(parameters.max_event_age_hours ?? 24) * 3_600,
    }
    this.#batch = Number(parameters.batch_size ?? BATCH_STANDARD)
    this.#settle = Number(parameters.settle_seconds ?? 5)
    this.#lookback = Number(parameters.lookback_seconds ?? LOOKBACK_STANDARD_SECONDS)
    this.#idField = textAt(parameters, 'id_field')
    const start = textAt(parameters, 'start_time')
    this.#start = start === undefined ? this.#nowSeconds() : Math.floor((millisIn(start) ?? 0) / 1_000)
    this.pollMs = Number(parameters.poll_seconds ?? 5) * 1_000
  }

  async poll(checkpoint: unknown, signal: AbortSignal): Promise<SourcePiece> {
    const known = checkpoint as Checkpoint | null
    const isKnown = known?.selection === this.#selection.search
    if (isKnown) this.#start = known.start
    const place = isKnown ? known.place : { from: this.#start, key: '' }
    const end = this.#nowSeconds() - this.#settle
    if (place.from >= end) return this.#piece(await this.#late(place, signal), place, this.#again !== null)
    const to = Math.min(end, place.from + this.#span)
    const events = await this.#page(pageSearch(this.#selection, place, to, this.#batch), signal)
    this.#count(events)
    const last = events.at(-1)
    const isFull = events.length >= this.#batch && last !== undefined
    this.#span = isFull ? Math.max(SPAN_MIN, Math.floor(this.#span / 2)) : Math.min(SPAN_MAX, 2 * this.#span)
    if (events.length === 0 && to === end) {
      const next = { from: to, key: '' }
      return this.#piece(await this.#late(next, signal), next, this.#again !== null)
    }
    return this.#piece(
      events,
      isFull ? { from: last.indexed, key: last.key } : { from: to, key: '' },
      isFull || to < end,
    )
  }

  async close(): Promise<void> {
    this.#client.close()
  }

  #piece(events: readonly SplunkEvent[], place: SplunkPlace, more: boolean): SourcePiece {
    const checkpoint: Checkpoint = { selection: this.#selection.search, place, start: this.#start }
    const findings = events.flatMap(({ row }) => row.findings)
    return { documents: events.map((event) => this.#document(event)), checkpoint, more, findings }
  }

  #document({ key, row: { fields, unfit } }: SplunkEvent): SourceDocument {
    const document: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(fields)) if (!inner.has(name)) document[name] = value
    document['@timestamp'] ??= timestampOf(fields._time)
    const own = this.#idField === undefined ? null : idText(fields[this.#idField])
    const id = own === null ? createHash('sha256').update(key).digest('base64url').slice(0, 24) : fittingId(own)
    if (unfit !== undefined) return { id, body: unfit.line, unfit: unfit.reason }
    return { id, body: Buffer.from(writeJson(document), 'utf8') }
  }

  #count(events: readonly SplunkEvent[]): void {
    for (const { indexed } of events) this.#given.set(stepOf(indexed), (this.#given.get(stepOf(indexed)) ?? 0) + 1)
  }

  /** Late events: a page of the first step that has more events than were read. */
  async #late({ from: end }: SplunkPlace, signal: AbortSignal): Promise<SplunkEvent[]> {
    if (this.#again === null) {
      const from = Math.max(stepOf(end - this.#lookback), stepOf(this.#start + STEP - 1))
      if (this.#lookback === 0 || from >= end || this.#nowSeconds() - this.#countedAt < STEP) return []
      this.#countedAt = this.#nowSeconds()
      for (const step of this.#given.keys()) if (step < from) this.#given.delete(step)
      const counts = countsIn(await this.#search(countSearch(this.#selection, from, end, STEP), signal))
      const more = [...counts]
        .filter(([step, count]) => count > (this.#given.get(step) ?? 0))
        .sort(([a], [b]) => a - b)[0]
      if (more === undefined) return []
      // Another step may have late events too: the next poll counts again.
      this.#countedAt = 0
      this.#again = { from: more[0], place: { from: more[0], key: '' }, count: 0 }
    }
    const again = this.#again
    const events = await this.#page(
      pageSearch(this.#selection, again.place, Math.min(again.from + STEP, end), this.#batch),
      signal,
    )
    again.count += events.length
    const last = events.at(-1)
    if (last !== undefined) again.place = { from: last.indexed, key: last.key }
    if (events.length < this.#batch) {
      this.#given.set(again.from, Math.max(again.count, this.#given.get(again.from) ?? 0))
      this.#again = null
    }
    return events
  }

  async #page(search: SplunkSearch, signal: AbortSignal): Promise<SplunkEvent[]> {
    try {
      return eventsIn(await this.#search(search, signal))
    } catch (error) {
      throw error instanceof HttpFailure ? new SourceFailure(error.message) : error
    }
  }

  #search(search: SplunkSearch, signal: AbortSignal): Promise<Awaited<ReturnType<SplunkClient['search']>>> {
    return this.#client.search(search, signal)
  }
}

function stepOf(seconds: number): number {
  return Math.floor(seconds / STEP) * STEP
}

/** The timestamp of `_time`, which is a date or seconds since 1970. */
function timestampOf(time: unknown): string | undefined {
  const micros = timeOf(time)
  return micros === null ? undefined : isoMicros(micros)
}
