/**
 * A search engine as output: events with their decisions, written in bulk.
 *
 * 1. The id of a document consists of job and event, so writing it again replaces it.
 * 2. Each document has its own outcome: a document that the engine refuses (its mapping, say) does not block the
 *    others.
 */
import { createHash } from 'node:crypto'
import { isoMicros } from '../../clock.js'
import type { DecidedEvent, Outcome, OpenedParameters, Outgoing, Sink, Tools } from '../contract.js'
import { decidedDocument } from '../decided-document.js'
import { outcomeOfError, textAt } from '../http/http-kind.js'
import { cutUtf8 } from '../../domain/event/input/cut-text.js'
import { fill } from '../template.js'
import { sendBulk } from './search-bulk.js'
import { SearchClient } from './search-client.js'
import { writeJson } from '../../domain/event/json.js'

const BATCH_MAX = 500
const ID_BYTES_MAX = 512
export const STANDARD_INDEX = 'decisions'

/** The index of an event: the filled template, without characters that an index name may not contain. */
export function indexOf(template: string, event: DecidedEvent): string {
  const dated = template.replace(/\{\{\s*date\s*\}\}/g, isoMicros(event.ingestMicros).slice(0, 10).replaceAll('-', '.'))
  return (
    fill(dated, event)
      .toLowerCase()
      .replace(/[\\/*?"<>| ,#:\u0000-\u001f]+/g, '-')
      .replace(/^[-_+.]+/, '')
      .slice(0, 200) || STANDARD_INDEX
  )
}

/** The id of an event's document. A longer one than engines take keeps its beginning, and is told by its hash. */
function documentId({ jobId, eventId }: DecidedEvent): string {
  const id = `${jobId}-${eventId.toWellFormed()}`
  if (Buffer.byteLength(id) <= ID_BYTES_MAX) return id
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 32)
  return `${cutUtf8(id, ID_BYTES_MAX - hash.length - 1, '')}-${hash}`
}

export class SearchOutput implements Sink {
  readonly batchMax = BATCH_MAX
  readonly #client: SearchClient
  readonly #index: string

  constructor(connection: OpenedParameters, parameters: OpenedParameters, tools: Tools) {
    this.#client = new SearchClient(connection, tools)
    this.#index = textAt(parameters, 'index') ?? STANDARD_INDEX
  }

  async deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Outcome[]> {
    try {
      const actions = { lines: this.#lines(items), count: items.length, hasOwnIndex: this.#index.includes('{{') }
      return await sendBulk(this.#client, actions, signal)
    } catch (error) {
      return new Array<Outcome>(items.length).fill(outcomeOfError(error))
    }
  }

  async close(): Promise<void> {
    this.#client.close()
  }

  #lines(items: readonly Outgoing[]): string {
    let lines = ''
    for (const { event } of items) {
      const action = {
        index: { _index: indexOf(this.#index, event), _id: documentId(event) },
      }
      lines += `${JSON.stringify(action)}\n${writeJson(decidedDocument(event))}\n`
    }
    return lines
  }
}
