/**
 * Writes decisions back to the documents from which events were read, whatever index they are in.
 *
 * Owns: finding the documents, and the fields that are written. Leaves out: bulk requests (search-bulk.ts).
 *
 * 1. The id of an event is the `_id` of its document (input with `preserve_id`). Without such a document the event is
 *    refused.
 * 2. One object, named like the service, is written; the rest of the document stays. Writing it again changes nothing.
 */
import { isoMicros } from '../../clock.js'
import type { DecidedEvent, Outcome, OpenedParameters, Outgoing, Sink, Tools } from '../contract.js'
import { HttpFailure } from '../http/http-client.js'
import { outcomeOfError } from '../http/http-kind.js'
import { outcomesOfAll, sendBulk } from './search-bulk.js'
import { documentIn, SearchClient } from './search-client.js'
import { searchPath } from './search-query.js'

const BATCH_MAX = 500
/** Tries of the search engine if another client writes the same document. */
const CONFLICTS_MAX = 3

const notFound: Outcome = { outcome: 'refused', reason: 'the indexes have no document with the id of the event' }

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

  constructor(connection: OpenedParameters, indexPattern: string, tools: Tools) {
    this.#client = new SearchClient(connection, tools)
    this.#path = searchPath(indexPattern)
  }

  async deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Outcome[]> {
    try {
      const query = {
        size: 2 * items.length,
        _source: false,
        query: { ids: { values: items.map(({ event }) => event.eventId) } },
      }
      const answer = await this.#client.send({ path: this.#path, body: JSON.stringify(query), signal })
      return outcomesOfAll(answer, items.length) ?? (await this.#write(items, indexesIn(documentIn(answer)), signal))
    } catch (error) {
      return new Array<Outcome>(items.length).fill(outcomeOfError(error))
    }
  }

  async close(): Promise<void> {
    this.#client.close()
  }

  async #write(
    items: readonly Outgoing[],
    indexes: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<Outcome[]> {
    const found = items.filter(({ event }) => indexes.has(event.eventId))
    if (found.length === 0) return items.map(() => notFound)
    const lines = found.map(({ event }) => {
      const action = {
        update: { _index: indexes.get(event.eventId), _id: event.eventId, retry_on_conflict: CONFLICTS_MAX },
      }
      return `${JSON.stringify(action)}\n${JSON.stringify({ doc: { [event.serviceName]: decisionOf(event) } })}\n`
    })
    const outcomes = await sendBulk(
      this.#client,
      { lines: lines.join(''), count: found.length, hasOwnIndex: true },
      signal,
    )
    return items.map((item) => outcomes[found.indexOf(item)] ?? notFound)
  }
}

/** The index of each document, by its id. @throws HttpFailure if the answer is not that of a search. */
function indexesIn(document: Record<string, unknown>): Map<string, string> {
  const { hits } = (document.hits ?? {}) as { hits?: unknown }
  if (!Array.isArray(hits)) throw new HttpFailure('the answer is not that of a search')
  return new Map(hits.map(({ _id: id, _index: index }: { _id: string; _index: string }) => [id, index]))
}
