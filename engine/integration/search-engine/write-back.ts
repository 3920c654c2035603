/**
 * Decisions written back to the documents that events were read from, in whichever of many indexes they are.
 *
 * Owns: finding the documents, and what is written. Leaves out: bulk requests (search-bulk.ts).
 *
 * 1. An event's id is its document's `_id` (input with `preserve_id`); without such a document the event is refused.
 * 2. What is written is one object, named like the service; nothing else of the document is touched. Writing it again changes
 *    nothing.
 */
import { isoMicros } from '../../clock.js'
import type { DecidedEvent, Fate, Opened, Outgoing, Sink, Tools } from '../contract.js'
import { HttpFailure } from '../http/http-client.js'
import { fateOfError } from '../http/http-kind.js'
import { fatesOfAll, sendBulk } from './search-bulk.js'
import { documentIn, SearchClient } from './search-client.js'
import { searchPath } from './search-query.js'

const BATCH_MAX = 500
/** Tries of the search engine itself where somebody else writes the same document. */
const CONFLICTS_MAX = 3

const notThere: Fate = { fate: 'refused', reason: 'the indexes have no document with the id of the event' }

function decisionOf(event: DecidedEvent): Record<string, unknown> {
  return {
    event_id: event.eventId,
    job_id: event.jobId,
    job_title: event.jobTitle,
    result: event.result,
    result_label: event.resultLabel,
    confidence_score: event.confidenceScore,
    outlier: event.outlier,
    timestamp_inference: isoMicros(event.ingestMicros),
    ...(event.bucketId === null ? {} : { bucket_id: event.bucketId }),
  }
}

export class WriteBack implements Sink {
  readonly batchMax = BATCH_MAX
  readonly #client: SearchClient
  readonly #path: string

  constructor(connection: Opened, indexPattern: string, tools: Tools) {
    this.#client = new SearchClient(connection, tools)
    this.#path = searchPath(indexPattern)
  }

  async deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Fate[]> {
    try {
      const query = {
        size: 2 * items.length,
        _source: false,
        query: { ids: { values: items.map(({ event }) => event.eventId) } },
      }
      const answer = await this.#client.send('POST', this.#path, JSON.stringify(query), signal)
      return fatesOfAll(answer, items.length) ?? (await this.#write(items, indexesIn(documentIn(answer)), signal))
    } catch (error) {
      return new Array<Fate>(items.length).fill(fateOfError(error))
    }
  }

  async close(): Promise<void> {
    this.#client.close()
  }

  async #write(items: readonly Outgoing[], indexes: ReadonlyMap<string, string>, signal: AbortSignal): Promise<Fate[]> {
    const there = items.filter(({ event }) => indexes.has(event.eventId))
    if (there.length === 0) return items.map(() => notThere)
    const lines = there.map(({ event }) => {
      const action = {
        update: { _index: indexes.get(event.eventId), _id: event.eventId, retry_on_conflict: CONFLICTS_MAX },
      }
      return `${JSON.stringify(action)}\n${JSON.stringify({ doc: { [event.serviceName]: decisionOf(event) } })}\n`
    })
    const fates = await sendBulk(this.#client, lines.join(''), there.length, signal)
    return items.map((item) => fates[there.indexOf(item)] ?? notThere)
  }
}

/** The index that each id was found in. @throws HttpFailure where the answer is not that of a search. */
function indexesIn(document: Record<string, unknown>): Map<string, string> {
  const { hits } = (document.hits ?? {}) as { hits?: unknown }
  if (!Array.isArray(hits)) throw new HttpFailure('an answer that is not that of a search')
  return new Map(hits.map(({ _id: id, _index: index }: { _id: string; _index: string }) => [id, index]))
}
