/**
 * The answer side of a streamed request: one result line for each input line, in the order of the input.
 *
 * Owns: the slots of lines that are under way, bursts, and what the client has not read yet. Leaves out: the input
 * (line-source.ts), what a line says (event-wire.ts).
 *
 * 1. A line leaves when it and all lines before it are settled.
 * 2. What settles together leaves together, in pieces that are cheap to keep. A line becomes bytes only then: what waits is
 *    what the garbage collector spends its time on.
 * 3. Once the client reads more slowly than we write, lines wait here and not in the socket's buffer, whose every write
 *    costs as much as it holds. uWebSockets.js drains that buffer but does not say when: a line now and then finds out.
 * 4. A client that reads nothing for too long is cut off.
 */
import { limits, type EventView, type IngestReceiver, type Refusal } from '../../../engine/index.js'
import type { Exchange } from '../../http/exchange.js'
import { answerRoom, putResultLine, refusedLine } from '../event-wire.js'
import type { FairWindow } from './fair-window.js'

const PROBE_FIRST_MS = 1
const PROBE_SLOWEST_MS = 1_000
/** Taken slots that are kept before the list moves up. */
const MOVE_UP_AT = 8_192

/** The piece that is being put together: one for all streams, used and sent within one call. */
const piece = Buffer.allocUnsafeSlow(limits.bulkPieceBytesMax)

/** Told how the answer gets on. */
export interface LinesWatcher {
  /** Lines have left, or may leave again: there is room for more input. */
  moved(): void
}

/** One input line's place in the answer. */
export class LineSlot implements IngestReceiver {
  readonly #lines: ResultLines
  readonly #jobId: number | null
  #view: EventView | null = null
  #refusal: Buffer | null = null

  constructor(lines: ResultLines, jobId: number | null) {
    this.#lines = lines
    this.#jobId = jobId
  }

  /** Puts the result line at `at`; where it ends, or -1 while it is not known, or where there is no room. */
  put(out: Buffer, at: number): number {
    const view = this.#view
    if (view !== null) return at + answerRoom(view) > out.length ? -1 : putResultLine(out, at, view)
    const refusal = this.#refusal
    if (refusal === null || at + refusal.length > out.length) return -1
    return at + refusal.copy(out, at)
  }

  ingested(view: EventView): void {
    this.#view = view
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
  readonly #watcher: LinesWatcher
  /** Has lines under way, and so a share of the window. */
  #shares = false
  #slots: (LineSlot | null)[] = []
  #head = 0
  #burst: NodeJS.Immediate | null = null
  /** The client had not read everything when last written to; since then. */
  #blockedSince: number | null = null
  #probe: NodeJS.Timeout | null = null
  #probeMs = PROBE_FIRST_MS
  #closed = false

  constructor(exchange: Exchange, window: FairWindow, watcher: LinesWatcher) {
    this.#exchange = exchange
    this.#window = window
    this.#watcher = watcher
  }

  /** Lines whose results have not left. */
  get underWay(): number {
    return this.#slots.length - this.#head
  }

  /** How many more lines may be taken in; 0 or less: none. */
  get room(): number {
    return this.#window.share - this.underWay
  }

  /** Takes the next place. */
  add(slot: LineSlot): void {
    this.#slots.push(slot)
    this.#share()
  }

  /** A slot has its outcome: it leaves when the engine has told all it has to tell. */
  settled(): void {
    if (this.#closed || this.#burst !== null || this.#blockedSince !== null) return
    this.#burst = setImmediate(() => {
      this.#burst = null
      this.#flush()
    })
  }

  /** Nothing leaves any more. */
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
    if (shares) this.#window.join()
    else this.#window.leave()
  }

  /** Settled lines from the front, as many as fit into a piece, `linesMax` at most; null when there is none. */
  #takeSettled(linesMax: number): Uint8Array | null {
    const slots = this.#slots
    const end = Math.min(slots.length, this.#head + linesMax)
    let head = this.#head
    let at = 0
    while (head < end) {
      const lineEnd = slots[head]!.put(piece, at)
      if (lineEnd < 0) break
      at = lineEnd
      // Its place stays for a while; what it holds would outlive young collections, and make each of them dear.
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

  /** False when the client has not read everything; then nothing but probes is written until it has. */
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
