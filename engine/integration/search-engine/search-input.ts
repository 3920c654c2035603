/**
 * A search engine as input: documents in the order of their date, from a place that survives restarts.
 *
 * Owns: the pages, and documents that come in late. Leaves out: questions (search-query.ts), what becomes of documents.
 *
 * 1. Every document behind the place is read, however many have the same date (search-query.ts).
 * 2. A document that becomes visible behind the place (written late, or by a shard that was slower) is noticed by its
 *    number: for `lookback_seconds` behind the place it is known how many documents each few seconds have given; where
 *    there are more now, they are read again. After a restart nothing is known, and all of that time is read again.
 * 3. What is read twice has the same id, so it is the same event (S6).
 */
import { createHash } from 'node:crypto'
import type { Opened, Source, SourceDocument, SourcePiece, Tools } from '../contract.js'
import { SourceFailure } from '../contract.js'
import { HostRefused } from '../http/host-policy.js'
import { HttpFailure, type HttpAnswer } from '../http/http-client.js'
import { fateOf, textAt } from '../http/http-kind.js'
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
/** Documents are counted by so long spans, and counted at most so often. */
const STEP_MS = 5_000

/** What is written down of how far it is. */
interface Checkpoint {
  /** Of what it reads: a place in other documents means nothing. */
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
  /** How many documents each span has given, by its beginning. */
  readonly #given = new Map<number, number>()
  #countedMs = 0
  /** The span that is being read again. */
  #again: { readonly from: number; readonly to: number; place: SearchPlace | null; count: number } | null = null

  /** `leftOut` names fields of documents that are never read. */
  constructor(connection: Opened, parameters: Opened, tools: Tools, leftOut: readonly string[] = []) {
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

  /** Documents that have become visible behind the place: a page of those of the first span that has more than it gave. */
  async #late(place: SearchPlace, signal: AbortSignal): Promise<Hit[]> {
    if (this.#again === null) {
      if (this.#lookbackMs === 0 || this.#nowMs() < this.#countedMs + STEP_MS) return []
      const [from, to] = [spanOf(place.dateMs - this.#lookbackMs), place.dateMs + 1]
      const counts = countsIn(documentIn(await this.#ask(countsWithin(this.#selection, from, to, STEP_MS), signal)))
      const more = [...counts].find(([span, count]) => count > (this.#given.get(span) ?? 0))
      if (more === undefined) {
        this.#countedMs = this.#nowMs()
        return []
      }
      this.#again = { from: more[0], to: Math.min(more[0] + STEP_MS, to), place: null, count: 0 }
    }
    const span = this.#again
    const names = span.place?.names ?? []
    const page = await this.#page(pageWithin(this.#selection, span.from, span.to, span.place, this.#batch), signal)
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
    return hitsIn(parsePage((await this.#ask(query, signal)).body))
  }

  /** @throws SourceFailure. */
  async #ask(query: Record<string, unknown>, signal: AbortSignal): Promise<HttpAnswer> {
    const answer = await this.#client.send('POST', this.#path, JSON.stringify(query), signal, PAGE_BYTES_MAX)
    const fate = fateOf(answer)
    if (fate.fate !== 'delivered') throw new SourceFailure(fate.reason, fate.fate === 'failed' ? fate.retryAfterMs : 0)
    return answer
  }
}

function spanOf(dateMs: number): number {
  return Math.floor(dateMs / STEP_MS) * STEP_MS
}

/** The place of the last of these hits, which follow `before`. */
function placeBehind(hits: readonly Hit[], before: SearchPlace | null): SearchPlace {
  const { dateMs, seqNo } = hits.at(-1) as Hit
  const same = hits.filter((hit) => hit.dateMs === dateMs && hit.seqNo === seqNo).map(({ name }) => name)
  const isSame = before !== null && before.dateMs === dateMs && before.seqNo === seqNo
  return { dateMs, seqNo, names: isSame ? [...before.names, ...same] : same }
}
