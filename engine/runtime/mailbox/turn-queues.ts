/**
 * The messages that wait in one mailbox, gathered into turns. There are two queues: one for single events, for each of
 * which a client waits, and one for all other messages, such as events of streams.
 *
 * Owns: which turn a message is added to, which turn is next, and how large turns are. Leaves out: how many turns may
 * be under way, and what happens to them (mailbox.ts), empty turns to use again (spare-turns.ts).
 *
 * 1. Each queue is first in, first out. The two alternate, so that neither stands still. Where few messages wait, a
 *    single event joins the others, which saves a flush.
 * 2. A message that is no event (a vote, a command, a deletion) runs behind every event that was posted before it.
 * 3. While single events are arriving, each waits for at most one turn of the others to be decided, and not a large
 *    one.
 */
import { limits } from '../../limits.js'
import type { IngestReceiver } from '../../api/decision-service.js'
import type { NewMessage, TakeTimes } from '../turn/turn-contract.js'
import type { SpareTurns } from '../turn/spare-turns.js'
import { Turn } from '../turn/turn.js'

class TurnQueue {
  readonly #spares: SpareTurns
  /** Has no room: memory is taken with the first message. */
  readonly #none = new Turn(0, 0)
  #filling = this.#none
  readonly #full: Turn[] = []
  /** Messages that have arrived so far, and those of them that have left. */
  came = 0
  left = 0

  constructor(spares: SpareTurns) {
    this.#spares = spares
  }

  turnFor(bytes: number, messagesMax: number): Turn {
    if (!this.#filling.fits(bytes) || this.#filling.count >= messagesMax) {
      if (this.#filling.count > 0) this.#full.push(this.#filling)
      this.#filling = this.#spares.take(bytes)
    }
    this.came++
    return this.#filling
  }

  /** The turn that leaves next; it may be empty. */
  get first(): Turn {
    return this.#full[0] ?? this.#filling
  }

  /** True where a turn is full, or has more than so many messages. */
  hasMoreThan(messages: number): boolean {
    return this.#full.length > 0 || this.#filling.count > messages
  }

  /** As in Turn, of all that wait. */
  takeForeign(): Turn[] {
    const foreign = this.turns.flatMap((turn) => turn.takeForeign() ?? [])
    this.#full.splice(0, this.#full.length, ...this.#full.filter(({ count }) => count > 0))
    this.came -= foreign.reduce((sum, { count }) => sum + count, 0)
    return foreign
  }

  /** Turns that wait. */
  get turns(): readonly Turn[] {
    return [...this.#full, this.#filling]
  }

  take(): Turn {
    const turn = this.#full.shift() ?? this.#filling
    if (turn === this.#filling) this.#filling = this.#none
    this.left += turn.count
    return turn
  }
}

export class TurnQueues {
  readonly #singles: TurnQueue
  readonly #others: TurnQueue
  readonly #takeTimes: TakeTimes
  readonly #followsMin: number
  /** Turns that began since a single event arrived. */
  #sinceSingle = Number.POSITIVE_INFINITY
  /** Single events that joined the others since a turn of the others left. */
  #joined = 0
  /** The turn that left last was one of single events. */
  #wasSingles = false
  /** The latest time of a message that has left. */
  #latest = 0

  /** `takeTimes` gives times to messages that were overtaken; for `followsMin` see MailboxDeps. */
  constructor(takeTimes: TakeTimes, followsMin: number, spares: SpareTurns) {
    this.#takeTimes = takeTimes
    this.#followsMin = followsMin
    this.#singles = new TurnQueue(spares)
    this.#others = new TurnQueue(spares)
  }

  /** The turn that this message, of so many bytes, must be added to now. */
  turnFor({ kind, receiver }: NewMessage, bytes: number): Turn {
    const isSingle = kind === 'ingest' && (receiver as IngestReceiver).isAlone === true
    if (isSingle) this.#sinceSingle = 0
    const overtakes = isSingle && this.#others.hasMoreThan(limits.singlesJoinMax + this.#joined)
    if (isSingle && !overtakes) this.#joined++
    const queue = overtakes ? this.#singles : this.#others
    const turn = queue.turnFor(
      bytes,
      isSingle || !this.#expectsSingles ? limits.turnMessagesMax : limits.turnMessagesBesideSingles,
    )
    if (kind !== 'ingest') turn.behindSingles = this.#singles.came
    return turn
  }

  /**
   * True where a turn should begin, with `underWay` turns of the mailbox under way and `deciding` of them not decided.
   */
  mayLeave(underWay: number, deciding: number): boolean {
    const queue = this.#nextQueue()
    // A small turn gains nothing behind another one: until that is over, it can grow and save a flush.
    const ahead = queue === this.#singles ? deciding : underWay
    if (!queue.hasMoreThan(ahead === 0 ? 0 : this.#followsMin)) return false
    if (deciding === 0 || queue === this.#singles || this.#wasSingles || !this.#expectsSingles) return true
    // Otherwise a single event that arrives now would wait for two turns of the others (3).
    return queue.first.count <= this.#joined
  }

  /** So many messages wait that another turn would follow at once. */
  get hasFollowing(): boolean {
    return this.#others.hasMoreThan(this.#followsMin)
  }

  /** Takes the turn that begins now. Its messages have later times than all that have left. */
  take(): Turn {
    const queue = this.#nextQueue()
    const turn = queue.take()
    this.#sinceSingle++
    this.#wasSingles = queue === this.#singles
    if (!this.#wasSingles) this.#joined = 0
    this.#latest = turn.moveBehind(this.#latest, this.#takeTimes)
    return turn
  }

  /** Takes out the messages of other nodes. What waits for single events waits for those that are left. */
  takeForeign(): Turn[] {
    const taken = [...this.#singles.takeForeign(), ...this.#others.takeForeign()]
    for (const turn of this.#others.turns) turn.behindSingles = Math.min(turn.behindSingles, this.#singles.came)
    return taken
  }

  /** Messages get later times than `micros`: those of `turns`, which run again, then all that leave from now on. */
  goOnBehind(turns: readonly Turn[], micros: number): void {
    const latest = turns.reduce((before, turn) => turn.moveBehind(before, this.#takeTimes), micros)
    this.#latest = Math.max(this.#latest, latest)
  }

  #nextQueue(): TurnQueue {
    const { first } = this.#others
    if (this.#singles.first.count === 0) return this.#others
    const mayOthers = first.count > 0 && this.#singles.left >= first.behindSingles
    return mayOthers && this.#wasSingles ? this.#others : this.#singles
  }

  /** Single events arrived lately, so more are expected. */
  get #expectsSingles(): boolean {
    return this.#sinceSingle < limits.singlesExpectedTurns
  }
}
