/**
 * Reads the documents of one step from its counterpart and passes them to the mailbox of its job.
 *
 * Owns: the loop, and when a checkpoint is stored. Leaves out: reading (the kinds), pauses (pace.ts), storing events
 * (behind Doorstep).
 *
 * 1. A checkpoint is stored after the documents of its piece are on disk. After a crash in between the piece is read
 *    again. Its documents have the same ids, so they become the same events (S6): read at least once, stored exactly
 *    once.
 * 2. While one piece is stored, only the next one is read ahead. So memory is bounded, and a busy engine slows the
 *    counterpart down.
 * 3. An input whose counterpart says that it will bring nothing stops (halt.ts), and keeps its checkpoint.
 * 4. A document that can never be an event is counted and named in the reason. It is kept (refused-documents.ts) before
 *    its checkpoint is stored.
 */
import type { Finding } from '../../domain/event/finding.js'
import type { Source, SourceDocument, SourcePiece, SourceState } from '../contract.js'
import { SourceFailure } from '../contract.js'
import { Halt, type Halted } from './halt.js'
import type { Ledger, StepId } from './ledger.js'
import type { Circuit, Pace } from './pace.js'
import { Refused, type TakenIn } from './refused-documents.js'
import { LoopSleep } from './loop-sleep.js'

/** Where documents become events: resolves when all are on disk or refused. */
export type DocumentBatches = (step: StepId, documents: readonly SourceDocument[]) => Promise<TakenIn>

export interface InputPollerDeps {
  readonly step: StepId
  readonly source: Source
  readonly takeIn: DocumentBatches
  readonly ledger: Ledger
  readonly circuit: Circuit
  readonly pace: Pace
  nowMs(): number
  failed(what: string, error: unknown): void
  /** Told what a source found. */
  found?(step: StepId, findings: readonly Finding[]): void
  /** Called when the counterpart says that it will bring nothing, and when it does again. */
  halted?(): void
}

export interface IntakeStatus {
  readonly state: 'running' | 'retrying' | 'open' | 'stopped'
  /** Since the start of the service: new events, new versions of events, documents that were stored already. */
  readonly taken: number
  readonly replaced: number
  readonly same: number
  readonly refused: number
  /** Kept across restarts. */
  readonly lastTakenMs: number | null
  readonly reason: string
  /** As in SourceState; null if the source does not know. */
  readonly readThroughMs: number | null
  /** How long what may be waiting at the counterpart has been there at most; null before the first answer. */
  readonly behindMs: number | null
  /** Set where the counterpart says that it will bring nothing. */
  readonly halted: Halted | null
}

export class InputPoller {
  readonly #deps: InputPollerDeps
  readonly #stop = new AbortController()
  readonly #sleep = new LoopSleep(this.#stop.signal)
  /** Refused documents that are kept. */
  readonly #kept: Refused
  readonly #halt: Halt
  #checkpoint: unknown
  #taken = 0
  #replaced = 0
  #same = 0
  #refused = 0
  #lastTakenMs: number | null
  #reason = ''
  #state: SourceState | null = null
  /** When the source last had nothing more. */
  #emptyMs: number | null = null
  /** The current piece. It is tried again after a failure: the checkpoint of the next one would skip it. */
  #piece: SourcePiece | null = null
  /** The next piece, read ahead. */
  #ahead: Promise<SourcePiece> | null = null
  #done: Promise<void> | null = null

  constructor(deps: InputPollerDeps) {
    this.#deps = deps
    const { checkpoint, lastTakenMs } = deps.ledger.progress(deps.step)
    this.#checkpoint = checkpoint
    this.#lastTakenMs = lastTakenMs
    this.#kept = new Refused(deps.ledger, deps.step, () => deps.nowMs())
    this.#halt = new Halt(deps.pace, () => deps.halted?.())
  }

  start(): void {
    this.#done = this.#loop()
  }

  status(): IntakeStatus {
    const { circuit } = this.#deps
    const { readThroughMs = null, remark = '' } = this.#state ?? {}
    return {
      state: this.#halt.isStopped ? 'stopped' : circuit.status,
      taken: this.#taken,
      replaced: this.#replaced,
      same: this.#same,
      refused: this.#refused,
      lastTakenMs: this.#lastTakenMs,
      reason:
        this.#halt.halted?.reason ?? (circuit.reason || [this.#reason, remark].filter((one) => one !== '').join('; ')),
      halted: this.#halt.halted,
      readThroughMs,
      behindMs: this.#behindMs(),
    }
  }

  /** Tries again now. Returns whether the input was stopped. */
  resume(): boolean {
    const wasStopped = this.#halt.isStopped
    this.#halt.goOn()
    this.#deps.circuit.endPause()
    this.#sleep.interrupt()
    return wasStopped
  }

  #behindMs(): number | null {
    const sinceMs = this.#state?.isBehind === true ? this.#state.readThroughMs : this.#emptyMs
    return sinceMs === null ? null : Math.max(0, this.#deps.nowMs() - sinceMs)
  }

  /** Tries refused documents again: the one with this id, or all. Returns how many were tried. */
  takeAgain(id: string | null): Promise<number> {
    return this.#kept.takeAgain(id, (documents) => this.#deps.takeIn(this.#deps.step, documents))
  }

  /** Discards refused documents: the one with this id, or all. Returns how many. */
  discard(id: string | null): number {
    return this.#kept.discard(id)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#sleep.wake()
    await this.#done
    await this.#ahead?.catch(() => {})
    await this.#deps.source.close()
  }

  async #loop(): Promise<void> {
    const { nowMs, pace } = this.#deps
    while (!this.#stop.signal.aborted) {
      this.#sleep.beginPass()
      const stoppedMs = this.#halt.waitMs(nowMs())
      if (stoppedMs > 0) {
        await this.#sleep.sleep(Math.min(pace.idleMs, stoppedMs), true)
        continue
      }
      let restMs: number
      try {
        restMs = await this.#poll()
      } catch (error) {
        restMs = this.#fail(error)
      }
      if (restMs > 0) await this.#sleep.sleep(restMs, false)
    }
  }

  /** Handles one piece. Returns how long to sleep after it. */
  async #poll(): Promise<number> {
    const { step, source, circuit, ledger, nowMs, found } = this.#deps
    const wait = circuit.enter(nowMs())
    if (wait > 0) return wait
    this.#piece ??= await this.#fetch()
    const { documents, checkpoint, more, note = '', state, findings } = this.#piece
    const noEvents = new Set<string>()
    circuit.succeeded()
    this.#halt.goOn()
    if (documents.length > 0) {
      if (more && this.#ahead === null) this.#fetchAhead(checkpoint)
      const refused = await this.#takeIn(documents)
      if (refused === null) return 0
      this.#refused += refused.length
      this.#lastTakenMs = nowMs()
      for (const { at, reason } of refused) {
        const document = documents[at] as SourceDocument
        this.#kept.keep(document, reason)
        noEvents.add(document.id)
      }
      const [first] = refused
      this.#reason =
        first === undefined ? note : `the document ${documents[first.at]?.id ?? ''} is not an event: ${first.reason}`
    }
    if (note !== '') this.#reason = note
    if (findings !== undefined) found?.(step, findings)
    this.#state = state ?? null
    if (!more) this.#emptyMs = nowMs()
    if (documents.length > 0 || JSON.stringify(checkpoint) !== JSON.stringify(this.#checkpoint))
      ledger.putProgress(step, { checkpoint, lastTakenMs: this.#lastTakenMs })
    this.#checkpoint = checkpoint
    this.#piece = null
    // A counterpart that deletes acknowledged documents must not do so before the checkpoint is on disk.
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
    // A failure is handled when this piece is used.
    this.#ahead.catch(() => {})
  }

  /** Returns the refused documents once all others are on disk; null if stopped before. */
  async #takeIn(documents: readonly SourceDocument[]): Promise<TakenIn['refused'] | null> {
    const { step, takeIn, pace } = this.#deps
    const fit = documents.filter(({ unfit }) => unfit === undefined)
    const unfit = documents.flatMap(({ unfit: reason }, at) => (reason === undefined ? [] : [{ at, reason }]))
    if (fit.length === 0) return unfit
    let stored = 0
    for (;;) {
      const { refused, busy, fresh, replaced = 0 } = await takeIn(step, fit)
      const made = fresh ?? (busy === null ? fit.length - refused.length : 0)
      stored += made + replaced
      this.#taken += made
      this.#replaced += replaced
      if (busy === null) {
        // What an earlier try has stored is not counted again.
        this.#same += fit.length - refused.length - stored
        return [
          ...unfit,
          ...refused.map(({ at, reason }) => ({ at: documents.indexOf(fit[at] as SourceDocument), reason })),
        ]
      }
      this.#reason = busy
      await this.#sleep.sleep(pace.baseMs, false)
      if (this.#stop.signal.aborted) return null
    }
  }

  #fail(error: unknown): number {
    const { circuit, pace, nowMs, failed } = this.#deps
    if (this.#stop.signal.aborted) {
      circuit.release()
      return 0
    }
    if (error instanceof SourceFailure) {
      if (error.lasting === undefined) this.#halt.goOn()
      else if (this.#halt.failed(error.lasting, error.message, nowMs())) {
        circuit.release()
        return 0
      }
      circuit.failed(nowMs(), error.message, error.retryAfterMs)
    } else {
      circuit.failed(nowMs(), 'the integration failed; see the log of the service')
      failed('an integration failed', error)
    }
    return pace.baseMs
  }
}
