/**
 * Decisions written back to notable events of Splunk Enterprise Security (findings, since 8.0): status, owner, urgency, comment.
 *
 * 1. Which notable event it is says a field of the event, `event_id` usually, or else the event's own id. Where there is no such one
 *    the event is refused.
 * 2. Written again it is the same, with one comment more.
 */
import { labelTable } from './label-table.js'
import type { DecidedEvent, Fate, Opened, Outgoing, Sink, Tools } from '../contract.js'
import { deliverEach, fateOf, fateOfError, textAt } from '../http/http-kind.js'
import type { HttpAnswer } from '../http/http-client.js'
import { HttpFailure } from '../http/http-client.js'
import { parseBounded } from '../http/json.js'
import { fill, valueAt } from '../template.js'
import { SplunkClient } from './splunk-client.js'

const BATCH_MAX = 32
const AT_ONCE = 4
const PATH = 'services/notable_update'
const ANSWER_BYTES_MAX = 256 * 1024
export const STANDARD_ID_FIELD = 'event_id'
export const STANDARD_COMMENT = '{{result_label}} with confidence {{confidence_score}} % by {{job_title}}'

export class NotableUpdate implements Sink {
  readonly batchMax = BATCH_MAX
  readonly #client: SplunkClient
  readonly #idField: string
  readonly #comment: string
  readonly #owner: string | undefined
  readonly #status: ReadonlyMap<string, string>
  readonly #urgency: ReadonlyMap<string, string>
  readonly #disposition: ReadonlyMap<string, string>

  /** @throws Error where there is no address. */
  constructor(connection: Opened, parameters: Opened, tools: Tools) {
    this.#client = new SplunkClient(connection, tools)
    this.#idField = textAt(parameters, 'notable_id_field') ?? STANDARD_ID_FIELD
    this.#comment = textAt(parameters, 'comment') ?? STANDARD_COMMENT
    this.#owner = textAt(parameters, 'owner')
    this.#status = labelTable(textAt(parameters, 'status_by_decision') ?? '')
    this.#urgency = labelTable(textAt(parameters, 'urgency_by_decision') ?? '')
    this.#disposition = labelTable(textAt(parameters, 'disposition_by_decision') ?? '')
  }

  deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Fate[]> {
    return deliverEach(items, AT_ONCE, ({ event }) => this.#update(event, signal))
  }

  async close(): Promise<void> {
    this.#client.close()
  }

  async #update(event: DecidedEvent, signal: AbortSignal): Promise<Fate> {
    const named = valueAt(event.document, this.#idField)
    const id = typeof named === 'string' && named !== '' ? named : event.eventId
    const of = (table: ReadonlyMap<string, string>): string | undefined =>
      table.get(event.resultLabel.toLowerCase()) ?? table.get(event.result.toLowerCase())
    const fields = {
      status: of(this.#status),
      urgency: of(this.#urgency),
      disposition: of(this.#disposition),
      newOwner: this.#owner,
      comment: fill(this.#comment, event),
    }
    const given = Object.entries(fields).filter(
      (field): field is [string, string] => field[1] !== undefined && field[1] !== '',
    )
    try {
      return fateOfUpdate(
        await this.#client.post(
          PATH,
          { ruleUIDs: id, ...Object.fromEntries(given), output_mode: 'json' },
          signal,
          ANSWER_BYTES_MAX,
        ),
      )
    } catch (error) {
      return fateOfError(error)
    }
  }
}

/** It answers 200 also where nothing was updated. @throws HttpFailure where it is no JSON. */
function fateOfUpdate(answer: HttpAnswer): Fate {
  const fate = fateOf(answer)
  if (fate.fate !== 'delivered') return fate
  const document = parseBounded(answer.body)
  if (typeof document !== 'object' || document === null) throw new HttpFailure('an answer that is no JSON object')
  const { success, success_count: count, message } = document as Record<string, unknown>
  if (success === true && count !== 0) return fate
  return { fate: 'refused', reason: `the notable event was not updated: ${String(message ?? '').slice(0, 200)}` }
}
