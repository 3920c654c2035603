/**
 * Cases: one for each bucket or event whose decision passes the step's rule, and a note in it when the decision changes.
 *
 * Owns: when a case is made, found again or noted in, and what its texts say. Leaves out: how a system is asked (one file
 * each, as a template of requests).
 *
 * 1. A case is looked for by its mark before it is made: whatever died after making it and before writing its id down, there
 *    is one case. A system that cannot be searched so makes a second one then.
 * 2. The id of a case and the decision that it tells of are kept as the reference of its subject.
 * 3. A case that people have deleted is made anew when the decision changes.
 */
import { createHash } from 'node:crypto'
import type { DecidedEvent, Fate, Opened, Outgoing, Sink, Tools } from '../contract.js'
import { HttpFailure, type HttpAnswer, type HttpClient } from '../http/http-client.js'
import { deliverEach, fateOf, fateOfError, openHttp, textAt, timeoutMs } from '../http/http-kind.js'
import { parseBounded } from '../http/json.js'
import { fill } from '../template.js'
import type { CaseDraft, CaseRequest, CaseSystem } from './case-system.js'
import { STANDARD_DESCRIPTION, STANDARD_TITLE } from './case-system.js'

const BATCH_MAX = 16
const ANSWER_BYTES_MAX = 1024 * 1024
const TITLE_CHARS_MAX = 250
const DESCRIPTION_CHARS_MAX = 16_000

/** What is kept of a case. */
interface KnownCase {
  readonly id: string
  /** The label's id that it was last told. */
  readonly result: string
}

export class CaseSink implements Sink {
  readonly batchMax = BATCH_MAX
  readonly #system: CaseSystem
  readonly #http: HttpClient
  readonly #base: string
  readonly #parameters: Opened
  readonly #timeoutMs: number

  constructor(system: CaseSystem, connection: Opened, parameters: Opened, tools: Tools) {
    this.#system = system
    this.#http = openHttp(connection, tools, system.credentials(connection))
    this.#base = String(connection.url).replace(/\/+$/, '')
    this.#parameters = parameters
    this.#timeoutMs = timeoutMs(connection)
  }

  subjectOf({ bucketId, eventId }: DecidedEvent): string {
    return bucketId === null || this.#parameters.once_per === 'event' ? `event ${eventId}` : `bucket ${bucketId}`
  }

  deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Fate[]> {
    // Two events of one round may be of one bucket: the second one has to know the case of the first.
    const made = new Map<string, string>()
    return deliverEach(items, 1, async ({ event, reference }) => {
      const subject = this.subjectOf(event)
      try {
        const fate = await this.#settle(event, made.get(subject) ?? reference, signal)
        if (fate.fate === 'delivered' && fate.reference !== undefined) made.set(subject, fate.reference)
        return fate
      } catch (error) {
        return fateOfError(error)
      }
    })
  }

  async close(): Promise<void> {
    this.#http.close()
  }

  async #settle(event: DecidedEvent, reference: string | null, signal: AbortSignal): Promise<Fate> {
    const known = reference === null ? null : (JSON.parse(reference) as KnownCase)
    if (known?.result === event.result) return { fate: 'delivered' }
    const draft = this.#draft(event)
    const found = known === null ? await this.#find(draft, signal) : { id: known.id }
    if ('fate' in found) return found
    const { id } = found
    if (id !== null) {
      const text = `The decision is now ${event.resultLabel || 'open'} (${event.confidenceScore} %), event ${event.eventId}.`
      const answer = await this.#ask(this.#system.note(id, text, this.#parameters), signal)
      if (answer.status !== 404 && answer.status !== 410) return this.#told(fateOf(answer), id, event)
    }
    const answer = await this.#ask(this.#system.create(draft, this.#parameters), signal)
    const fate = fateOf(answer)
    return fate.fate === 'delivered' ? this.#told(fate, this.#idIn(answer), event) : fate
  }

  #told(fate: Fate, id: string, { result }: DecidedEvent): Fate {
    return fate.fate === 'delivered'
      ? { fate: 'delivered', reference: JSON.stringify({ id, result } satisfies KnownCase) }
      : fate
  }

  /** The case of that mark, or why it cannot be looked for now. */
  async #find(draft: CaseDraft, signal: AbortSignal): Promise<{ readonly id: string | null } | Fate> {
    const { find } = this.#system
    if (find === undefined) return { id: null }
    const answer = await this.#ask(find.request(draft.mark, this.#parameters), signal)
    const fate = fateOf(answer)
    if (fate.fate === 'delivered') return { id: find.found(parseBounded(answer.body), draft.mark) }
    // A version that cannot be searched so gets its cases nevertheless; one that is busy or does not know us is asked again.
    return answer.status === 404 || fate.fate === 'refused' ? { id: null } : fate
  }

  #idIn(answer: HttpAnswer): string {
    const id = this.#system.created(parseBounded(answer.body))
    if (id === null) throw new HttpFailure('an answer that does not name the case that was made')
    return id
  }

  #draft(event: DecidedEvent): CaseDraft {
    const digest = createHash('sha256').update(this.subjectOf(event)).digest('hex').slice(0, 16)
    const text = (name: string, standard: string, charsMax: number): string => {
      return fill(textAt(this.#parameters, name) ?? standard, event).slice(0, charsMax)
    }
    return {
      mark: `decision-${event.jobId}-${digest}`,
      title: text('title', STANDARD_TITLE, TITLE_CHARS_MAX).replace(/[\r\n]+/g, ' '),
      description: text('description', STANDARD_DESCRIPTION, DESCRIPTION_CHARS_MAX),
      event,
    }
  }

  #ask({ method, path, body }: CaseRequest, signal: AbortSignal): Promise<HttpAnswer> {
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
