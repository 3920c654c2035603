/**
 * The mailbox of one shard: messages wait here, in order, and go through the shard's thread in turns (D2).
 *
 * Owns: its bounds, when a turn begins, and what happens when a turn fails. Leaves out: which turn is next (turn-queues.ts), which turns
 * the thread has (thread-state.ts), the threads (shard-threads.ts), what messages do (job-actor.ts).
 *
 * Calls in: shards.ts posts messages, at any time and also within an answer. It holds, moves and releases the mailbox. turn-slots.ts calls
 * `#onSlot` when a slot is free. shard-threads.ts calls `decided`, and returns the result of a turn.
 * Calls out: shard-threads.ts runs each turn. turn-slots.ts gives a slot for it and takes it back. ingest-clock.ts gives times for messages
 * that were overtaken. shards.ts is told what was committed or added, and what failed. Whoever posted is told the answer, once.
 *
 * | state      | what it waits for                                            | next state                                  |
 * |------------|--------------------------------------------------------------|---------------------------------------------|
 * | idle       | a message, or the end of a turn                              | scheduled, queued, recovering, held         |
 * | scheduled  | the end of this round of the event loop: then turns begin    | idle, queued, recovering, held              |
 * | queued     | a slot of the thread: then turns begin                       | idle, recovering, held                      |
 * | recovering | turns under way, because one failed: then they run again     | idle, held                                  |
 * | held       | `release`: then turns begin                                  | idle                                        |
 *
 * 1. Messages are applied in the order in which their turns began, across failures too. After a failure no turn begins until all turns
 *    under way have come back; then they run again, in order. That is the order of posting, but single events overtake streams.
 * 2. A thread has at most limits.turnsUnderWayMax turns, over all of its shards (turn-slots.ts): one runs, and the next is there when it
 *    ends. The thread that commits may have one more of each shard.
 * 3. A message whose turn keeps failing is run alone. If it still fails it is refused, and the others are not.
 * 4. A full mailbox refuses and keeps its order.
 * 5. Between `hold` and `release` no turn is under way and none begins.
 * 6. Times of messages increase in the order in which they are applied, and the settings of a job never go back. A message that was
 *    overtaken gets a later time, and the settings of the one that overtook it, on another thread too.
 */
import { Refusal } from '../../errors.js'
import { assert } from '../../assert.js'
import { limits } from '../../limits.js'
import type { MailboxEvents, MailboxParts, NewMessage, RunTurn } from '../turn/turn-contract.js'
import { bytesOf } from '../../actor/message.js'
import { atRoundEnd } from '../round-end.js'
import { sortFailed, ThreadState, type FinishedTurn } from './thread-state.js'
import type { Turn } from '../turn/turn.js'
import { TurnQueues } from './turn-queues.js'
import { TurnSlots } from './turn-slots.js'

type State =
  | { readonly is: 'idle' }
  | { readonly is: 'scheduled' }
  | { readonly is: 'queued' }
  | { readonly is: 'recovering'; readonly failed: Turn[] }
  | { readonly is: 'held'; readonly failed: Turn[]; whenStill(): void }

const IDLE: State = { is: 'idle' }
const SCHEDULED: State = { is: 'scheduled' }
const QUEUED: State = { is: 'queued' }

export class Mailbox {
  readonly #shard: number
  readonly #run: RunTurn
  readonly #events: MailboxEvents
  readonly #slots: TurnSlots
  readonly #followsMin: number
  readonly #queues: TurnQueues
  readonly #thread = new ThreadState()
  #state: State = IDLE
  /** Turns that run again, before all others. */
  readonly #again: Turn[] = []
  /** Messages that wait or run, and their bytes. */
  #messages = 0
  #bytes = 0
  readonly #whenIdle: (() => void)[] = []

  constructor({ shard, run, events, takeTimes, slots, followsMin = limits.turnFollowsMin }: MailboxParts) {
    this.#shard = shard
    this.#run = run
    this.#events = events
    this.#slots = slots ?? new TurnSlots()
    this.#followsMin = followsMin
    this.#queues = new TurnQueues(takeTimes, followsMin)
  }

  /** Takes a message that came at `micros`, and copies its body. @throws Refusal mailbox_full. */
  post(message: NewMessage, micros: number): void {
    const bytes = bytesOf(message)
    if (this.#messages >= limits.mailboxMessagesMax || this.#bytes + bytes > limits.mailboxBytesMax)
      throw new Refusal('mailbox_full', 'too many messages are waiting; try again shortly')
    this.#messages++
    this.#bytes += bytes
    this.#queues.turnFor(message, bytes).add(message, micros)
    this.#schedule()
  }

  /** Messages that wait or run. */
  get length(): number {
    return this.#messages
  }

  /** Their bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Resolves when nothing waits and nothing is under way. */
  async whenIdle(): Promise<void> {
    if (this.#messages > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
  }

  /** Begins no turn until `release`; resolves when none is under way. Messages are taken meanwhile, and wait. */
  async hold(): Promise<void> {
    const state = this.#state
    assert(state.is !== 'held', 'a mailbox is held once at a time')
    const failed = state.is === 'recovering' ? state.failed : []
    await new Promise<void>((resolve) => {
      this.#state = { is: 'held', failed, whenStill: resolve }
      this.#tellStill()
    })
  }

  /** The shard's next turn runs on another thread, which knows nothing yet. Only while held. */
  moveToNewThread(): void {
    assert(this.#state.is === 'held', 'a shard moves between its turns')
    this.#thread.reset()
  }

  release(): void {
    assert(this.#state.is === 'held' && this.#thread.count === 0, 'a mailbox is released when it is still')
    this.#state = IDLE
    this.#beginTurns()
  }

  /** At the end of the round of the event loop, so that all messages that came in together share a turn. */
  #schedule(): void {
    if (this.#state.is !== 'idle' || !this.#mayBegin()) return
    this.#state = SCHEDULED
    atRoundEnd(() => {
      if (this.#state.is === 'scheduled') this.#state = IDLE
      this.#beginTurns()
    })
  }

  /** Begins as many turns as may begin now. */
  #beginTurns(): void {
    while (this.#state.is !== 'queued' && this.#mayBegin()) {
      if (this.#slots.acquire(this.#onSlot)) this.#begin()
      else this.#state = QUEUED
    }
  }

  readonly #onSlot = (): boolean => {
    if (this.#state.is === 'queued') this.#state = IDLE
    if (!this.#mayBegin()) return false
    this.#begin()
    this.#beginTurns()
    return true
  }

  #mayBegin(): boolean {
    if (this.#state.is === 'held' || this.#state.is === 'recovering') return false
    const { count, deciding, isOpen } = this.#thread
    if (deciding >= limits.turnsUnderWayMax || count > limits.turnsUnderWayMax) return false
    // What is under way was meant for the thread as it was, and may have to run again first.
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
    const task = turn.task({ ...start, shard: this.#shard, handsOver })
    this.#run(task, () => this.#decided(turn)).then(
      (result) => this.#came({ turn, result, ms: performance.now() - beganMs }),
      (error: unknown) => this.#broke(turn, error),
    )
  }

  /** The thread is done with the turn. */
  #decided(turn: Turn): void {
    if (!this.#thread.decided(turn)) return
    this.#slots.release()
    this.#beginTurns()
  }

  #came(finished: FinishedTurn): void {
    if (finished.result.turnedAway === true) return this.#failed(finished.turn)
    this.#thread.finished(finished)
    // First the thread gets more to do: it works while the answers go out.
    this.#decided(finished.turn)
    this.#tellFinished()
  }

  #broke(turn: Turn, error: unknown): void {
    this.#events.failed(this.#shard, error)
    this.#failed(turn)
  }

  /** The turn failed, or an earlier one did. */
  #failed(turn: Turn): void {
    this.#thread.remove(turn)
    if (this.#state.is === 'recovering' || this.#state.is === 'held') this.#state.failed.push(turn)
    else this.#state = { is: 'recovering', failed: [turn] }
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
    this.#tellStill()
    if (result.beginsAnew === true) this.#thread.reset()
    const { flushMs = 0, decided = [], changed = [...turn.jobs().keys()] } = result
    turn.ran(this.#shard, result, ms)
    const [seconds, flushSeconds] = [ms / 1000, flushMs / 1000]
    this.#events.committed(this.#shard, { messages: turn.count, seconds, flushSeconds, decided, changed })
    this.#beginTurns()
    this.#end(turn, () => turn.settle(result, changed, this.#events))
    this.#recover()
  }

  /** Nothing is under way any more: whoever holds the mailbox is told. */
  #tellStill(): void {
    if (this.#state.is === 'held' && this.#thread.count === 0) this.#state.whenStill()
  }

  /** When the last turn has come back after a failure, the turns that failed run again. */
  #recover(): void {
    const state = this.#state
    if ((state.is !== 'recovering' && state.is !== 'held') || state.failed.length === 0 || this.#thread.count > 0)
      return
    const { again, givenUp } = sortFailed(state.failed.splice(0))
    this.#again.unshift(...again)
    this.#thread.reset()
    if (state.is === 'recovering') this.#state = IDLE
    const refusal = new Refusal('turn_failed', 'the service failed on this request')
    for (const turn of givenUp) this.#end(turn, () => turn.refuse(refusal))
    this.#beginTurns()
  }

  /** The turn is over. Its room is free before its receivers are told: they may post. */
  #end(turn: Turn, tell: () => void): void {
    this.#messages -= turn.count
    this.#bytes -= turn.bytes
    tell()
    this.#queues.reuse(turn)
    if (this.#messages === 0) for (const resolve of this.#whenIdle.splice(0)) resolve()
  }
}
