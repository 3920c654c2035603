/**
 * The mailbox of one shard: messages wait here, in order, and go through the shard's thread in turns (D2).
 *
 * Owns: when a turn begins. Leaves out: bounds (room.ts), which turn is next (turn-queues.ts), which turns the thread
 * has (thread-state.ts), what becomes of failed ones (failed-turns.ts), threads (shard-threads.ts).
 *
 * Calls in: shards.ts posts messages, even within an answer, and holds, moves and releases the mailbox. turn-slots.ts
 * calls `#onSlot`. The runner (shard-threads.ts) calls `#decided` and returns results.
 * Calls out: the runner runs turns. turn-slots.ts grants slots and takes them back. `takeTimes` stamps messages that
 * were overtaken. `events` learns what was committed, added or has failed. Each receiver is told its answer, once.
 *
 * | state      | what it waits for                              | next state                          |
 * |------------|------------------------------------------------|-------------------------------------|
 * | idle       | a message, or the end of a turn                | scheduled, queued, recovering, held |
 * | scheduled  | the end of this round of the event loop        | idle, queued, recovering, held      |
 * | queued     | a slot of the thread                           | idle, recovering, held              |
 * | recovering | turns under way, because one failed            | idle, held                          |
 * | held       | `release`                                      | idle                                |
 *
 * 1. Messages are applied in the order in which their turns began: the order of posting, but single events overtake
 *    streams. After a failure all turns under way come back first, then they run again, in order.
 * 2. A thread has at most limits.turnsUnderWayMax turns, over all of its shards: one runs, and the next is there when
 *    it ends (turn-slots.ts). The committing thread may have one more of each shard.
 * 3. A message whose turn keeps failing is run alone. If it still fails it is refused, and the others are not.
 * 4. A full mailbox refuses and keeps its order.
 * 5. Between `hold` and `release` no turn is under way and none begins.
 * 6. Messages have increasing times in the order in which they are applied, and settings of a job never go back: an
 *    overtaken message gets a later time, and the settings of the one that overtook it.
 */
import { assert } from '../../assert.js'
import { limits } from '../../limits.js'
import { bytesOf } from '../../actor/message.js'
import { atRoundEnd } from '../round-end.js'
import type { MailboxEvents, NewMessage, RunTurn, TakeTimes } from '../turn/turn-contract.js'
import type { Turn } from '../turn/turn.js'
import { sortFailed, takeForeign, takeUnclear, turnFailed, turnUnclear } from './failed-turns.js'
import { Room } from './room.js'
import { ThreadState, type FinishedTurn } from './thread-state.js'
import { TurnQueues } from './turn-queues.js'
import { TurnSlots } from './turn-slots.js'

export interface MailboxDeps {
  readonly shard: number
  readonly run: RunTurn
  readonly events: MailboxEvents
  readonly takeTimes: TakeTimes
  /** The slots of the shard's thread; absent: the thread has no other shard. */
  readonly slots?: TurnSlots
  /** A turn queues behind another turn of the shard only above this many messages; absent: limits.turnFollowsMin. */
  readonly followsMin?: number
}

type State =
  | { readonly is: 'idle' | 'scheduled' | 'queued' }
  | { readonly is: 'recovering'; readonly failed: Turn[] }
  | { readonly is: 'held'; readonly failed: Turn[]; whenStill(): void }

export class Mailbox {
  readonly #deps: MailboxDeps
  readonly #slots: TurnSlots
  readonly #followsMin: number
  readonly #queues: TurnQueues
  readonly #thread = new ThreadState()
  #state: State = { is: 'idle' }
  /** Turns that run again, before all others. */
  readonly #again: Turn[] = []
  readonly #room = new Room()

  constructor(deps: MailboxDeps) {
    this.#deps = deps
    this.#slots = deps.slots ?? new TurnSlots()
    this.#followsMin = deps.followsMin ?? limits.turnFollowsMin
    this.#queues = new TurnQueues(deps.takeTimes, this.#followsMin, this.#slots.spares)
  }

  /** Takes a message that arrived at `micros`, and copies its body. @throws Refusal mailbox_full. */
  post(message: NewMessage, micros: number): void {
    const bytes = bytesOf(message)
    this.#room.take(bytes)
    this.#queues.turnFor(message, bytes).add(message, micros)
    this.#schedule()
  }

  /** Messages that wait or run. */
  get length(): number {
    return this.#room.messages
  }

  /** Their bytes. */
  get bytes(): number {
    return this.#room.bytes
  }

  /** Resolves when no message waits or runs. */
  whenIdle(): Promise<void> {
    return this.#room.whenEmpty()
  }

  /** Begins no turn until `release`; resolves when none is under way. Messages that arrive meanwhile wait. */
  async hold(): Promise<void> {
    const state = this.#state
    assert(state.is !== 'held', 'a mailbox is held once at a time')
    const failed = state.is === 'recovering' ? state.failed : []
    await new Promise<void>((resolve) => {
      this.#state = { is: 'held', failed, whenStill: resolve }
      this.#tellStill()
    })
  }

  /** The next turn opens the shard anew; behind `micros`, where another process may run it. Only while held. */
  moveToNewThread(micros: number | null = null): void {
    assert(this.#state.is === 'held', 'a shard moves between its turns')
    this.#thread.reset()
    if (micros === null) return
    const foreign = takeForeign(this.#again, this.#queues)
    const unclear = takeUnclear(this.#again)
    this.#queues.goOnBehind(this.#again, micros)
    for (const turn of foreign) this.#end(turn, () => turn.giveBack())
    for (const turn of unclear) this.#end(turn, () => turn.refuse(turnUnclear))
  }

  release(): void {
    assert(this.#state.is === 'held' && this.#thread.count === 0, 'a mailbox is released when it is still')
    this.#state = { is: 'idle' }
    this.#beginTurns()
  }

  /** Turns begin at the end of this round of the event loop, so that messages that arrive together share a turn. */
  #schedule(): void {
    if (this.#state.is !== 'idle' || !this.#mayBegin()) return
    this.#state = { is: 'scheduled' }
    atRoundEnd(() => {
      if (this.#state.is === 'scheduled') this.#state = { is: 'idle' }
      this.#beginTurns()
    })
  }

  /** Begins as many turns as may begin now. */
  #beginTurns(): void {
    while (this.#state.is !== 'queued' && this.#mayBegin()) {
      if (this.#slots.acquire(this.#onSlot)) this.#begin()
      else this.#state = { is: 'queued' }
    }
  }

  readonly #onSlot = (): boolean => {
    if (this.#state.is === 'queued') this.#state = { is: 'idle' }
    if (!this.#mayBegin()) return false
    this.#begin()
    this.#beginTurns()
    return true
  }

  #mayBegin(): boolean {
    if (this.#state.is === 'held' || this.#state.is === 'recovering') return false
    const { count, deciding, isOpen } = this.#thread
    if (deciding >= limits.turnsUnderWayMax || count > limits.turnsUnderWayMax) return false
    // The turns under way were begun on a thread that is gone, and may have to run again first.
    if (!isOpen && count > 0) return false
    return this.#again.length > 0 || this.#queues.mayLeave(count, deciding)
  }

  #begin(): void {
    const turn = this.#again.shift() ?? this.#queues.take()
    const start = this.#thread.begin(turn)
    const isFollowed = this.#queues.hasFollowing || this.#slots.isShared(this.#thread.deciding)
    // A turn that runs again is committed by its own thread: nothing else can fail it there.
    const handsOver = isFollowed && turn.place === 0 && turn.count > this.#followsMin
    const beganMs = performance.now()
    const { shard, run, events } = this.#deps
    run(turn.task({ ...start, shard, handsOver }), () => this.#decided(turn)).then(
      (result) => this.#came({ turn, result, ms: performance.now() - beganMs }),
      (error: unknown) => {
        events.failed(shard, error)
        this.#failed(turn, { mayBeLogged: true })
      },
    )
  }

  /** The thread is done with the turn. */
  #decided(turn: Turn): void {
    if (!this.#thread.decided(turn)) return
    this.#slots.release()
    this.#beginTurns()
  }

  #came(finished: FinishedTurn): void {
    const { turn, result } = finished
    if (result.turnedAway === true) return this.#failed(turn, result)
    this.#thread.finished(finished)
    // The thread gets the next turn first: it works while the answers go out.
    this.#decided(turn)
    this.#tellFinished()
  }

  /** The turn failed, or an earlier one did. */
  #failed(turn: Turn, how: Parameters<Turn['cameBack']>[0]): void {
    const turns = turn.cameBack(how)
    this.#thread.remove(turn)
    if (this.#state.is === 'recovering' || this.#state.is === 'held') this.#state.failed.push(...turns)
    else this.#state = { is: 'recovering', failed: turns }
    this.#decided(turn)
    this.#tellStill()
    this.#tellFinished()
    this.#recover()
  }

  /** Tells the results that are next in order. */
  #tellFinished(): void {
    for (let next = this.#thread.takeFirst(); next !== null; next = this.#thread.takeFirst()) this.#tell(next)
  }

  #tell({ turn, result, ms }: FinishedTurn): void {
    const { shard, events } = this.#deps
    this.#tellStill()
    if (result.beginsAnew === true) this.#thread.reset()
    const { flushMs = 0, decided = [], changed = [...turn.jobs().keys()] } = result
    turn.ran(shard, result, ms)
    const facts = { messages: turn.count, seconds: ms / 1000, flushSeconds: flushMs / 1000, decided, changed }
    if (result.ranElsewhere !== true) events.committed(shard, facts)
    this.#beginTurns()
    this.#end(turn, () => turn.settle(result, changed, events))
    this.#recover()
  }

  /** Tells the holder of the mailbox when no turn is under way any more. */
  #tellStill(): void {
    if (this.#state.is === 'held' && this.#thread.count === 0) this.#state.whenStill()
  }

  /** When the last turn has come back after a failure, the turns that failed run again. */
  #recover(): void {
    const state = this.#state
    if (!('failed' in state) || state.failed.length === 0 || this.#thread.count > 0) return
    const { again, givenUp } = sortFailed(state.failed.splice(0))
    this.#again.unshift(...again)
    this.#thread.reset()
    if (state.is === 'recovering') this.#state = { is: 'idle' }
    for (const turn of givenUp) this.#end(turn, () => turn.refuse(turnFailed))
    this.#beginTurns()
  }

  /** The turn is over. Its room is free before its receivers are told, because they may post. */
  #end(turn: Turn, tell: () => void): void {
    this.#room.free(turn.count, turn.bytes)
    tell()
    this.#slots.spares.put(turn)
    this.#room.tellEmpty()
  }
}
