/**
 * A search engine as output: events with their decisions, written in bulk.
 *
 * 1. A document's id is made of job and event: writing it again replaces it by itself.
 * 2. Each document has a fate of its own: what the engine refuses (its mapping, say) never holds up the others.
 */
import { isoMicros } from '../../clock.js'
import type { DecidedEvent, Fate, Opened, Outgoing, Sink, Tools } from '../contract.js'
import { HttpFailure } from '../http-client.js'
import { fateOf, fateOfError, textAt } from '../http-kind.js'
import { fill } from '../template.js'
import { documentIn, reasonOf, SearchClient } from './search-client.js'

const BATCH_MAX = 500
export const STANDARD_INDEX = 'decisions'

/** Names of the events' times, as clients that filter stored events know them. */
function documentOf(event: DecidedEvent): Record<string, unknown> {
  return {
    '@timestamp': isoMicros(event.ingestMicros),
    ...event.document,
    event_id: event.eventId, job_id: event.jobId, job_title: event.jobTitle, timestamp_inference: isoMicros(event.ingestMicros),
  }
}

/** The index of an event: a name with `{{job_id}}` and `{{date}}` in it, as an index can be called. */
export function indexOf(template: string, event: DecidedEvent): string {
  const dated = template.replace(/\{\{\s*date\s*\}\}/g, isoMicros(event.ingestMicros).slice(0, 10).replaceAll('-', '.'))
  return fill(dated, event).toLowerCase().replace(/[\\/*?"<>| ,#:\u0000-\u001f]+/g, '-').replace(/^[-_+.]+/, '').slice(0, 200) || STANDARD_INDEX
}

export class SearchOutput implements Sink {
  readonly batchMax = BATCH_MAX
  readonly #client: SearchClient
  readonly #index: string

  constructor(connection: Opened, parameters: Opened, tools: Tools) {
    this.#client = new SearchClient(connection, tools)
    this.#index = textAt(parameters, 'index') ?? STANDARD_INDEX
  }

  async deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Fate[]> {
    try {
      const answer = await this.#client.send('POST', '/_bulk?filter_path=errors,items.*.status,items.*.error', this.#lines(items), signal)
      const fate = fateOf(answer)
      if (fate.fate !== 'delivered') {
        // A request that is too large, or not understood, says nothing about any one of many events.
        return items.map(() => (fate.fate === 'refused' && items.length > 1 ? { fate: 'failed', reason: fate.reason, suspect: true } : fate))
      }
      return this.#fates(documentIn(answer), items.length)
    } catch (error) {
      const fate = fateOfError(error)
      return items.map(() => fate)
    }
  }

  async close(): Promise<void> {
    this.#client.close()
  }

  #lines(items: readonly Outgoing[]): string {
    let lines = ''
    for (const { event } of items) {
      const action = { index: { _index: indexOf(this.#index, event), _id: `${event.jobId}-${event.eventId}`.slice(0, 512) } }
      lines += `${JSON.stringify(action)}\n${JSON.stringify(documentOf(event))}\n`
    }
    return lines
  }

  #fates(document: Record<string, unknown>, count: number): Fate[] {
    if (document['errors'] === false) return new Array<Fate>(count).fill({ fate: 'delivered' })
    const { items } = document
    if (!Array.isArray(items) || items.length !== count) throw new HttpFailure('an answer that does not tell of every document')
    return items.map((item): Fate => {
      const { status, error } = ((item as { index?: unknown } | null)?.index ?? {}) as { status?: number; error?: unknown }
      if (status !== undefined && status >= 200 && status < 300) return { fate: 'delivered' }
      const reason = `${status ?? 'no status'}: ${reasonOf(error)}`
      if (status === 429 || status === 503) return { fate: 'failed', reason, suspect: false }
      return status !== undefined && status >= 400 && status < 500 ? { fate: 'refused', reason } : { fate: 'failed', reason, suspect: true }
    })
  }
}
