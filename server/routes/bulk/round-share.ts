/** What one stream takes and brings in the rounds of thread-rounds.ts. */
import type { HeldBytes } from '../../http/held-bytes.js'
import { roundLimits } from './round-limits.js'

/** Bytes that could be copied in the time that the call for one piece takes. */
const CALL_BYTES = 768
/** So many bytes of a line are as much work as another line. */
const LINE_BYTES = 4096

/** A stream, as it is called when its round has come. */
export interface RoundTaker {
  /** It may take lines. */
  take(): void
  /** It may read its socket. */
  read(): void
  /** It must wait until it may read its socket. */
  rest(): void
}

/** What its streams ask of thread-rounds.ts. */
export interface Rounds {
  /** Of the current round. */
  readonly number: number
  readonly linesLeft: number
  spend(lines: number): void
  arrived(bytes: number): void
  mayBegin(owner: string): boolean
  waitToTake(share: RoundShare): void
  waitToRead(share: RoundShare): void
  withdrawRead(share: RoundShare): void
  cut(share: RoundShare): void
  leave(share: RoundShare): void
}

/** The work that a line of so many bytes is, in lines. */
export function workOf(bytes: number): number {
  return 1 + Math.floor(bytes / LINE_BYTES)
}

/** The share of one stream. */
export class RoundShare {
  readonly owner: string
  readonly taker: RoundTaker
  /** Bytes of all streams of the caller that wait. */
  readonly held: HeldBytes
  readonly #rounds: Rounds
  #round = -1
  #linesLeft = 0
  /** What arrived in the latest round in which anything did, and in the one before. */
  #burst = 0
  #lastBurst = 0

  constructor(rounds: Rounds, owner: string, held: HeldBytes, taker: RoundTaker) {
    this.#rounds = rounds
    this.owner = owner
    this.held = held
    this.taker = taker
  }

  get bringsLittle(): boolean {
    return Math.max(this.#burst, this.#lastBurst) < roundLimits.littleBytes
  }

  /** How many more lines the stream may take in this round; none at 0 or below. */
  get linesLeft(): number {
    this.#update()
    return Math.min(this.#linesLeft, this.#rounds.linesLeft)
  }

  /** The stream has taken lines, or done as much work. */
  spend(lines: number): void {
    if (lines === 0) return
    this.#update()
    this.#linesLeft -= lines
    this.#rounds.spend(lines)
  }

  /** A piece has arrived. False if the stream brings too much at once. */
  arrived(bytes: number): boolean {
    this.#update()
    this.#burst += bytes + CALL_BYTES
    this.#rounds.arrived(bytes + CALL_BYTES)
    return this.#burst <= roundLimits.burstBytesMax
  }

  /** A stream that begins need not wait for a round to be read. */
  get mayBegin(): boolean {
    return this.#rounds.mayBegin(this.owner)
  }

  /** `take` is called in a later round. */
  waitToTake(): void {
    this.#rounds.waitToTake(this)
  }

  /** `read` is called in a later round. */
  waitToRead(): void {
    this.#rounds.waitToRead(this)
  }

  withdrawRead(): void {
    this.#rounds.withdrawRead(this)
  }

  /** The connection is closed, since it brings too much. */
  cut(): void {
    this.#rounds.cut(this)
  }

  leave(): void {
    this.#rounds.leave(this)
  }

  #update(): void {
    if (this.#round === this.#rounds.number) return
    this.#round = this.#rounds.number
    this.#linesLeft = roundLimits.shareLinesMax
    if (this.#burst === 0) return
    this.#lastBurst = this.#burst
    this.#burst = 0
  }
}
