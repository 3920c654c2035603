/**
 * Parcels that came from other processes: each is taken once, and its answer is kept until its sender has it.
 *
 * Owns: what is known of each parcel. Leaves out: sending (parcels.ts), frames (parcel-frame.ts).
 *
 * | a parcel  | where its sender asks for it                                                     |
 * |-----------|----------------------------------------------------------------------------------|
 * | is run    | nothing: the answer will come                                                    |
 * | was run   | its answer, again                                                                |
 * | is not    | nobody has it; from now on it is not taken, should it still come                 |
 * | here      |                                                                                  |
 *
 * 1. So a parcel, or an answer, that a server has lost costs a moment, and a parcel is never run twice.
 */
import { decodeFrame, emptyFrame, Parts } from './parcel-frame.js'

/**
 * Milliseconds until the parts of a parcel have to be complete; that an answer is kept, at most; until a silent sender
 * is forgotten.
 */
const [PARTS_MS, KEPT_MS, SILENT_MS] = [30_000, 4_000, 60_000]

/** What is known of the parcels of one process, by their numbers. */
class Sender {
  readonly incomplete = new Map<number, Parts>()
  readonly running = new Set<number>()
  /** In the order of their ends. Null: it was run, and its answer is not kept any more. */
  readonly answers = new Map<number, { readonly atMs: number; bytes: Uint8Array | null }>()
  readonly dropped = new Set<number>()
  heardMs = performance.now()
  #oldest = 0

  /** The sender waits for none before `oldest` any more. */
  forget(oldest: number): void {
    this.#oldest = Math.max(this.#oldest, oldest)
    for (const known of [this.incomplete, this.answers, this.dropped])
      for (const number of known.keys()) if (number < oldest) known.delete(number)
    const untilMs = performance.now() - KEPT_MS
    for (const answer of this.answers.values()) {
      if (answer.atMs > untilMs) break
      answer.bytes = null
    }
  }

  /** It is not to be taken: it was, or its sender knows that it was not. */
  isPast(number: number): boolean {
    return number < this.#oldest || this.running.has(number) || this.answers.has(number) || this.dropped.has(number)
  }
}

/** Whole bytes, or one frame. */
export type ParcelAnswer = { readonly whole: Uint8Array } | { readonly frame: Buffer }

export interface ParcelHostDeps {
  /** Runs a request, and does not reject. */
  run(request: Uint8Array): Promise<Uint8Array>
  /** Sends the answer to a parcel. */
  answer(to: string, answer: ParcelAnswer): void
}

export class ParcelHost {
  readonly #deps: ParcelHostDeps
  readonly #senders = new Map<string, Sender>()

  constructor(deps: ParcelHostDeps) {
    this.#deps = deps
  }

  /** A frame of the parcel with this number. `to`: where its answer goes. */
  take({ sender, number, to }: { sender: string; number: number; to: string }, data: Uint8Array): void {
    const frame = decodeFrame(data)
    if (frame === null) return
    const from = this.#senders.get(sender) ?? new Sender()
    this.#senders.set(sender, from)
    from.heardMs = performance.now()
    from.forget(frame.oldest)
    if (frame.parts === 0) return this.#tell(from, number, to)
    if (from.isPast(number)) return
    const parts = from.incomplete.get(number) ?? new Parts()
    from.incomplete.set(number, parts)
    const whole = parts.add(frame)
    if (whole === null) return
    from.incomplete.delete(number)
    from.running.add(number)
    void this.#deps.run(whole).then((answer) => {
      from.running.delete(number)
      from.answers.set(number, { bytes: answer, atMs: performance.now() })
      this.#deps.answer(to, { whole: answer })
    })
  }

  /** Forgets what is too old. */
  sweep(): void {
    const nowMs = performance.now()
    for (const [name, { incomplete, running, heardMs }] of this.#senders) {
      for (const [number, { sinceMs }] of incomplete) if (nowMs - sinceMs > PARTS_MS) incomplete.delete(number)
      if (nowMs - heardMs > SILENT_MS && running.size === 0) this.#senders.delete(name)
    }
  }

  #tell(from: Sender, number: number, to: string): void {
    const bytes = from.answers.get(number)?.bytes
    if (bytes === null || from.running.has(number)) return
    if (bytes !== undefined) return this.#deps.answer(to, { whole: bytes })
    from.incomplete.delete(number)
    from.dropped.add(number)
    this.#deps.answer(to, { frame: emptyFrame() })
  }
}
