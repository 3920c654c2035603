/**
 * The mailbox of one shard: messages wait here, in order, and go through the shard's thread in turns (D2).
 *
 * Owns: bounds, what is under way, and what happens when a turn fails. Leaves out: which turn is next (lanes.ts), threads
 * (shard-threads.ts), what messages do (job-actor.ts).
 *
 * 1. Messages are applied in the order in which their turns began, across failures too: after one, nothing runs until
 *    all turns under way have come back, and then they run again, in order. That is the order of posting, but for events that
 *    come alone, which overtake those that come in streams.
 * 2. At most limits.turnsUnderWayMax turns are with a thread, over all of its shards (thread-door.ts): one runs, the next is already there
 *    when it ends. One more of each shard may be with the thread that commits.
 * 3. A message whose turn keeps failing is run alone; if it still fails it is refused, and the others are not.
 * 4. A full mailbox refuses and keeps its order.
 * 5. Between `hold` and `release` no turn is under way and none begins.
 * 6. Times of messages increase in the order in which they are applied, and settings of a job do not go back: one that was overtaken
 *    gets a later time, and the settings of what overtook it, also on another thread.
 */
import { Refusal } from '../errors.js'
import { assert } from '../assert.js'
import { limits } from '../limits.js'
import type { JobSettings } from '../job/job.js'
import { FailedTurns } from './failed-turns.js'
import { KnownSettings } from './known-settings.js'
import { Lanes } from './lanes.js'
import type { MailboxEvents, RunTurn } from './mailbox-events.js'
import { messageBytes, type MessageKind } from './message.js'
import { Occupancy } from './occupancy.js'
import { SpareTurns } from './spare-turns.js'
import { ThreadDoor } from './thread-door.js'
import type { TakeStamps } from './stamps.js'
import type { Receiver, Turn } from './turn.js'
import { TurnsUnderWay, type Come } from './turns-under-way.js'

export class Mailbox {
  readonly #shard: number
  readonly #run: RunTurn
  readonly #events: MailboxEvents
  readonly #door: ThreadDoor
  readonly #lanes: Lanes
  readonly #followsMin: number
  /** Turns that run again, before all others. */
  readonly #again: Turn[] = []
  readonly #occupancy = new Occupancy()
  readonly #underWay = new TurnsUnderWay()
  readonly #failed = new FailedTurns()
  readonly #spare = new SpareTurns()
  readonly #settings = new KnownSettings()
  #opens = true
  #places = 0
  #scheduled = false
  /** Waits for a place at the door. */
  #asked = false
  #held = false
  /** Waits for the turns that were under way when the mailbox was held. */
  #whenStill: (() => void) | null = null

  /**
   * `takeStamps` gives times for messages that were overtaken; `door` is that of the shard's thread; a turn that has more than `followsMin`
   * messages waits at it behind another one of the shard, and is committed elsewhere where others are to follow it.
   */
  constructor(
    shard: number,
    run: RunTurn,
    events: MailboxEvents,
    takeStamps: TakeStamps,
    door = new ThreadDoor(),
    followsMin: number = limits.turnFollowsMin,
  ) {
    this.#followsMin = followsMin
    this.#shard = shard
    this.#run = run
    this.#events = events
    this.#lanes = new Lanes((bytes) => this.#spare.take(bytes), takeStamps, followsMin)
    this.#door = door
  }

  /**
   * Takes a message; the body is copied. `eventId` null and not in the body: an event gets an id made of `micros`.
   * @throws Refusal mailbox_full.
   */
  post(
    job: JobSettings,
    kind: MessageKind,
    micros: number,
    eventId: string | null,
    idInBody: boolean,
    body: Uint8Array,
    receiver: Receiver,
  ): void {
    const bytes = messageBytes(eventId === null ? 0 : Buffer.byteLength(eventId), body.length)
    this.#occupancy.admit(bytes)
    const turn = this.#lanes.turnFor(kind, receiver, bytes)
    turn.add(job, kind, micros, eventId, idInBody, body, receiver)
    this.#schedule()
  }

  /** Messages that wait or run, and their bytes. */
  get length(): number {
    return this.#occupancy.messages
  }

  get bytes(): number {
    return this.#occupancy.bytes
  }

  /** Resolves when nothing waits and nothing is under way. */
  whenIdle(): Promise<void> {
    return this.#occupancy.whenIdle()
  }

  /** Begins no turn until `release`; resolves when none is under way. Messages are taken meanwhile, and wait. */
  async hold(): Promise<void> {
    assert(!this.#held, 'a mailbox is held once at a time')
    this.#held = true
    if (this.#underWay.count > 0) await new Promise<void>((resolve) => (this.#whenStill = resolve))
  }

  /** The shard's next turn runs on another thread, which knows nothing yet. Only while held. */
  movesOn(): void {
    assert(this.#held, 'a shard moves between its turns')
    this.#beginAnew()
  }

  release(): void {
    this.#held = false
    this.#dispatch()
  }

  /** Once per round of the event loop, so that all that came in together goes out together. */
  #schedule(): void {
    if (this.#scheduled || this.#asked || !this.#mayStart()) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#dispatch()
    })
  }

  #dispatch(): void {
    while (!this.#asked && this.#mayStart()) {
      if (this.#door.take(this.#enter)) this.#startNext()
      else this.#asked = true
    }
  }

  readonly #enter = (): boolean => {
    this.#asked = false
    if (!this.#mayStart()) return false
    this.#startNext()
    this.#dispatch()
    return true
  }

  #mayStart(): boolean {
    const { count: underWay, deciding } = this.#underWay
    if (
      this.#held ||
      this.#failed.count > 0 ||
      deciding >= limits.turnsUnderWayMax ||
      underWay > limits.turnsUnderWayMax
    )
      return false
    // What is under way is of before, and may have to run again first.
    if (this.#opens && underWay > 0) return false
    return this.#again.length > 0 || this.#lanes.mayLeave(underWay, deciding)
  }

  #startNext(): void {
    const turn = this.#again.shift() ?? this.#lanes.take()
    const settings = this.#settings.lacking(turn.jobs().values())
    const opens = this.#opens
    this.#opens = false
    this.#underWay.add(turn)
    const isFollowed = this.#lanes.hasFollowing || this.#door.isShared(this.#underWay.deciding)
    // One that runs again does so where nothing but its own thread can fail it.
    const handsOver = isFollowed && turn.place === 0 && turn.count > this.#followsMin
    const begin = performance.now()
    const task = turn.task(this.#shard, ++this.#places, settings, opens, handsOver)
    this.#run(task, () => this.#decided(turn)).then(
      (result) => this.#came({ turn, result, ms: performance.now() - begin }),
      (error: unknown) => this.#broke(turn, error),
    )
  }

  /** The thread is done with it. */
  #decided(turn: Turn): void {
    if (!this.#underWay.decided(turn)) return
    this.#door.leave()
    this.#dispatch()
  }

  #came(come: Come): void {
    if (come.result.turnedAway === true) return this.#failedWith(come.turn)
    this.#underWay.came(come)
    // The thread first: it works while the answers go out.
    this.#decided(come.turn)
    this.#tell()
  }

  /** Tells what has come, in order. */
  #tell(): void {
    for (let come = this.#underWay.takeFirst(); come !== null; come = this.#underWay.takeFirst()) this.#finished(come)
  }

  #finished({ turn, result, ms }: Come): void {
    this.#beStill()
    if (result.beginsAnew === true) this.#beginAnew()
    const { flushMs = 0, decided = [], changed = [...turn.jobs().keys()] } = result
    turn.ran(this.#shard, result, ms)
    this.#events.committed(this.#shard, {
      messages: turn.count,
      seconds: ms / 1000,
      flushSeconds: flushMs / 1000,
      decided,
      changed,
    })
    this.#dispatch()
    this.#occupancy.release(turn.count, turn.bytes)
    turn.settle(result, changed, this.#events)
    this.#retire(turn)
    this.#runAgain()
  }

  #broke(turn: Turn, error: unknown): void {
    this.#events.failed(this.#shard, error)
    this.#failedWith(turn)
  }

  /** It failed, or went down with another one. */
  #failedWith(turn: Turn): void {
    this.#underWay.remove(turn)
    this.#failed.add(turn)
    this.#decided(turn)
    this.#beStill()
    this.#tell()
    this.#runAgain()
  }

  /** Tells who waits for it that nothing is under way. */
  #beStill(): void {
    if (this.#whenStill === null || this.#underWay.count > 0) return
    this.#whenStill()
    this.#whenStill = null
  }

  #runAgain(): void {
    if (this.#failed.count === 0 || this.#underWay.count > 0) return
    const { again, givenUp } = this.#failed.take()
    for (const turn of givenUp) {
      this.#occupancy.release(turn.count, turn.bytes)
      turn.refuse(new Refusal('turn_failed', 'the service failed on this request'))
      this.#retire(turn)
    }
    this.#again.unshift(...again)
    this.#beginAnew()
    this.#dispatch()
  }

  /** The next turn comes to a thread that knows nothing of the shard but what is committed. */
  #beginAnew(): void {
    this.#opens = true
    this.#settings.forget()
  }

  #retire(turn: Turn): void {
    this.#spare.keep(turn)
    this.#occupancy.tell()
  }
}
