/**
 * The enrichment requests of one step. Queries of many events are batched, and answered from the cache or by the
 * counterpart, each within its time limit.
 *
 * Owns: waiting queries, their order, the cache. Leaves out: requests (the kinds), which events (enricher.ts), pauses
 * (pace.ts).
 *
 * 1. Each query gets exactly one answer: found, nothing, failed or late.
 * 2. Equal queries share one answer. An answer that comes after everybody's time limit is still cached.
 * 3. A failure is retried while a query has time left. While the circuit breaker is open, all queries fail at once,
 *    with its reason.
 * 4. A refused query fails alone, and does not count as a failure of the counterpart.
 * 5. Where the counterpart says that it will answer nothing, all queries fail at once, with its reason (halt.ts).
 * 6. The number of waiting queries is limited by the events that are being enriched (enricher.ts).
 */
import type { Known, EnrichmentSource, EnrichmentFields } from '../contract.js'
import { QueryRefused, SourceFailure } from '../contract.js'
import { EnrichmentCache } from './enrichment-cache.js'
import { boundedFields } from './enrichment-fields.js'
import { Halt, type Halted } from '../delivery/halt.js'
import type { Circuit, Pace } from '../delivery/pace.js'

export type EnrichmentAnswer =
  | { readonly outcome: 'found'; readonly fields: EnrichmentFields }
  | { readonly outcome: 'nothing' }
  | { readonly outcome: 'failed' | 'late'; readonly reason: string }

export interface EnrichmentRequestsDeps {
  readonly enrichment: EnrichmentSource
  /** Milliseconds that an answer stays in the cache. */
  readonly cacheMs: number
  readonly circuit: Circuit
  readonly pace: Pick<Pace, 'haltAfterMs' | 'haltPausesMs'>
  nowMs(): number
  failed(what: string, error: unknown): void
  /** Reports a request: how many subjects, how long, and why it failed, if so. */
  requested?(items: number, seconds: number, reason: string | null): void
  /** Called when the counterpart says that it will answer nothing, and when it does again. */
  halted?(): void
}

/** Counts since the start of the service, by outcome. */
export interface EnrichmentCounts {
  readonly found: number
  readonly nothing: number
  readonly failed: number
  readonly late: number
  /** Those that the cache answered; each is also counted by its outcome. */
  readonly remembered: number
}

interface Waiting {
  readonly untilMs: number
  readonly tell: (answer: EnrichmentAnswer) => void
}

/** Interval between two checks of the time limits. */
const SWEEP_MS = 25
const broken = 'the integration failed; see the log of the service'
const late: EnrichmentAnswer = { outcome: 'late', reason: '' }

export class EnrichmentRequests {
  readonly #deps: EnrichmentRequestsDeps
  readonly #cache: EnrichmentCache
  readonly #stop = new AbortController()
  readonly #halt: Halt
  /** Waiting queries by subject. */
  readonly #waiting = new Map<string, Waiting[]>()
  /** Subjects to request, in order. */
  #queue: string[] = []
  #underWay = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | null = null
  #pause: NodeJS.Timeout | null = null
  /** Why the latest query was refused; '' if it was not. */
  #refusal = ''
  readonly #counts = { found: 0, nothing: 0, failed: 0, late: 0, remembered: 0 }

  constructor(deps: EnrichmentRequestsDeps) {
    this.#deps = deps
    this.#cache = new EnrichmentCache(deps.cacheMs)
    this.#halt = new Halt(deps.pace, () => deps.halted?.())
  }

  get counts(): EnrichmentCounts {
    return { ...this.#counts }
  }

  /** A sentence about the data that the integration holds in memory; '' where it asks the counterpart each time. */
  get summary(): string {
    return this.#deps.enrichment.summary?.() ?? ''
  }

  /** Why requests fail, or why the latest query was refused; '' for neither. */
  get reason(): string {
    return this.#halt.halted?.reason ?? (this.#deps.circuit.reason || this.#refusal)
  }

  get circuit(): Circuit {
    return this.#deps.circuit
  }

  get state(): 'running' | 'retrying' | 'open' | 'stopped' {
    return this.#halt.isStopped ? 'stopped' : this.#deps.circuit.status
  }

  /** Set where the counterpart says that it will answer nothing. */
  get halted(): Halted | null {
    return this.#halt.halted
  }

  /** Tries again with the next query. Returns whether the step was stopped. */
  resume(): boolean {
    const wasStopped = this.#halt.isStopped
    this.#halt.goOn()
    this.#deps.circuit.endPause()
    return wasStopped
  }

  /**
   * Calls `tell` with what is known about an event: soon after `untilMs` at the latest, perhaps before `ask` returns.
   */
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
    // Wait for other queries of this round of the event loop.
    if (this.#queue.length === 1) setImmediate(() => this.#pump())
  }

  /** Waiting queries fail. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.#failAll('the step was closed')
    await Promise.all(this.#underWay)
    await this.#deps.enrichment.close()
  }

  /** undefined if the integration has a bug. */
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
      const halted = this.#halt.halted
      if (halted !== null && this.#halt.waitMs(nowMs()) > 0) return this.#failAll(halted.reason)
      const waitMs = circuit.enter(nowMs())
      if (waitMs > 0) {
        if (circuit.isTripped()) return this.#failAll(circuit.reason)
        this.#pause = setTimeout(() => {
          this.#pause = null
          this.#pump()
        }, waitMs)
        return
      }
      const request = this.#find(this.#queue.splice(0, enrichment.batchMax))
      this.#underWay.add(request)
      void request.finally(() => {
        this.#underWay.delete(request)
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
      this.#halt.goOn()
      this.#report(subjects, begin, null)
      for (const [at, subject] of subjects.entries()) this.#answer(subject, answers[at] ?? null)
    } catch (error) {
      if (this.#stop.signal.aborted) return circuit.release()
      const reason = error instanceof SourceFailure ? error.message : broken
      if (error instanceof SourceFailure && error.lasting !== undefined) {
        if (this.#halt.failed(error.lasting, reason, nowMs())) {
          circuit.release()
          this.#report(subjects, begin, reason)
          this.#queue.unshift(...subjects.filter((subject) => this.#waiting.has(subject)))
          return this.#failAll(reason)
        }
      } else this.#halt.goOn()
      if (error instanceof SourceFailure) circuit.failed(nowMs(), reason, error.retryAfterMs)
      else {
        circuit.failed(nowMs(), broken)
        failed('an integration failed', error)
      }
      this.#report(subjects, begin, reason)
      this.#queue.unshift(...subjects.filter((subject) => this.#waiting.has(subject)))
    }
  }

  /** An integration that answers from memory makes no requests. */
  #report(subjects: readonly string[], begin: number, reason: string | null): void {
    if (this.#deps.enrichment.summary === undefined)
      this.#deps.requested?.(subjects.length, (performance.now() - begin) / 1_000, reason)
  }

  #answer(subject: string, known: Known): void {
    this.#refusal = known instanceof QueryRefused ? known.reason : ''
    const answer =
      known instanceof QueryRefused
        ? ({ outcome: 'failed', reason: known.reason } as const)
        : this.#remember(subject, known)
    for (const { tell } of this.#waiting.get(subject) ?? []) this.#tell(tell, answer)
    this.#waiting.delete(subject)
    this.#stopSweeping()
  }

  #remember(subject: string, brought: EnrichmentFields | null): EnrichmentAnswer {
    const fields = brought === null ? null : boundedFields(brought)
    this.#cache.put(subject, fields, this.#deps.nowMs())
    return answerOf(fields)
  }

  /** Answers queries whose time limit has passed. */
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
    this.#stopSweeping()
  }

  /** The answer after the time limit: the failure of the counterpart, if there was one. */
  #overdue(): EnrichmentAnswer {
    const { failures, reason } = this.#deps.circuit
    const halted = this.#halt.halted
    if (halted !== null) return { outcome: 'failed', reason: halted.reason }
    return failures > 0 ? { outcome: 'failed', reason } : late
  }

  #failAll(reason: string): void {
    this.#queue = []
    for (const waiting of this.#waiting.values())
      for (const { tell } of waiting) this.#tell(tell, { outcome: 'failed', reason })
    this.#waiting.clear()
    if (this.#pause !== null) clearTimeout(this.#pause)
    this.#pause = null
    this.#stopSweeping()
  }

  #tell(tell: (answer: EnrichmentAnswer) => void, answer: EnrichmentAnswer): void {
    this.#counts[answer.outcome]++
    tell(answer)
  }

  #stopSweeping(): void {
    if (this.#waiting.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}

function answerOf(fields: EnrichmentFields | null): EnrichmentAnswer {
  return fields === null ? { outcome: 'nothing' } : { outcome: 'found', fields }
}
