/**
 * What waits in one mailbox, in two lines: events that come alone, for whose answers somebody waits, and everything else.
 *
 * Owns: which turn a message is added to, whose turn it is, and how large turns are. Leaves out: how many turns may be under
 * way, and what happens to them (mailbox.ts).
 *
 * 1. Each line is first in, first out. The two take turns, so that none stands still. Where hardly anything waits a single event
 *    joins it, and spares a flush.
 * 2. What is no event (a vote, an order, a deletion) runs behind every event that was posted before it.
 * 3. While single events come in, one waits for no more than one turn of the others to be decided, and that is not a large one.
 */
import { limits } from '../limits.js'
import type { IngestReceiver } from '../service.js'
import type { MessageKind } from './message.js'
import type { Receiver, Turn } from './turn.js'
import type { TakeStamps } from './stamps.js'

class Lane {
  readonly #make: (bytesMin: number) => Turn
  #filling: Turn
  readonly #full: Turn[] = []
  /** Messages that came in, and those of them that have left, so far. */
  came = 0
  left = 0

  constructor(make: (bytesMin: number) => Turn) {
    this.#make = make
    this.#filling = make(0)
  }

  turnFor(bytes: number, messagesMax: number): Turn {
    if (!this.#filling.fits(bytes) || this.#filling.count >= messagesMax) {
      if (this.#filling.count > 0) this.#full.push(this.#filling)
      this.#filling = this.#make(bytes)
    }
    this.came++
    return this.#filling
  }

  /** The turn that leaves next; it may be empty. */
  get first(): Turn {
    return this.#full[0] ?? this.#filling
  }

  /** There is a turn that can take no more, or one of more than so many messages. */
  hasMoreThan(messages: number): boolean {
    return this.#full.length > 0 || this.#filling.count > messages
  }

  take(): Turn {
    const turn = this.#full.shift() ?? this.#filling
    if (turn === this.#filling) this.#filling = this.#make(0)
    this.left += turn.count
    return turn
  }
}

export class Lanes {
  readonly #singles: Lane
  readonly #others: Lane
  readonly #takeStamps: TakeStamps
  readonly #followsMin: number
  /** Turns that were started since a single event came. */
  #sinceSingle = Number.POSITIVE_INFINITY
  /** Single events that joined the others since a turn of these left. */
  #joined = 0
  /** The turn that left last was one of single events. */
  #wasSingles = false
  /** The latest time of a message that has left. */
  #latest = 0

  /** `make` gives an empty turn with room for a message of so many bytes; `takeStamps` times for messages that were overtaken; for `followsMin` see mailbox.ts. */
  constructor(make: (bytesMin: number) => Turn, takeStamps: TakeStamps, followsMin: number = limits.turnFollowsMin) {
    this.#followsMin = followsMin
    this.#singles = new Lane(make)
    this.#others = new Lane(make)
    this.#takeStamps = takeStamps
  }

  /** The turn that a message of so many bytes must be added to now. */
  turnFor(kind: MessageKind, receiver: Receiver, bytes: number): Turn {
    const isSingle = kind === 'ingest' && (receiver as IngestReceiver).isAlone === true
    if (isSingle) this.#sinceSingle = 0
    const overtakes = isSingle && this.#others.hasMoreThan(limits.singlesJoinMax + this.#joined)
    if (isSingle && !overtakes) this.#joined++
    const lane = overtakes ? this.#singles : this.#others
    const turn = lane.turnFor(
      bytes,
      isSingle || !this.#expectsSingles ? limits.turnMessagesMax : limits.turnMessagesBesideSingles,
    )
    if (kind !== 'ingest') turn.behindSingles = this.#singles.came
    return turn
  }

  /** A turn should begin while so many of the same mailbox are under way, of which so many are not only being committed. */
  mayLeave(underWay: number, deciding: number): boolean {
    const lane = this.#nextLane()
    // Behind another of its own a small turn gains nothing: until that one returns it can grow, and spare a flush.
    const ahead = lane === this.#singles ? deciding : underWay
    if (!lane.hasMoreThan(ahead === 0 ? 0 : this.#followsMin)) return false
    if (deciding === 0 || lane === this.#singles || this.#wasSingles || !this.#expectsSingles) return true
    // A single event that comes now would wait for two turns of streams, where one is long enough.
    return lane.first.count <= this.#joined
  }

  /** So much waits that a turn would follow another one. */
  get hasFollowing(): boolean {
    return this.#others.hasMoreThan(this.#followsMin)
  }

  /** The turn that begins now, its messages with times behind those of all that have left. */
  take(): Turn {
    const lane = this.#nextLane()
    const turn = lane.take()
    this.#sinceSingle++
    this.#wasSingles = lane === this.#singles
    if (!this.#wasSingles) this.#joined = 0
    this.#latest = turn.stampBehind(this.#latest, this.#takeStamps)
    return turn
  }

  #nextLane(): Lane {
    const { first } = this.#others
    if (this.#singles.first.count === 0) return this.#others
    const mayOthers = first.count > 0 && this.#singles.left >= first.behindSingles
    return mayOthers && this.#wasSingles ? this.#others : this.#singles
  }

  /** Some came lately: more will. */
  get #expectsSingles(): boolean {
    return this.#sinceSingle < limits.singlesExpectedTurns
  }
}
