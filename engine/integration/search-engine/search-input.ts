/**
 * A search engine as input: documents in the order of their date, from a place that survives restarts.
 *
 * Owns: the pages, and late documents. Leaves out: queries (search-query.ts), turning documents into events.
 *
 * 1. Every document behind the place is read, however many have the same date (search-query.ts).
 * 2. A document may become visible late, before the place: it was written late, or its shard was slower. For the last
 *    `lookback_seconds` the number of documents per five seconds is known. If there are more now, these seconds are
 *    read again. After a restart the numbers are unknown, so all of that time is read again.
 * 3. A document that is read twice has the same id, so it is the same event (S6).
 */
import { createHash } from 'node:crypto'
import type { OpenedParameters, Source, SourceDocument, SourcePiece, Tools } from '../contract.js'
import { SourceFailure } from '../contract.js'
import { HostRefused } from '../http/host-policy.js'
import { HttpFailure, type HttpAnswer } from '../http/http-client.js'
import { outcomeOf, textAt } from '../http/http-kind.js'
import { documentIn, SearchClient } from './search-client.js'
import { parsePage } from './search-page.js'
import {
  countsIn,
  countsWithin,
  hitsIn,
  pageFrom,
  pageWithin,
  searchPath,
  type Hit,
  type SearchPlace,
  type SearchSelection,
} from './search-query.js'

export const BATCH_STANDARD = 1_000
export const BATCH_MAX = 10_000
export const LOOKBACK_STANDARD_SECONDS = 60
export const LOOKBACK_SECONDS_MAX = 3_600
const PAGE_BYTES_MAX = 64 * 1024 * 1024
/** The length of one span in which documents are counted, and the shortest interval between two counts. */
const STEP_MS = 5_000

/** The stored progress. */
interface Checkpoint {
  /** Identifies the selection: a place is only valid for the same documents. */
  readonly selection: string
  readonly place: SearchPlace | null
}

export class SearchInput implements Source {
  readonly pollMs = 1_000
  readonly #client: SearchClient
  readonly #path: string
  readonly #selection: SearchSelection
  readonly #batch: number
  readonly #lookbackMs: number
  readonly #preserveId: boolean
  readonly #fingerprint: string
  readonly #nowMs: () => number
  /** Documents read in each span, by its start. */
  readonly #given = new Map<number, number>()
  #countedMs = 0
  /** The span that is read again. */
  #again: { readonly from: number; readonly to: number; place: SearchPlace | null; count: number } | null = null

  /** `leftOut` names fields of documents that are never read. */
  constructor(
    connection: OpenedParameters,
    parameters: OpenedParameters,
    tools: Tools,
    leftOut: readonly string[] = [],
  ) {
    this.#client = new SearchClient(connection, tools)
    const pattern = String(parameters.index_pattern)
    this.#path = searchPath(pattern)
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
    this.#batch = Number(parameters.batch_size ?? BATCH_STANDARD)
    this.#lookbackMs = Number(parameters.lookback_seconds ?? LOOKBACK_STANDARD_SECONDS) * 1_000
    this.#preserveId = parameters.preserve_id === true
    const { dateField, startTime, filter } = this.#selection
    this.#fingerprint = JSON.stringify([pattern, dateField, startTime, filter])
    this.#nowMs = () => Math.floor(tools.clock.nowMicros() / 1_000)
  }

  async poll(checkpoint: unknown, signal: AbortSignal): Promise<SourcePiece> {
    try {
      return await this.#poll(checkpoint, signal)
    } catch (error) {
      throw error instanceof HttpFailure || error instanceof HostRefused ? new SourceFailure(error.message) : error
    }
  }

  async close(): Promise<void> {
    this.#client.close()
  }

  async #poll(checkpoint: unknown, signal: AbortSignal): Promise<SourcePiece> {
    const known = checkpoint as Checkpoint | null
    const place = known?.selection === this.#fingerprint ? known.place : null
    const hits = (await this.#page(pageFrom(this.#selection, place, this.#batch), signal)).filter(
      ({ name }) => !place?.names.includes(name),
    )
    if (hits.length > 0) {
      const next = placeBehind(hits, place)
      this.#count(hits, next)
      return this.#piece(hits, next, hits.length >= this.#batch)
    }
    return this.#piece(place === null ? [] : await this.#late(place, signal), place, false)
  }

  #piece(hits: readonly Hit[], place: SearchPlace | null, more: boolean): SourcePiece {
    const checkpoint: Checkpoint = { selection: this.#fingerprint, place }
    return { documents: hits.map((hit) => this.#document(hit)), checkpoint, more }
  }

  #document({ id, name, source }: Hit): SourceDocument {
    return {
      id: this.#preserveId ? id : createHash('sha256').update(name).digest('base64url').slice(0, 24),
      body: source,
    }
  }

  #count(hits: readonly Hit[], { dateMs }: SearchPlace): void {
    for (const hit of hits) this.#given.set(spanOf(hit.dateMs), (this.#given.get(spanOf(hit.dateMs)) ?? 0) + 1)
    const oldest = spanOf(dateMs - this.#lookbackMs)
    if (this.#given.size <= 2 * (this.#lookbackMs / STEP_MS + 2)) return
    for (const span of this.#given.keys()) if (span < oldest) this.#given.delete(span)
  }

  /** Late documents: a page of the first span that has more documents than were read. */
  async #late(place: SearchPlace, signal: AbortSignal): Promise<Hit[]> {
    if (this.#again === null) {
      if (this.#lookbackMs === 0 || this.#nowMs() < this.#countedMs + STEP_MS) return []
      const [from, to] = [spanOf(place.dateMs - this.#lookbackMs), place.dateMs + 1]
      const counts = countsIn(documentIn(await this.#request(countsWithin(this.#selection, from, to, STEP_MS), signal)))
      const more = [...counts].find(([span, count]) => count > (this.#given.get(span) ?? 0))
      if (more === undefined) {
        this.#countedMs = this.#nowMs()
        return []
      }
      this.#again = { from: more[0], to: Math.min(more[0] + STEP_MS, to), place: null, count: 0 }
    }
    const span = this.#again
    const names = span.place?.names ?? []
    const page = await this.#page(
      pageWithin(this.#selection, { fromMs: span.from, toMs: span.to }, span.place, this.#batch),
      signal,
    )
    const hits = page.filter(({ name }) => !names.includes(name))
    span.count += hits.length
    if (hits.length > 0) span.place = placeBehind(hits, span.place)
    if (hits.length < this.#batch) {
      this.#given.set(span.from, span.count)
      this.#again = null
    }
    return hits
  }

  async #page(query: Record<string, unknown>, signal: AbortSignal): Promise<Hit[]> {
    return hitsIn(parsePage((await this.#request(query, signal)).body))
  }

  /** @throws SourceFailure. */
  async #request(query: Record<string, unknown>, signal: AbortSignal): Promise<HttpAnswer> {
    const answer = await this.#client.send({
      path: this.#path,
      body: JSON.stringify(query),
      signal,
      answerBytesMax: PAGE_BYTES_MAX,
    })
    const outcome = outcomeOf(answer)
    if (outcome.outcome !== 'delivered')
      throw new SourceFailure(outcome.reason, outcome.outcome === 'failed' ? outcome.retryAfterMs : 0)
    return answer
  }
}

function spanOf(dateMs: number): number {
  return Math.floor(dateMs / STEP_MS) * STEP_MS
}

/** The place of the last of these hits. They follow the place `before`. */
function placeBehind(hits: readonly Hit[], before: SearchPlace | null): SearchPlace {
  const { dateMs, seqNo } = hits.at(-1) as Hit
  const same = hits.filter((hit) => hit.dateMs === dateMs && hit.seqNo === seqNo).map(({ name }) => name)
  const isSame = before !== null && before.dateMs === dateMs && before.seqNo === seqNo
  return { dateMs, seqNo, names: isSame ? [...before.names, ...same] : same }
}
