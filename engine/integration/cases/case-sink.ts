/**
 * Creates one case for each bucket or event whose decision passes the rule of the step, and adds a note when the
 * decision changes.
 *
 * Owns: when a case is created, found again or noted in, and its texts. Leaves out: the requests of a system (one file
 * each).
 *
 * 1. Before a case is created, it is searched by its mark. So a crash between creating it and storing its id leaves one
 *    case. A system that cannot be searched by mark gets a second case then.
 * 2. The id of a case and the decision last written to it are stored as the reference of its subject.
 * 3. A case that people have deleted is created again when the decision changes.
 * 4. Its texts are plain text: neither a value of an event nor a template formats, links or mentions.
 */
import { createHash } from 'node:crypto'
import type { DecidedEvent, Outcome, OpenedParameters, Outgoing, Sink, Tools } from '../contract.js'
import { HttpFailure, type HttpAnswer, type HttpClient } from '../http/http-client.js'
import { deliverEach, outcomeOf, outcomeOfError, openHttp, textAt, timeoutMs } from '../http/http-kind.js'
import { parseBounded } from '../http/json.js'
import { fill } from '../template.js'
import type { CaseDraft, CaseRequest, CaseSystem } from './case-system.js'
import { STANDARD_DESCRIPTION, STANDARD_TITLE } from './case-system.js'
import { withoutControls } from './plain-text.js'

const BATCH_MAX = 16
const ANSWER_BYTES_MAX = 1024 * 1024
const TITLE_CHARS_MAX = 250
const DESCRIPTION_CHARS_MAX = 16_000

/** The stored reference of a case. */
interface KnownCase {
  readonly id: string
  /** Label id of the decision that was last written to the case. */
  readonly result: string
}

export class CaseSink implements Sink {
  readonly batchMax = BATCH_MAX
  readonly #system: CaseSystem
  readonly #http: HttpClient
  readonly #base: string
  readonly #parameters: OpenedParameters
  readonly #timeoutMs: number

  constructor(system: CaseSystem, connection: OpenedParameters, parameters: OpenedParameters, tools: Tools) {
    this.#system = system
    this.#http = openHttp(connection, tools, system.credentials(connection))
    this.#base = String(connection.url).replace(/\/+$/, '')
    this.#parameters = parameters
    this.#timeoutMs = timeoutMs(connection)
  }

  subjectOf({ bucketId, eventId }: DecidedEvent): string {
    return bucketId === null || this.#parameters.once_per === 'event' ? `event ${eventId}` : `bucket ${bucketId}`
  }

  deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Outcome[]> {
    // Two events of one round may be in one bucket: the second must find the case of the first.
    const created = new Map<string, string>()
    return deliverEach(items, 1, async ({ event, reference }) => {
      const subject = this.subjectOf(event)
      try {
        const outcome = await this.#settle(event, created.get(subject) ?? reference, signal)
        if (outcome.outcome === 'delivered' && outcome.reference !== undefined) created.set(subject, outcome.reference)
        return outcome
      } catch (error) {
        return outcomeOfError(error)
      }
    })
  }

  async close(): Promise<void> {
    this.#http.close()
  }

  async #settle(event: DecidedEvent, reference: string | null, signal: AbortSignal): Promise<Outcome> {
    const known = reference === null ? null : (JSON.parse(reference) as KnownCase)
    if (known?.result === event.result) return { outcome: 'delivered' }
    const draft = this.#draft(event)
    const found = known === null ? await this.#find(draft, signal) : { id: known.id }
    if ('outcome' in found) return found
    const { id } = found
    if (id !== null) {
      const text = `The decision is now ${event.resultLabel || 'open'} (${event.confidenceScore} %), event ${event.eventId}.`
      const note = this.#system.note(id, this.#system.plain(withoutControls(text)), this.#parameters)
      const answer = await this.#send(note, signal)
      if (answer.status !== 404 && answer.status !== 410) return this.#withReference(outcomeOf(answer), id, event)
    }
    const answer = await this.#send(this.#system.create(draft, this.#parameters), signal)
    const outcome = outcomeOf(answer)
    return outcome.outcome === 'delivered' ? this.#withReference(outcome, this.#idIn(answer), event) : outcome
  }

  #withReference(outcome: Outcome, id: string, { result }: DecidedEvent): Outcome {
    return outcome.outcome === 'delivered'
      ? { outcome: 'delivered', reference: JSON.stringify({ id, result } satisfies KnownCase) }
      : outcome
  }

  /** Finds the case with this mark, or returns why the search failed. */
  async #find(draft: CaseDraft, signal: AbortSignal): Promise<{ readonly id: string | null } | Outcome> {
    const { find } = this.#system
    if (find === undefined) return { id: null }
    const answer = await this.#send(find.request(draft.mark, this.#parameters), signal)
    const outcome = outcomeOf(answer)
    if (outcome.outcome === 'delivered') return { id: find.found(parseBounded(answer.body), draft.mark) }
    // If this version has no such search, the case is created without it. Other failures are retried.
    return answer.status === 404 || outcome.outcome === 'refused' ? { id: null } : outcome
  }

  #idIn(answer: HttpAnswer): string {
    const id = this.#system.created(parseBounded(answer.body))
    if (id === null) throw new HttpFailure('the answer does not contain the id of the case')
    return id
  }

  #draft(event: DecidedEvent): CaseDraft {
    const digest = createHash('sha256').update(this.subjectOf(event)).digest('hex').slice(0, 16)
    const text = (name: string, standard: string, charsMax: number): string => {
      return withoutControls(fill(textAt(this.#parameters, name) ?? standard, event)).slice(0, charsMax)
    }
    return {
      mark: `decision-${event.jobId}-${digest}`,
      title: text('title', STANDARD_TITLE, TITLE_CHARS_MAX).replace(/[\r\n]+/g, ' '),
      description: this.#system.plain(text('description', STANDARD_DESCRIPTION, DESCRIPTION_CHARS_MAX)),
      event,
    }
  }

  #send({ method, path, body }: CaseRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const headers = {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    return this.#http.send({
      method,
      url: new URL(this.#base + path),
      headers,
      signal,
      timeoutMs: this.#timeoutMs,
      answerBytesMax: ANSWER_BYTES_MAX,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }
}
