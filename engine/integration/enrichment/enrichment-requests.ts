/**
 * The look-ups of one step: questions about many events gathered, answered from memory or by the counterpart, each in its time.
 *
 * Owns: what waits for an answer, which question is asked when, what is remembered. Leaves out: what is asked (contract.ts, EnrichmentSource),
 * which events (enricher.ts), when the counterpart may be asked (pace.ts).
 *
 * 1. Whoever asks is told once: what was found, that nothing was, that it failed, or that the time was over.
 * 2. Two who ask the same wait for one answer. One that comes after the time of all who waited is remembered still.
 * 3. A failure is tried again while somebody has time left. While the breaker is open nobody waits: all are told why at once.
 * 4. A question that is refused fails by itself, and says nothing about the counterpart.
 * 5. What waits is bounded by the events that are under way (enricher.ts).
 */
import type { Known, EnrichmentSource, EnrichmentFields } from '../contract.js'
import { QueryRefused, SourceFailure } from '../contract.js'
import { EnrichmentCache } from './enrichment-cache.js'
import { boundedFields } from './enrichment-fields.js'
import type { Circuit } from '../delivery/pace.js'

export type EnrichmentAnswer =
  | { readonly outcome: 'found'; readonly fields: EnrichmentFields }
  | { readonly outcome: 'nothing' }
  | { readonly outcome: 'failed' | 'late'; readonly reason: string }

export interface EnrichmentRequestsDeps {
  readonly enrichment: EnrichmentSource
  /** Milliseconds that an answer is remembered. */
  readonly cacheMs: number
  readonly circuit: Circuit
  nowMs(): number
  failed(what: string, error: unknown): void
  /** The counterpart was asked about so many, and why it did not answer, if so. */
  query?(items: number, seconds: number, reason: string | null): void
}

/** Since the start of the service. */
export interface EnrichmentCounts {
  readonly found: number
  readonly nothing: number
  readonly failed: number
  readonly late: number
  /** Of them, those that were answered from memory. */
  readonly remembered: number
}

interface Waiting {
  readonly untilMs: number
  readonly tell: (answer: EnrichmentAnswer) => void
}

/** Between two looks at whose time is over. */
const SWEEP_MS = 25
const broken = 'the integration failed; the log of the service says how'
const late: EnrichmentAnswer = { outcome: 'late', reason: '' }

export class EnrichmentRequests {
  readonly #deps: EnrichmentRequestsDeps
  readonly #cache: EnrichmentCache
  readonly #stop = new AbortController()
  /** Who waits for which subject. */
  readonly #waiting = new Map<string, Waiting[]>()
  /** Subjects that are to be asked, in order. */
  #queue: string[] = []
  #underWay = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | null = null
  #pause: NodeJS.Timeout | null = null
  /** Why the latest question was refused; '' where it was not. */
  #refusal = ''
  readonly #counts = { found: 0, nothing: 0, failed: 0, late: 0, remembered: 0 }

  constructor(deps: EnrichmentRequestsDeps) {
    this.#deps = deps
    this.#cache = new EnrichmentCache(deps.cacheMs)
  }

  get counts(): EnrichmentCounts {
    return { ...this.#counts }
  }

  /** What the integration knows by itself, for people; '' where it asks each time. */
  get summary(): string {
    return this.#deps.enrichment.summary?.() ?? ''
  }

  /** Why it does not work, or the latest question did not; '' where all is well. */
  get reason(): string {
    return this.#deps.circuit.reason || this.#refusal
  }

  get circuit(): Circuit {
    return this.#deps.circuit
  }

  /** Tells what is known about an event, at the latest soon after `untilMs`; perhaps before it returns. */
  ask(document: Readonly<Record<string, unknown>>, untilMs: number, tell: (answer: EnrichmentAnswer) => void): void {
    const { nowMs } = this.#deps
    const subject = this.#subjectOf(document)
    if (subject === undefined) return this.#tell(tell, { outcome: 'failed', reason: broken })
    if (subject === null) return this.#tell(tell, { outcome: 'nothing' })
    const known = this.#cache.get(subject, nowMs())
    if (known !== undefined) {
      this.#counts.remembered++
      return this.#tell(tell, answerOf(known))
    }
    if (untilMs <= nowMs()) return this.#tell(tell, this.#overdue())
    const others = this.#waiting.get(subject)
    if (others !== undefined) return void others.push({ untilMs, tell })
    this.#waiting.set(subject, [{ untilMs, tell }])
    this.#queue.push(subject)
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_MS)
    // With what else comes in this round of the event loop.
    if (this.#queue.length === 1) setImmediate(() => this.#pump())
  }

  /** Who waits is told that it failed. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.#failAll('the step was closed')
    await Promise.all(this.#underWay)
    await this.#deps.enrichment.close()
  }

  /** undefined where the integration has a bug. */
  #subjectOf(document: Readonly<Record<string, unknown>>): string | null | undefined {
    try {
      return this.#deps.enrichment.subjectOf(document)
    } catch (error) {
      this.#deps.failed('an integration failed', error)
      return undefined
    }
  }

  #pump(): void {
    const { enrichment, circuit, nowMs } = this.#deps
    while (
      this.#queue.length > 0 &&
      this.#underWay.size < enrichment.atOnce &&
      this.#pause === null &&
      !this.#stop.signal.aborted
    ) {
      const waitMs = circuit.enter(nowMs())
      if (waitMs > 0) {
        if (circuit.isTrying()) return this.#failAll(circuit.reason)
        this.#pause = setTimeout(() => {
          this.#pause = null
          this.#pump()
        }, waitMs)
        return
      }
      const query = this.#find(this.#queue.splice(0, enrichment.batchMax))
      this.#underWay.add(query)
      void query.finally(() => {
        this.#underWay.delete(query)
        this.#pump()
      })
    }
  }

  async #find(subjects: readonly string[]): Promise<void> {
    const { enrichment, circuit, nowMs, failed } = this.#deps
    const begin = performance.now()
    try {
      const answers = await enrichment.find(subjects, this.#stop.signal)
      circuit.succeeded()
      this.#query(subjects, begin, null)
      for (const [at, subject] of subjects.entries()) this.#answer(subject, answers[at] ?? null)
    } catch (error) {
      if (this.#stop.signal.aborted) return circuit.left()
      if (error instanceof SourceFailure) circuit.failed(nowMs(), error.message, error.retryAfterMs)
      else {
        circuit.failed(nowMs(), broken)
        failed('an integration failed', error)
      }
      this.#query(subjects, begin, circuit.reason)
      this.#queue.unshift(...subjects.filter((subject) => this.#waiting.has(subject)))
    }
  }

  /** What is known in memory is asked of nobody. */
  #query(subjects: readonly string[], begin: number, reason: string | null): void {
    if (this.#deps.enrichment.summary === undefined)
      this.#deps.query?.(subjects.length, (performance.now() - begin) / 1_000, reason)
  }

  #answer(subject: string, known: Known): void {
    this.#refusal = known instanceof QueryRefused ? known.reason : ''
    const answer =
      known instanceof QueryRefused
        ? ({ outcome: 'failed', reason: known.reason } as const)
        : this.#remember(subject, known)
    for (const { tell } of this.#waiting.get(subject) ?? []) this.#tell(tell, answer)
    this.#waiting.delete(subject)
    this.#rest()
  }

  #remember(subject: string, brought: EnrichmentFields | null): EnrichmentAnswer {
    const fields = brought === null ? null : boundedFields(brought)
    this.#cache.put(subject, fields, this.#deps.nowMs())
    return answerOf(fields)
  }

  /** Tells those whose time is over. */
  #sweep(): void {
    const now = this.#deps.nowMs()
    const answer = this.#overdue()
    for (const [subject, waiting] of this.#waiting) {
      const left = waiting.filter(({ untilMs }) => untilMs > now)
      if (left.length === waiting.length) continue
      for (const { untilMs, tell } of waiting) if (untilMs <= now) this.#tell(tell, answer)
      if (left.length > 0) this.#waiting.set(subject, left)
      else this.#waiting.delete(subject)
    }
    this.#queue = this.#queue.filter((subject) => this.#waiting.has(subject))
    this.#rest()
  }

  /** What is said where the time was over: why it failed, where it has failed. */
  #overdue(): EnrichmentAnswer {
    const { failures, reason } = this.#deps.circuit
    return failures > 0 ? { outcome: 'failed', reason } : late
  }

  #failAll(reason: string): void {
    this.#queue = []
    for (const waiting of this.#waiting.values())
      for (const { tell } of waiting) this.#tell(tell, { outcome: 'failed', reason })
    this.#waiting.clear()
    if (this.#pause !== null) clearTimeout(this.#pause)
    this.#pause = null
    this.#rest()
  }

  #tell(tell: (answer: EnrichmentAnswer) => void, answer: EnrichmentAnswer): void {
    this.#counts[answer.outcome]++
    tell(answer)
  }

  #rest(): void {
    if (this.#waiting.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}

function answerOf(fields: EnrichmentFields | null): EnrichmentAnswer {
  return fields === null ? { outcome: 'nothing' } : { outcome: 'found', fields }
}
