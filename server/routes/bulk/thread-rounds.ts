/**
 * How streams share the HTTP thread. A round is one pass of the event loop. What does not fit into it waits for a later
 * one. All other requests have their time in between.
 *
 * Owns: the lines that streams take in a round, which sockets are read, and the bytes that wait. Leaves out: how many
 * lines are under way (fair-window.ts), pausing and resuming a socket (line-source.ts).
 *
 * uSockets reads a socket until a read is less than full (512 KiB), also after `pause`. So once reading has begun,
 * everything that the kernel has buffered arrives in the same round, and what the client adds meanwhile. Only closing
 * the connection stops that. Therefore:
 *
 * 1. A socket that was paused is read again only when the stream's round comes. Streams that brought much have a round
 *    each; those that brought little share one. All sockets are paused in a round that has brought much.
 * 2. No such round comes while too many bytes of its caller wait, or too many bytes of all (round-limits.ts). A stream
 *    that begins then waits for a round, too. Else a connection that was closed could be opened again and be read.
 * 3. A connection that brings more than `burstBytesMax` in one round is closed, and so is one whose bytes find no
 *    room. So memory is bounded.
 * 4. Callers take turns, and so do the streams of one caller (fair-queue.ts).
 */
import { HeldBytes } from '../../http/held-bytes.js'
import { FairQueue } from './fair-queue.js'
import { roundLimits } from './round-limits.js'
import type { SharedCallers } from './shared-callers.js'
import { RoundShare, type Rounds, type RoundTaker } from './round-share.js'

/** Milliseconds between two reports of closed connections. */
const CUT_REPORT_MS = 10_000
/** Milliseconds until a stream that finds no room looks again. */
const LOOK_MS = 5

/** A caller. */
interface Owner {
  /** Bytes of its streams that wait. */
  readonly held: HeldBytes
  streams: number
}

export class ThreadRounds implements Rounds {
  /** Bytes of all streams that wait. */
  readonly held: HeldBytes
  readonly #shared: SharedCallers | null
  readonly #owners = new Map<string, Owner>()
  readonly #shares = new Set<RoundShare>()
  readonly #takers = new FairQueue<RoundShare>()
  readonly #littleReaders = new FairQueue<RoundShare>()
  readonly #readers = new FairQueue<RoundShare>()
  #number = 0
  #linesLeft: number = roundLimits.linesMax
  /** What has arrived in this round. */
  #burst = 0
  #next: NodeJS.Immediate | null = null
  #look: NodeJS.Timeout | null = null
  readonly #onCut: (owner: string) => void
  #cutReportedAt = Number.NEGATIVE_INFINITY

  /**
   * `onCut` is called when connections are closed (3), but not for each. `shared`: where several threads of HTTP
   * share the bounds of what waits.
   */
  constructor(onCut: (owner: string) => void, shared: SharedCallers | null = null) {
    this.#onCut = onCut
    this.#shared = shared
    this.held = new HeldBytes(roundLimits.heldBytesMax, null, undefined, shared?.held)
  }

  get number(): number {
    return this.#number
  }

  get linesLeft(): number {
    return this.#linesLeft
  }

  /** A stream begins. `owner` is the caller. */
  join(owner: string, taker: RoundTaker): RoundShare {
    let its = this.#owners.get(owner)
    if (its === undefined) {
      const held = new HeldBytes(
        roundLimits.callerHeldBytesMax,
        this.held,
        () => this.#onLess(),
        this.#shared?.heldOf(owner),
      )
      its = { held, streams: 0 }
      this.#owners.set(owner, its)
    }
    its.streams++
    const share = new RoundShare(this, owner, its.held, taker)
    this.#shares.add(share)
    return share
  }

  /** There is room for what a stream of this caller brings that begins. */
  mayBegin(owner: string): boolean {
    return this.#mayLittle(owner)
  }

  spend(lines: number): void {
    this.#linesLeft -= lines
    this.end()
  }

  /** Bytes have arrived. */
  arrived(bytes: number): void {
    this.end()
    const before = this.#burst
    this.#burst += bytes
    if (before > roundLimits.bytesMax || this.#burst <= roundLimits.bytesMax) return
    for (const share of this.#shares) share.taker.rest()
  }

  /** The round ends before the event loop looks at its sockets again. */
  end(): void {
    this.#next ??= setImmediate(() => this.#begin())
  }

  waitToTake(share: RoundShare): void {
    this.#takers.add(share.owner, share)
    this.end()
  }

  waitToRead(share: RoundShare): void {
    const readers = share.bringsLittle ? this.#littleReaders : this.#readers
    readers.add(share.owner, share)
    this.end()
  }

  withdrawRead(share: RoundShare): void {
    this.#littleReaders.delete(share.owner, share)
    this.#readers.delete(share.owner, share)
  }

  /** A connection is closed (3). */
  cut({ owner }: RoundShare): void {
    const now = performance.now()
    if (now - this.#cutReportedAt < CUT_REPORT_MS) return
    this.#cutReportedAt = now
    this.#onCut(owner)
  }

  leave(share: RoundShare): void {
    this.#shares.delete(share)
    this.withdrawRead(share)
    this.#takers.delete(share.owner, share)
    const its = this.#owners.get(share.owner)
    if (its !== undefined && --its.streams === 0) this.#owners.delete(share.owner)
  }

  #begin(): void {
    this.#next = null
    this.#number++
    this.#burst = 0
    this.#linesLeft = roundLimits.linesMax
    // Whoever waits again in this round has its turn in the next one.
    for (let waiting = this.#takers.size; waiting > 0 && this.#linesLeft > 0; waiting--)
      this.#takers.next()?.taker.take()
    if (this.#takers.size > 0) this.end()
    this.#letRead()
  }

  #letRead(): void {
    this.#readers.next(this.#mayMuch)?.taker.read()
    for (let i = 0; i < roundLimits.littleAtOnce; i++) {
      const share = this.#littleReaders.next(this.#mayLittle)
      if (share === null) break
      share.taker.read()
    }
    if (this.#mayRead()) this.end()
    else if (this.#shared !== null && this.#readers.size + this.#littleReaders.size > 0) this.#lookAgain()
  }

  /** Another thread does not tell that it holds less. */
  #lookAgain(): void {
    this.#look ??= setTimeout(() => {
      this.#look = null
      this.end()
    }, LOOK_MS)
  }

  #mayRead(): boolean {
    return this.#readers.hasNext(this.#mayMuch) || this.#littleReaders.hasNext(this.#mayLittle)
  }

  readonly #mayMuch = (owner: string): boolean => this.#hasRoom(owner, roundLimits.callerHeldToReadMax)
  readonly #mayLittle = (owner: string): boolean => this.#hasRoom(owner, roundLimits.littleHeldToReadMax)

  /** Of this caller no more waits than that. */
  #hasRoom(owner: string, bytes: number): boolean {
    const { held } = this.#owners.get(owner)?.held ?? this.held
    return held <= bytes && this.held.held <= roundLimits.heldToReadMax
  }

  #onLess(): void {
    if (this.#next === null && this.#mayRead()) this.end()
  }
}
