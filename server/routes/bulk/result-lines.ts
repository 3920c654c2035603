/**
 * The answer to a stream: one result line for each input line, in the order of the input.
 *
 * Owns: the slots of lines under way, bursts, and results that the client has not read. Leaves out: the input
 * (line-source.ts), the text of a line (event-wire.ts).
 *
 * 1. A line is sent when it and all lines before it are settled.
 * 2. Lines that settle together are sent together, in bounded pieces. A line becomes bytes only then: waiting bytes
 *    would cost garbage collection.
 * 3. If the client reads more slowly than lines settle, they wait here. In the socket's buffer every write would cost
 *    as much as the buffer holds. uWebSockets.js does not report when that buffer is empty, so single lines probe it.
 * 4. A client that reads nothing for too long is disconnected.
 */
import { limits, type EventView, type IngestReceiver, type Refusal, type Stored } from '../../../engine/index.js'
import type { Exchange } from '../../http/exchange.js'
import { answerRoom, putResultLine, refusedLine } from '../event-wire.js'
import type { FairWindow } from './fair-window.js'

const PROBE_FIRST_MS = 1
const PROBE_SLOWEST_MS = 1_000
/** Number of sent slots after which the list is cut. */
const MOVE_UP_AT = 8_192

/** The current piece. All streams share it: it is filled and sent within one call. */
const piece = Buffer.allocUnsafeSlow(limits.bulkPieceBytesMax)

/** Watches the progress of the answer. */
export interface LinesWatcher {
  /** Lines were sent, or may be sent again: there is room for more input. */
  moved(): void
}

/** The place of one input line in the answer. */
export class LineSlot implements IngestReceiver {
  readonly #lines: ResultLines
  readonly #jobId: number | null
  #view: EventView | null = null
  #stored: Stored = 'new'
  #refusal: Buffer | null = null

  constructor(lines: ResultLines, jobId: number | null) {
    this.#lines = lines
    this.#jobId = jobId
  }

  get origin(): Uint8Array {
    return this.#lines.origin
  }

  /** Writes the result line at `at` and returns where it ends; -1 if it is not settled, or there is no room. */
  put(out: Buffer, at: number): number {
    const view = this.#view
    if (view !== null) return at + answerRoom(view) > out.length ? -1 : putResultLine(out, at, view, this.#stored)
    const refusal = this.#refusal
    if (refusal === null || at + refusal.length > out.length) return -1
    return at + refusal.copy(out, at)
  }

  ingested(view: EventView, stored: Stored): void {
    this.#view = view
    this.#stored = stored
    this.#lines.settled()
  }

  refused(refusal: Refusal): void {
    this.#refusal = refusedLine(refusal, this.#jobId)
    this.#lines.settled()
  }
}

export class ResultLines {
  readonly #exchange: Exchange
  readonly #window: FairWindow
  readonly #owner: string
  readonly #watcher: LinesWatcher
  /** Of the events of all lines (event-origin.ts). */
  readonly origin: Uint8Array
  /** True while lines are under way, so that the stream has a share of the window. */
  #shares = false
  #slots: (LineSlot | null)[] = []
  #head = 0
  #burst: NodeJS.Immediate | null = null
  /** Since when the client has not read everything; null if it has. */
  #blockedSince: number | null = null
  #probe: NodeJS.Timeout | null = null
  #probeMs = PROBE_FIRST_MS
  #closed = false

  /** `owner` is the caller. */
  // biome-ignore lint/complexity/useMaxParams: made once for each stream.
  constructor(exchange: Exchange, window: FairWindow, owner: string, origin: Uint8Array, watcher: LinesWatcher) {
    this.#exchange = exchange
    this.#window = window
    this.#owner = owner
    this.origin = origin
    this.#watcher = watcher
  }

  /** Lines whose results have not been sent. */
  get underWay(): number {
    return this.#slots.length - this.#head
  }

  /** How many more lines may be taken; none at 0 or below. */
  get room(): number {
    return this.#window.share(this.#owner) - this.underWay
  }

  /** Takes the next place. */
  add(slot: LineSlot): void {
    this.#slots.push(slot)
    this.#share()
  }

  /** A slot has its result. It is sent after the engine has delivered all results of this round. */
  settled(): void {
    if (this.#closed || this.#burst !== null || this.#blockedSince !== null) return
    this.#burst = setImmediate(() => {
      this.#burst = null
      this.#flush()
    })
  }

  /** Nothing is sent after this. */
  close(): void {
    this.#closed = true
    this.#slots = []
    this.#head = 0
    this.#share()
    if (this.#burst !== null) clearImmediate(this.#burst)
    if (this.#probe !== null) clearTimeout(this.#probe)
  }

  #flush(): void {
    let bytes = this.#takeSettled(Number.POSITIVE_INFINITY)
    while (bytes !== null && this.#write(bytes)) bytes = this.#takeSettled(Number.POSITIVE_INFINITY)
    this.#watcher.moved()
  }

  #share(): void {
    const shares = this.underWay > 0
    if (shares === this.#shares) return
    this.#shares = shares
    if (shares) this.#window.join(this.#owner)
    else this.#window.leave(this.#owner)
  }

  /** Settled lines from the front, as many as fit into a piece, at most `linesMax`; null if there are none. */
  #takeSettled(linesMax: number): Uint8Array | null {
    const slots = this.#slots
    const end = Math.min(slots.length, this.#head + linesMax)
    let head = this.#head
    let at = 0
    while (head < end) {
      const lineEnd = slots[head]!.put(piece, at)
      if (lineEnd < 0) break
      at = lineEnd
      // The slot is released at once: kept until the cut, it would reach the old generation of the heap.
      slots[head++] = null
    }
    this.#head = head
    if (head === slots.length || head >= MOVE_UP_AT) {
      this.#slots = slots.slice(head)
      this.#head = 0
    }
    this.#share()
    return at === 0 ? null : piece.subarray(0, at)
  }

  /** False if the client has not read everything; until it has, only probes are written. */
  #write(bytes: Uint8Array): boolean {
    if (this.#exchange.write(bytes)) {
      this.#blockedSince = null
      this.#probeMs = PROBE_FIRST_MS
      return true
    }
    this.#blockedSince ??= performance.now()
    this.#probe = setTimeout(() => this.#probeOnce(), this.#probeMs)
    this.#probeMs = Math.min(this.#probeMs * 2, PROBE_SLOWEST_MS)
    return false
  }

  #probeOnce(): void {
    if (performance.now() - (this.#blockedSince ?? 0) > limits.bulkStalledMsMax) return this.#exchange.cut()
    const line = this.#takeSettled(1)
    if (line === null) this.#blockedSince = null
    else if (!this.#write(line)) return
    this.#flush()
  }
}
