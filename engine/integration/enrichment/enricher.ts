/**
 * The enrichment of one job: its events that wait, each asked about at every step, and brought back when all have answered.
 *
 * Owns: which events are under way, the time that each has, what is brought back together. Leaves out: one step's questions
 * (enrichment-requests.ts), reading the events (integrations/awaited-feed.ts), writing and deciding them (actor/enrichment-results.ts).
 *
 * 1. The queue is the store: an event waits there until it is under way, and stays there until it is decided. Whoever dies, the
 *    next one finds it.
 * 2. At most `enrichmentsUnderWayMax` events are under way; one that waited too long is brought back with what is remembered.
 * 3. An event has the time of its slowest step, from when it came in or, where nobody could have asked before, from when this was
 *    opened. What has not answered by then is late, and the event goes without it.
 * 4. What is brought back is brought until it is taken.
 */
import { bounds } from '../bounds.js'
import type { EnrichedResult, EnrichmentStatus, EnrichmentStep } from './enrichment.js'
import type { EnrichmentAnswer } from './enrichment-requests.js'
import { Rest } from '../delivery/loop-sleep.js'

/** An event that waits for look-ups. */
export interface AwaitedEvent {
  /** Its ingest time. */
  readonly micros: number
  readonly document: Readonly<Record<string, unknown>>
}

export interface AwaitedFeed {
  /** Events that wait and came in after that time, the oldest first. */
  look(after: number, eventsMax: number): readonly AwaitedEvent[]
}

export interface EnricherDeps {
  readonly feed: AwaitedFeed
  readonly steps: readonly EnrichmentStep[]
  /** False where it is set up otherwise by now, and is to ask nothing more: asked behind each look at events. */
  isCurrent(): boolean
  /** Resolves when the events are decided on disk; with why not, where they could not be taken now. */
  readonly bring: (results: readonly EnrichedResult[]) => Promise<string | null>
  /** The longest rest without a look. */
  readonly idleMs: number
  nowMs(): number
  failed(what: string, error: unknown): void
}

/** Results that are brought together, and how many such pieces may be on their way. */
const PIECE_MAX = 128
const PIECES_MAX = 4
/** Before what could not be taken, or looked for, is tried again. */
const AGAIN_MS = 250

export class Enricher {
  readonly #deps: EnricherDeps
  readonly #openedMs: number
  readonly #stop = new AbortController()
  readonly #rest = new Rest(this.#stop.signal)
  /** Ingest time of the last event that was taken up. */
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

  /** Has nothing to do until it is woken. */
  get isIdle(): boolean {
    return this.#underWay === 0 && this.#rest.isSleeping
  }

  start(): void {
    this.#done = this.#loop()
  }

  /** There may be events that wait. */
  wake(): void {
    this.#rest.wake()
  }

  status(): EnrichmentStatus[] {
    return this.#deps.steps.map(({ id, name, looks, invalid }) => {
      if (looks === null)
        return {
          id,
          name,
          state: 'invalid',
          reason: invalid,
          summary: '',
          found: 0,
          nothing: 0,
          failed: 0,
          late: 0,
          remembered: 0,
        }
      const { circuit, counts } = looks
      const state = circuit.failures === 0 ? 'running' : circuit.isTrying() ? 'open' : 'retrying'
      return { id, name, state, reason: looks.reason, summary: looks.summary, ...counts }
    })
  }

  /** What is under way is given up; its events wait in the store. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.#rest.wake()
    await this.#done
    await Promise.all(this.#deps.steps.map(({ looks }) => looks?.close()))
  }

  async #loop(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#rest.look()
      let [restMs, isIdle] = [this.#deps.idleMs, true]
      try {
        const free = bounds.enrichmentsUnderWayMax - this.#underWay
        const events = free > 0 ? this.#deps.feed.look(this.#place, free) : []
        if (events.length > 0 && this.#deps.isCurrent()) {
          for (const event of events) this.#take(event)
          restMs = 0
        }
      } catch (error) {
        this.#deps.failed('events that wait for look-ups could not be read', error)
        ;[restMs, isIdle] = [AGAIN_MS, false]
      }
      if (restMs > 0) await this.#rest.sleep(restMs, isIdle)
      else await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Asks every step about the event. */
  #take({ micros, document }: AwaitedEvent): void {
    const { steps, nowMs } = this.#deps
    this.#place = micros
    this.#underWay++
    const begunMs = nowMs()
    // Behind a clock that was set back events say that they come later than now.
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
    for (const [at, { looks, invalid, timeLimitMs }] of steps.entries()) {
      if (looks === null) settle(at, { outcome: 'failed', reason: invalid })
      else looks.ask(document, fromMs + timeLimitMs, (answer) => settle(at, answer))
    }
  }

  #settled(result: EnrichedResult): void {
    // Given up with the step that was closed: the event waits in the store for the next one.
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
    this.#rest.wake()
  }
}
