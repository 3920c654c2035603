/**
 * The enrichment of one job: requests every step for each waiting event, and returns the results when all have
 * answered.
 *
 * Owns: the events being enriched, the time limit of each, the batches of results. Leaves out: the requests of a step
 * (enrichment-requests.ts), reading events (integrations/awaited-feed.ts), storing results
 * (actor/enrichment-results.ts).
 *
 * 1. The store is the queue: an event waits there, and stays there until it is decided. After a crash it is found
 *    again.
 * 2. At most `enrichmentsUnderWayMax` events are enriched at the same time. An event past its time limit gets only
 *    cached answers.
 * 3. An event has the time limit of its slowest step. It starts when the event arrived, or when this enricher was
 *    opened if that was later. A step that has not answered by then is late, and the event continues without it.
 * 4. Results are sent until they are accepted.
 */
import { bounds } from '../bounds.js'
import type { EnrichedResult, EnrichmentStatus, EnrichmentStep } from './enrichment.js'
import type { EnrichmentAnswer } from './enrichment-requests.js'
import { LoopSleep } from '../delivery/loop-sleep.js'

/** An event that waits for enrichment. */
export interface AwaitedEvent {
  /** Its ingest time, microseconds since 1970. */
  readonly micros: number
  readonly document: Readonly<Record<string, unknown>>
}

export interface AwaitedFeed {
  /** Waiting events with a later ingest time, oldest first. */
  look(after: number, eventsMax: number): readonly AwaitedEvent[]
}

export interface EnricherDeps {
  readonly feed: AwaitedFeed
  readonly steps: readonly EnrichmentStep[]
  /** False once the steps were changed or removed: it then requests nothing more. Called after each read of events. */
  isCurrent(): boolean
  /** Resolves with null when the events are decided on disk, or with the reason why they were not accepted. */
  readonly bring: (results: readonly EnrichedResult[]) => Promise<string | null>
  /** The longest sleep between two reads. */
  readonly idleMs: number
  nowMs(): number
  failed(what: string, error: unknown): void
}

/** Results in one batch, and batches at the same time. */
const PIECE_MAX = 128
const PIECES_MAX = 4
/** Pause after a failed read or a batch that was not accepted. */
const AGAIN_MS = 250

export class Enricher {
  readonly #deps: EnricherDeps
  readonly #openedMs: number
  readonly #stop = new AbortController()
  readonly #sleep = new LoopSleep(this.#stop.signal)
  /** Ingest time of the last event that was read. */
  #place = 0
  #underWay = 0
  #ready: EnrichedResult[] = []
  #bringing = 0
  #flushing = false
  #done: Promise<void> | null = null

  constructor(deps: EnricherDeps) {
    this.#deps = deps
    this.#openedMs = deps.nowMs()
  }

  /** True while there is nothing to do until `wake`. */
  get isIdle(): boolean {
    return this.#underWay === 0 && this.#sleep.isSleeping
  }

  start(): void {
    this.#done = this.#loop()
  }

  /** Call when there may be waiting events. */
  wake(): void {
    this.#sleep.wake()
  }

  status(): EnrichmentStatus[] {
    return this.#deps.steps.map(({ id, name, requests, invalid }) => {
      if (requests === null)
        return {
          id,
          name,
          state: 'invalid',
          reason: invalid,
          summary: '',
          halted: null,
          found: 0,
          nothing: 0,
          failed: 0,
          late: 0,
          remembered: 0,
        }
      const { state, counts, reason, summary, halted } = requests
      return { id, name, state, reason, summary, halted, ...counts }
    })
  }

  /** Steps of an integration, or all, try again. Returns how many had stopped. */
  resume(integrationId: number | undefined): number {
    const meant = this.#deps.steps.filter(({ id }) => (integrationId ?? id.integrationId) === id.integrationId)
    return meant.filter(({ requests }) => requests?.resume() === true).length
  }

  /** Stops. Events being enriched wait in the store. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.#sleep.wake()
    await this.#done
    await Promise.all(this.#deps.steps.map(({ requests }) => requests?.close()))
  }

  async #loop(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#sleep.beginPass()
      let [restMs, isIdle] = [this.#deps.idleMs, true]
      try {
        const free = bounds.enrichmentsUnderWayMax - this.#underWay
        const events = free > 0 ? this.#deps.feed.look(this.#place, free) : []
        if (events.length > 0 && this.#deps.isCurrent()) {
          for (const event of events) this.#take(event)
          restMs = 0
        }
      } catch (error) {
        this.#deps.failed('events that wait for enrichment could not be read', error)
        ;[restMs, isIdle] = [AGAIN_MS, false]
      }
      if (restMs > 0) await this.#sleep.sleep(restMs, isIdle)
      else await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Requests every step for the event. */
  #take({ micros, document }: AwaitedEvent): void {
    const { steps, nowMs } = this.#deps
    this.#place = micros
    this.#underWay++
    const begunMs = nowMs()
    // After the clock was set back, ingest times may be later than now.
    const fromMs = Math.min(begunMs, Math.max(Math.floor(micros / 1_000), this.#openedMs))
    const answers = new Array<EnrichedResult['steps'][number]>(steps.length)
    let open = steps.length
    const settle = (at: number, answer: EnrichmentAnswer): void => {
      const {
        id: { integrationId },
        name,
        title,
      } = steps[at] as EnrichmentStep
      const reason = 'reason' in answer ? answer.reason : ''
      const fields =
        answer.outcome === 'found'
          ? { fields: { ...answer.fields, found: true } }
          : answer.outcome === 'nothing'
            ? { fields: { found: false } }
            : {}
      answers[at] = {
        integrationId,
        name,
        title,
        outcome: answer.outcome,
        reason,
        ms: Math.max(0, nowMs() - begunMs),
        ...fields,
      }
      if (--open === 0) this.#settled({ micros, steps: answers })
    }
    for (const [at, { requests, invalid, timeLimitMs }] of steps.entries()) {
      if (requests === null) settle(at, { outcome: 'failed', reason: invalid })
      else requests.ask(document, fromMs + timeLimitMs, (answer) => settle(at, answer))
    }
  }

  #settled(result: EnrichedResult): void {
    // This enricher is closed: the event waits in the store for the next one.
    if (this.#stop.signal.aborted) return
    this.#ready.push(result)
    if (this.#flushing) return
    this.#flushing = true
    setImmediate(() => {
      this.#flushing = false
      this.#flush()
    })
  }

  #flush(): void {
    while (this.#ready.length > 0 && this.#bringing < PIECES_MAX && !this.#stop.signal.aborted) {
      void this.#bring(this.#ready.splice(0, PIECE_MAX))
    }
  }

  async #bring(piece: readonly EnrichedResult[]): Promise<void> {
    this.#bringing++
    while (!this.#stop.signal.aborted) {
      if ((await this.#deps.bring(piece)) === null) break
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
    this.#bringing--
    this.#underWay -= piece.length
    this.#flush()
    this.#sleep.wake()
  }
}
