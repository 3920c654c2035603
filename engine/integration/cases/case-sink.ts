/**
 * Creates one case for each bucket or event whose decision passes the rule of the step, and keeps it true: it gets a
 * note when the decision changes and a count when the alert comes again, and a closed one is reopened or followed by
 * another.
 *
 * Owns: when a case is created, found again, reopened or noted in, and its texts. Leaves out: the requests of a system
 * (one file each).
 *
 * 1. Before a case is created, it is searched by its mark. So a crash or a lost answer between creating it and storing
 *    its id leaves one case.
 * 2. The id of a case, the decision last written to it, and how many events were counted in it are stored as the
 *    reference of its subject. An event that is delivered again after a crash counts once.
 * 3. The state of a case is read before it is written to: people close and delete cases, and an alert that comes again
 *    must not end in one that nobody looks at. Where the state cannot be read, the case is taken for open.
 * 4. A case that follows another has a mark of its own, made of the mark of its subject and the id of the other.
 * 5. Its texts are plain text: neither a value of an event nor a template formats, links or mentions.
 */
import { createHash } from 'node:crypto'
import { DAY_MICROS, type Clock } from '../../clock.js'
import { momentText } from '../../domain/job/time-zone.js'
import type { DecidedEvent, Outcome, OpenedParameters, Outgoing, Sink, Tools } from '../contract.js'
import { HttpFailure, type HttpAnswer, type HttpClient } from '../http/http-client.js'
import { deliverEach, outcomeOf, outcomeOfError, openHttp, textAt, timeoutMs } from '../http/http-kind.js'
import { parseBounded } from '../http/json.js'
import { fillWithin } from '../template.js'
import type { CaseDraft, CaseRequest, CaseState, CaseSystem } from './case-system.js'
import { STANDARD_DESCRIPTION, STANDARD_TITLE } from './case-system.js'
import { withoutControls } from './plain-text.js'

const BATCH_MAX = 16
const ANSWER_BYTES_MAX = 1024 * 1024
export const NEW_AFTER_DAYS = 30
const DAY_MS = DAY_MICROS / 1_000

/** The stored reference of a case. Times are ingest times, microseconds. */
interface KnownCase {
  readonly id: string
  /** Label id of the decision that was last written to the case. */
  readonly result: string
  /** Events that were counted in the case, and the first and the latest of them. */
  readonly events: number
  readonly firstMicros: number
  readonly lastMicros: number
  /** The count of the last comment, and when it was made. */
  readonly told: number
  readonly toldMicros: number
  /** The account of the integration creates cases that it cannot see, so nothing more is known of this one. */
  readonly isUnseen?: true
}

/** A case as it was found: null where people have deleted it. */
type FoundState = { readonly state: CaseState | null } | 'deleted' | Outcome

/** What was done with an item: the reference of its subject now, and whether its case was seen to be open. */
interface Settled {
  readonly outcome: Outcome
  readonly reference: string | null
  readonly isOpen: boolean
}

export class CaseSink implements Sink {
  readonly batchMax = BATCH_MAX
  readonly #system: CaseSystem
  readonly #http: HttpClient
  readonly #base: string
  readonly #parameters: OpenedParameters
  readonly #timeoutMs: number
  readonly #clock: Clock
  readonly #timeZone: string

  constructor(system: CaseSystem, connection: OpenedParameters, parameters: OpenedParameters, tools: Tools) {
    this.#system = system
    this.#http = openHttp(connection, tools, system.credentials(connection))
    this.#base = String(connection.url).replace(/\/+$/, '')
    this.#parameters = parameters
    this.#timeoutMs = timeoutMs(connection)
    this.#clock = tools.clock
    this.#timeZone = tools.timeZone
  }

  subjectOf({ bucketId, eventId }: DecidedEvent): string {
    return bucketId === null || this.#parameters.once_per === 'event' ? `event ${eventId}` : `bucket ${bucketId}`
  }

  deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Outcome[]> {
    // Two events of one round may be in one bucket: the second must find the case of the first.
    const settled = new Map<string, Settled>()
    return deliverEach(items, 1, async (item) => {
      const subject = this.subjectOf(item.event)
      const before = settled.get(subject)
      try {
        const now = await this.#settle(item, before?.reference ?? item.reference, {
          signal,
          isKnownOpen: before?.isOpen ?? false,
        })
        if (now.reference !== null) settled.set(subject, now)
        return now.outcome
      } catch (error) {
        return outcomeOfError(error)
      }
    })
  }

  async close(): Promise<void> {
    this.#http.close()
  }

  async #settle(
    item: Outgoing,
    reference: string | null,
    { signal, isKnownOpen }: { readonly signal: AbortSignal; readonly isKnownOpen: boolean },
  ): Promise<Settled> {
    const { event, reason, isLate = false } = item
    const stored = reference === null ? null : (JSON.parse(reference) as KnownCase)
    const again = reason === 'decided'
    // Delivered before a crash, or a change to what the case says already.
    const isTold = again
      ? stored !== null && !isLate && event.ingestMicros <= stored.lastMicros
      : event.result === stored?.result
    if (isTold) return { outcome: { outcome: 'delivered' }, reference, isOpen: isKnownOpen }
    const mark = this.#markOf(event)
    const found = stored ?? (await this.#adopted(mark, event, signal))
    if (found !== null && 'outcome' in found) return failed(found)
    if (found === null) return await this.#create(item, mark, null, signal)
    if (isKnownOpen || found.isUnseen === true) return await this.#note(item, found, '', signal)
    const state = await this.#stateOf(found.id, signal)
    if (state === 'deleted') return await this.#afterDeleted(item, mark, found, signal)
    if ('outcome' in state) return failed(state)
    const isOpen = state.state?.isOpen !== false
    if (isOpen || !again) return { ...(await this.#note(item, found, '', signal)), isOpen }
    return await this.#inClosed(item, found, state.state, signal)
  }

  /** People have deleted the case, or it is hidden from the account of the integration: some systems say the same. */
  async #afterDeleted(item: Outgoing, mark: string, before: KnownCase, signal: AbortSignal): Promise<Settled> {
    const made = await this.#create(item, mark, before, signal)
    if (made.reference === null) return made
    const known = JSON.parse(made.reference) as KnownCase
    return (await this.#stateOf(known.id, signal)) === 'deleted' ? delivered({ ...known, isUnseen: true }) : made
  }

  /** The alert came again, and its case was closed. */
  async #inClosed(item: Outgoing, known: KnownCase, state: CaseState, signal: AbortSignal): Promise<Settled> {
    const mark = this.#markOf(item.event)
    const policy = textAt(this.#parameters, 'when_closed') ?? 'reopen'
    if (policy === 'new' || this.#isOld(known, state)) return await this.#create(item, mark, known, signal)
    if (policy === 'comment') {
      const noted = await this.#note(item, known, 'The case is closed, and the alert came again.', signal)
      return { ...noted, isOpen: false }
    }
    const outcome = await this.#reopen(known.id, signal)
    if (outcome === 'impossible') return await this.#create(item, mark, known, signal)
    if (outcome !== 'reopened') return failed(outcome)
    return await this.#note(item, known, 'Reopened: the alert came again.', signal)
  }

  /** Whether the case was closed so long ago that a new one is created. */
  #isOld(known: KnownCase, { closedMs }: CaseState): boolean {
    const days = Number(this.#parameters.new_after_days ?? NEW_AFTER_DAYS)
    if (days === 0) return false
    // A system that does not say when it was closed: after the last event of it.
    return this.#clock.nowMicros() / 1_000 - (closedMs ?? known.lastMicros / 1_000) > days * DAY_MS
  }

  /** Reopens a case, and looks whether it is open: systems ignore what a workflow does not allow. */
  async #reopen(id: string, signal: AbortSignal): Promise<'reopened' | 'impossible' | Outcome> {
    const { reopen } = this.#system
    const before = reopen.prepare === undefined ? undefined : await this.#send(reopen.prepare(id), signal)
    if (before !== undefined && !isDone(before)) return judged(before)
    const request = reopen.request(id, before === undefined ? undefined : bodyOf(before), this.#parameters)
    if (request === null) return 'impossible'
    const answer = await this.#send(request, signal)
    if (!isDone(answer)) return judged(answer)
    const state = await this.#stateOf(id, signal)
    if (state === 'deleted') return 'impossible'
    if ('outcome' in state) return state
    return state.state?.isOpen === false ? 'impossible' : 'reopened'
  }

  async #stateOf(id: string, signal: AbortSignal): Promise<FoundState> {
    const { state } = this.#system
    const answer = await this.#send(state.request(id, this.#parameters), signal)
    if (answer.status === 404 || answer.status === 410) return 'deleted'
    if (isDone(answer)) {
      const read = state.read(bodyOf(answer), this.#parameters)
      if (read !== null || state.further === undefined) return { state: read }
      const more = await this.#send(state.further.request(id), signal)
      return { state: isDone(more) ? state.further.read(bodyOf(more)) : null }
    }
    const outcome = outcomeOf(answer)
    // A user who may not read cases may still comment on them.
    const isForbidden = outcome.outcome === 'refused' || answer.status === 403 || answer.status === 405
    return isForbidden ? { state: null } : outcome
  }

  /** Writes to a case what is new, and stores that. */
  async #note(item: Outgoing, known: KnownCase, head: string, signal: AbortSignal): Promise<Settled> {
    const { event, reason } = item
    const isNew = reason === 'decided'
    const events = known.events + Number(isNew)
    const next: KnownCase = {
      ...known,
      result: event.result,
      events,
      lastMicros: Math.max(known.lastMicros, event.ingestMicros),
    }
    const isChange = event.result !== known.result
    if (head === '' && !isChange && !this.#isDue(next)) return delivered(next)
    if (known.isUnseen === true)
      return failed({ outcome: 'refused', reason: `the account of the integration cannot see the case ${known.id}` })
    const label = event.resultLabel || 'open'
    const sentences = [
      head,
      isChange ? `The decision is now ${label} (${event.confidenceScore} %), event ${event.eventId}.` : '',
      isNew && events > 1
        ? `The alert has come ${events} times since ${momentText(known.firstMicros, this.#timeZone)}` +
          (isChange ? '.' : `; the latest event is ${event.eventId} (${label}, ${event.confidenceScore} %).`)
        : '',
    ]
    const text = sentences.filter((sentence) => sentence !== '').join(' ')
    const note = this.#system.note(known.id, this.#system.plain(withoutControls(text)), this.#parameters)
    const answer = await this.#send(note, signal)
    // It was deleted meanwhile.
    if (answer.status === 404 || answer.status === 410)
      return await this.#create(item, this.#markOf(event), known, signal)
    const outcome = outcomeOf(answer)
    if (outcome.outcome !== 'delivered') return failed(outcome)
    return delivered({ ...next, told: events, toldMicros: this.#clock.nowMicros() })
  }

  /** Whether an open case gets the count now: at the 2nd, 3rd, 5th, 10th, 20th event and so on, and once a day. */
  #isDue({ events, told, toldMicros }: KnownCase): boolean {
    if (this.#parameters.comment_repeats === false || events <= told) return false
    return events >= countAfter(told) || this.#clock.nowMicros() - toldMicros >= DAY_MICROS
  }

  /** Creates a case, unless a lost answer or a crash has left it behind. `before` is the case that it follows. */
  async #create(item: Outgoing, subjectMark: string, before: KnownCase | null, signal: AbortSignal): Promise<Settled> {
    const { event } = item
    const mark = before === null ? subjectMark : `${subjectMark}-${digestOf(before.id, FOLLOWS_CHARS)}`
    const known = (id: string): KnownCase => ({
      id,
      result: event.result,
      events: 1,
      firstMicros: event.ingestMicros,
      lastMicros: event.ingestMicros,
      told: 1,
      toldMicros: this.#clock.nowMicros(),
    })
    if (before !== null) {
      const found = await this.#find(mark, signal)
      if (found !== null && typeof found !== 'string') return failed(found)
      if (found !== null) return delivered(known(found))
    }
    const draft = this.#draft(event, mark, subjectMark, before)
    const answer = await this.#send(this.#system.create(draft, this.#parameters), signal)
    const outcome = outcomeOf(answer)
    if (outcome.outcome === 'delivered') return delivered(known(this.#idIn(answer)))
    if (outcome.outcome === 'refused' && this.#system.isSetUp?.(bodyOf(answer)) === true)
      return failed({ outcome: 'failed', reason: outcome.reason, suspect: false, lasting: 'set_up' })
    return failed(outcome)
  }

  /** The case that is there already though nothing is stored of it; null for none. */
  async #adopted(mark: string, event: DecidedEvent, signal: AbortSignal): Promise<KnownCase | Outcome | null> {
    const found = await this.#find(mark, signal)
    if (found === null || typeof found !== 'string') return found
    // What was written to it is not known: the decision is written again.
    return {
      id: found,
      result: '',
      events: 0,
      firstMicros: event.ingestMicros,
      lastMicros: 0,
      told: 0,
      toldMicros: 0,
    }
  }

  /** The id of the latest case with this mark; null for none. */
  async #find(mark: string, signal: AbortSignal): Promise<string | Outcome | null> {
    const { find } = this.#system
    for (const request of find.requests(mark, this.#parameters)) {
      const answer = await this.#send(request, signal)
      if (isDone(answer)) return find.found(bodyOf(answer), mark)
      const outcome = outcomeOf(answer)
      // This version has no such search: the next is tried, and without any the case is created.
      const isMissing = answer.status === 404 || answer.status === 410 || answer.status === 405
      if (!isMissing && outcome.outcome !== 'refused') return outcome
    }
    return null
  }

  #idIn(answer: HttpAnswer): string {
    const id = this.#system.created(parseBounded(answer.body))
    if (id === null) throw new HttpFailure('the answer does not contain the id of the case')
    return id
  }

  #markOf(event: DecidedEvent): string {
    return `decision-${event.jobId}-${digestOf(this.subjectOf(event), SUBJECT_CHARS)}`
  }

  #draft(event: DecidedEvent, mark: string, subjectMark: string, before: KnownCase | null): CaseDraft {
    const { titleCharsMax, descriptionCharsMax, plain } = this.#system
    const title = fillWithin(textAt(this.#parameters, 'title') ?? STANDARD_TITLE, event, titleCharsMax, {
      fit: withoutControls,
    })
    const follows = before === null ? '' : `Follows ${before.id}.\n`
    const template = withoutControls(textAt(this.#parameters, 'description') ?? STANDARD_DESCRIPTION)
    const description = fillWithin(template, event, descriptionCharsMax, {
      fit: withoutControls,
      size: (text) => plain(follows + text).length,
    })
    return {
      mark,
      subjectMark,
      title: withoutControls(title).replace(/\n+/g, ' '),
      description: plain(follows + description),
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

const SUBJECT_CHARS = 16
const FOLLOWS_CHARS = 8

function digestOf(text: string, chars: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, chars)
}

/** The next of 2, 3, 5, 10, 20, 50, 100 and so on. */
function countAfter(count: number): number {
  if (count < 2) return 2
  if (count < 3) return 3
  for (let power = 1; ; power *= 10)
    for (const step of [1, 2, 5]) if (step * power > Math.max(count, 3)) return step * power
}

function isDone({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300
}

/** Why reopening did not work: it is not possible, or it is to be tried again. */
function judged(answer: HttpAnswer): 'impossible' | Outcome {
  const outcome = outcomeOf(answer)
  const isTemporary = outcome.outcome === 'failed' && (outcome.lasting === undefined || answer.status === 401)
  return isTemporary ? outcome : 'impossible'
}

/** The document of an answer; undefined where it is none. */
function bodyOf(answer: HttpAnswer): unknown {
  try {
    return parseBounded(answer.body)
  } catch (error) {
    if (error instanceof HttpFailure && isDone(answer)) throw error
    return undefined
  }
}

function delivered(known: KnownCase): Settled {
  const reference = JSON.stringify(known)
  return { outcome: { outcome: 'delivered', reference }, reference, isOpen: true }
}

function failed(outcome: Outcome): Settled {
  return { outcome, reference: null, isOpen: false }
}
