/**
 * Documents of one input that could not become events. They are kept so that people can inspect, retry or discard them.
 *
 * Owns: how many are kept, and how much of each. Leaves out: rows (ledger.ts), turning documents into events
 * (intake.ts).
 *
 * 1. A document is kept before its counterpart gets an acknowledgement.
 * 2. Documents may be discarded, or refused again, while they are tried: what they are after it counts.
 * 3. There is one for each id. Beyond `refusedKeptMax` documents are only counted and named (intake.ts).
 */
import { bounds } from '../bounds.js'
import type { SourceDocument } from '../contract.js'
import { misfitOf } from '../document-body.js'
import type { Ledger, RefusedDocument, StepId } from './ledger.js'

/** How documents fared at the engine. */
export interface TakenIn {
  /** Documents that are no events and never will be, by their place in the piece, and why. */
  readonly refused: readonly { readonly at: number; readonly reason: string }[]
  /** Documents that are new events, and that took the place of an earlier one. The others were stored already. */
  readonly fresh?: number
  readonly replaced?: number
  /** The engine could not take them in now, and why; null where it has. */
  readonly busy: string | null
}

export class Refused {
  readonly #ledger: Ledger
  readonly #step: StepId
  readonly #nowMs: () => number
  #count = 0

  constructor(ledger: Ledger, step: StepId, nowMs: () => number) {
    this.#ledger = ledger
    this.#step = step
    this.#nowMs = nowMs
    for (const _ of ledger.refused(step)) this.#count++
  }

  get count(): number {
    return this.#count
  }

  keep({ id, body }: SourceDocument, reason: string): void {
    const before = this.#ledger.refusedOne(this.#step, id)
    if (before === null && this.#count >= bounds.refusedKeptMax) return
    if (before === null) this.#count++
    const now = this.#nowMs()
    const isWhole = body.length <= bounds.refusedBytesMax
    const kept = Buffer.from(isWhole ? body : body.subarray(0, bounds.refusedBytesMax)).toString('base64')
    this.#ledger.putRefused(this.#step, {
      id,
      reason,
      attempts: (before?.attempts ?? 0) + 1,
      firstMs: before?.firstMs ?? now,
      lastMs: now,
      body: kept,
      isWhole,
    })
  }

  /** Tries documents again: the one with this id, or all. Returns how many were tried. Those still refused stay. */
  async takeAgain(
    id: string | null,
    takeIn: (documents: readonly SourceDocument[]) => Promise<TakenIn>,
  ): Promise<number> {
    const tried = this.#select(id)
    const documents = tried
      .filter(({ isWhole }) => isWhole)
      .map((one) => ({ id: one.id, body: Buffer.from(one.body, 'base64') }))
    const fit = documents.filter(({ body }) => misfitOf(body) === null)
    const { refused, busy } = fit.length === 0 ? { refused: [], busy: null } : await takeIn(fit)
    const reasons = new Map(refused.map(({ at, reason }) => [fit[at]?.id, reason]))
    const isTaken = new Set(busy === null ? fit.filter((one) => !reasons.has(one.id)).map((one) => one.id) : [])
    for (const { id: kept } of tried) {
      // It may have been discarded, or refused once more, while it was tried.
      const now = this.#ledger.refusedOne(this.#step, kept)
      if (now === null) continue
      if (isTaken.has(kept)) this.#drop(now)
      else
        this.#ledger.putRefused(this.#step, {
          ...now,
          reason: reasons.get(kept) ?? busy ?? now.reason,
          attempts: now.attempts + 1,
          lastMs: this.#nowMs(),
        })
    }
    this.#ledger.flush()
    return tried.length
  }

  /** Discards documents: the one with this id, or all. Returns how many. */
  discard(id: string | null): number {
    const kept = this.#select(id)
    for (const one of kept) this.#drop(one)
    this.#ledger.flush()
    return kept.length
  }

  #select(id: string | null): RefusedDocument[] {
    const kept = id === null ? [...this.#ledger.refused(this.#step)] : [this.#ledger.refusedOne(this.#step, id)]
    return kept.filter((one) => one !== null)
  }

  #drop({ id }: RefusedDocument): void {
    this.#ledger.dropRefused(this.#step, id)
    this.#count--
  }
}
