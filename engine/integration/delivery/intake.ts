/**
 * One step that brings events in: from its counterpart to the mailbox of its job, each document once.
 *
 * Owns: the loop, and when a checkpoint is kept. Leaves out: what is asked (contract.ts, Source), when it may be asked
 * (pace.ts), taking events in (the engine's; Doorstep is what is seen of it here).
 *
 * 1. A checkpoint is kept after the documents of its piece are on disk. Whatever dies in between, the piece is read again, and
 *    its documents are the events that they were (S6): at least once here, exactly once in the store.
 * 2. While one piece is taken in the next one is fetched, and no more: what waits is bounded, and an engine that is busy
 *    makes the counterpart wait.
 * 3. A document that can never be an event is passed, counted, named in the reason, and kept (refused-documents.ts) before its
 *    checkpoint is.
 */
import type { Source, SourceDocument, SourcePiece } from '../contract.js'
import { SourceFailure } from '../contract.js'
import type { Ledger, StepId } from './ledger.js'
import type { Circuit, Pace } from './pace.js'
import { Refused, type TakenIn } from './refused-documents.js'
import { Rest } from './loop-sleep.js'

/** Where documents become events: resolves when all are on disk or refused. */
export type DocumentBatches = (step: StepId, documents: readonly SourceDocument[]) => Promise<TakenIn>

export interface IntakeDeps {
  readonly step: StepId
  readonly source: Source
  readonly takeIn: DocumentBatches
  readonly ledger: Ledger
  readonly circuit: Circuit
  readonly pace: Pace
  nowMs(): number
  failed(what: string, error: unknown): void
}

export interface IntakeStatus {
  readonly state: 'running' | 'retrying' | 'open'
  /** Since the start of the service. */
  readonly taken: number
  readonly refused: number
  readonly lastTakenMs: number | null
  readonly reason: string
}

export class Intake {
  readonly #deps: IntakeDeps
  readonly #stop = new AbortController()
  readonly #rest = new Rest(this.#stop.signal)
  /** What was no event and is kept. */
  readonly #kept: Refused
  #checkpoint: unknown
  #taken = 0
  #refused = 0
  #lastTakenMs: number | null = null
  #reason = ''
  /** The piece that is being taken in; again where that failed, since the checkpoint of the next one would pass it over. */
  #piece: SourcePiece | null = null
  /** The piece behind it. */
  #ahead: Promise<SourcePiece> | null = null
  #done: Promise<void> | null = null

  constructor(deps: IntakeDeps) {
    this.#deps = deps
    this.#checkpoint = deps.ledger.checkpoint(deps.step)
    this.#kept = new Refused(deps.ledger, deps.step, () => deps.nowMs())
  }

  start(): void {
    this.#done = this.#loop()
  }

  status(): IntakeStatus {
    const { circuit } = this.#deps
    const state = circuit.failures === 0 ? 'running' : circuit.isTrying() ? 'open' : 'retrying'
    return {
      state,
      taken: this.#taken,
      refused: this.#refused,
      lastTakenMs: this.#lastTakenMs,
      reason: circuit.reason || this.#reason,
    }
  }

  /** Documents that were no events are taken in again, that with this id or all; how many were tried. */
  takeAgain(id: string | null): Promise<number> {
    return this.#kept.takeAgain(id, (documents) => this.#deps.takeIn(this.#deps.step, documents))
  }

  /** Documents that were no events are given up; how many they were. */
  discard(id: string | null): number {
    return this.#kept.discard(id)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#rest.wake()
    await this.#done
    await this.#ahead?.catch(() => {})
    await this.#deps.source.close()
  }

  async #loop(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      let restMs: number
      try {
        restMs = await this.#poll()
      } catch (error) {
        restMs = this.#fail(error)
      }
      if (restMs > 0) await this.#rest.sleep(restMs, false)
    }
  }

  /** One piece; how long to rest after it. */
  async #poll(): Promise<number> {
    const { step, source, circuit, ledger, nowMs } = this.#deps
    const wait = circuit.enter(nowMs())
    if (wait > 0) return wait
    this.#piece ??= await this.#fetch()
    const { documents, checkpoint, more, note = '' } = this.#piece
    const noEvents = new Set<string>()
    circuit.succeeded()
    if (documents.length > 0) {
      if (more && this.#ahead === null) this.#fetchAhead(checkpoint)
      const refused = await this.#takeIn(documents)
      if (refused === null) return 0
      this.#taken += documents.length - refused.length
      this.#refused += refused.length
      this.#lastTakenMs = nowMs()
      for (const { at, reason } of refused) {
        const document = documents[at] as SourceDocument
        this.#kept.keep(document, reason)
        noEvents.add(document.id)
      }
      const [first] = refused
      this.#reason =
        first === undefined ? note : `the document ${documents[first.at]?.id ?? ''} is no event: ${first.reason}`
    }
    if (note !== '') this.#reason = note
    if (JSON.stringify(checkpoint) !== JSON.stringify(this.#checkpoint)) ledger.putCheckpoint(step, checkpoint)
    this.#checkpoint = checkpoint
    this.#piece = null
    // Who forgets what was taken must not do so before the checkpoint is on disk.
    if (source.taken !== undefined && documents.length > 0 && ledger.flush()) await source.taken(checkpoint, noEvents)
    return more || documents.length > 0 ? 0 : source.pollMs
  }

  #fetch(): Promise<SourcePiece> {
    const fetching = this.#ahead ?? this.#deps.source.poll(this.#checkpoint, this.#stop.signal)
    this.#ahead = null
    return fetching
  }

  #fetchAhead(checkpoint: unknown): void {
    this.#ahead = this.#deps.source.poll(checkpoint, this.#stop.signal)
    // A failure is met when its turn comes.
    this.#ahead.catch(() => {})
  }

  /** Which documents were refused when all others are on disk; null where it was stopped before they were. */
  async #takeIn(documents: readonly SourceDocument[]): Promise<TakenIn['refused'] | null> {
    const { step, takeIn, pace } = this.#deps
    const fit = documents.filter(({ unfit }) => unfit === undefined)
    const unfit = documents.flatMap(({ unfit: reason }, at) => (reason === undefined ? [] : [{ at, reason }]))
    if (fit.length === 0) return unfit
    for (;;) {
      const { refused, busy } = await takeIn(step, fit)
      if (busy === null)
        return [
          ...unfit,
          ...refused.map(({ at, reason }) => ({ at: documents.indexOf(fit[at] as SourceDocument), reason })),
        ]
      this.#reason = busy
      await this.#rest.sleep(pace.baseMs, false)
      if (this.#stop.signal.aborted) return null
    }
  }

  #fail(error: unknown): number {
    const { circuit, pace, nowMs, failed } = this.#deps
    if (this.#stop.signal.aborted) {
      circuit.left()
      return 0
    }
    if (error instanceof SourceFailure) circuit.failed(nowMs(), error.message, error.retryAfterMs)
    else {
      circuit.failed(nowMs(), 'the integration failed; the log of the service says how')
      failed('an integration failed', error)
    }
    return pace.baseMs
  }
}
