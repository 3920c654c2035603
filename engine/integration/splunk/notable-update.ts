/**
 * Writes decisions back to notable events of Splunk Enterprise Security (findings, since 8.0): status, owner, urgency,
 * comment.
 *
 * 1. A field of the event, usually `event_id`, names the notable event; without it the id of the event counts. If there
 *    is no such notable event, the event is refused.
 * 2. Writing a decision again only adds another comment.
 */
import { cutText } from '../../domain/event/input/cut-text.js'
import type { DecidedEvent, Outcome, OpenedParameters, Outgoing, Sink, Tools } from '../contract.js'
import { deliverEach, outcomeOf, outcomeOfError, textAt } from '../http/http-kind.js'
import type { HttpAnswer } from '../http/http-client.js'
import { HttpFailure } from '../http/http-client.js'
import { parseBounded } from '../http/json.js'
import { fill } from '../template.js'
import { SplunkClient } from './splunk-client.js'
import { valueAt } from '../../domain/event/path.js'

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

  /** @throws Error without a URL. */
  constructor(connection: OpenedParameters, parameters: OpenedParameters, tools: Tools) {
    this.#client = new SplunkClient(connection, tools)
    this.#idField = textAt(parameters, 'notable_id_field') ?? STANDARD_ID_FIELD
    this.#comment = textAt(parameters, 'comment') ?? STANDARD_COMMENT
    this.#owner = textAt(parameters, 'owner')
    this.#status = labelTable(textAt(parameters, 'status_by_decision') ?? '')
    this.#urgency = labelTable(textAt(parameters, 'urgency_by_decision') ?? '')
    this.#disposition = labelTable(textAt(parameters, 'disposition_by_decision') ?? '')
  }

  deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Outcome[]> {
    return deliverEach(items, AT_ONCE, ({ event }) => this.#update(event, signal))
  }

  async close(): Promise<void> {
    this.#client.close()
  }

  async #update(event: DecidedEvent, signal: AbortSignal): Promise<Outcome> {
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
      return outcomeOfUpdate(
        await this.#client.post(
          PATH,
          { ruleUIDs: id, ...Object.fromEntries(given), output_mode: 'json' },
          signal,
          ANSWER_BYTES_MAX,
        ),
      )
    } catch (error) {
      return outcomeOfError(error)
    }
  }
}

/** Splunk answers 200 even if nothing was updated. @throws HttpFailure if the answer is not JSON. */
function outcomeOfUpdate(answer: HttpAnswer): Outcome {
  const outcome = outcomeOf(answer)
  if (outcome.outcome !== 'delivered') return outcome
  const document = parseBounded(answer.body)
  if (typeof document !== 'object' || document === null) throw new HttpFailure('the answer is not a JSON object')
  const { success, success_count: count, message } = document as Record<string, unknown>
  if (success === true && count !== 0) return outcome
  return { outcome: 'refused', reason: `the notable event was not updated: ${cutText(String(message ?? ''), 200)}` }
}

/** Parses a value for each decision, such as `Drop: 5, Escalate: 2`. Keys are names or ids of labels in lower case. */
export function labelTable(text: string): Map<string, string> {
  const pairs = text
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
  return new Map(
    pairs.map((pair) => {
      const at = pair.indexOf(':')
      return [pair.slice(0, Math.max(0, at)).trim().toLowerCase(), pair.slice(at + 1).trim()]
    }),
  )
}

/** Why a text is not a table of decisions with values that match `values`, or null. */
export function misfitTable(text: string, values: RegExp): string | null {
  for (const [label, value] of labelTable(text)) {
    if (label === '') return 'must be decisions with values, such as Drop: 5, Escalate: 2'
    if (!values.test(value)) return `has an unknown value: ${cutText(value, 50)}`
  }
  return null
}
