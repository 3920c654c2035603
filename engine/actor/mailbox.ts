/**
 * The mailbox of one shard: messages wait here, in order, and go through the shard's thread in turns (design D2).
 *
 * Owns: bounds, what is under way, and what happens when a turn fails. Leaves out: which turn is next (lanes.ts), threads
 * (threads.ts), what messages do (job-actor.ts).
 *
 * 1. Messages are applied in the order in which their turns began, across failures too: after one, nothing runs until
 *    all turns under way have come back, and then they run again, in order. That is the order of posting, but for events that
 *    come alone, which overtake those that come in streams.
 * 2. At most limits.turnsUnderWayMax turns are under way, over all shards of a thread (thread-door.ts): one runs, the next
 *    is already there when it ends.
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
import { Lanes } from './lanes.js'
import type { MailboxEvents, RunTurn } from './mailbox-events.js'
import { messageBytes, type MessageKind } from './message.js'
import { ThreadDoor } from './thread-door.js'
import type { TakeStamps } from './stamps.js'
import { Turn, type Receiver } from './turn.js'
import type { TurnResult } from './turn-task.js'

export class Mailbox {
  readonly #shard: number
  readonly #run: RunTurn
  readonly #events: MailboxEvents
  readonly #door: ThreadDoor
  readonly #lanes: Lanes
  /** Turns that run again, before all others. */
  readonly #again: Turn[] = []
  readonly #underWay: Turn[] = []
  readonly #failed: Turn[] = []
  readonly #spare: Turn[] = []
  /** The latest of each job that a turn was started with. */
  readonly #settings = new Map<number, JobSettings>()
  readonly #knownRevisions = new Map<number, number>()
  #opens = true
  #places = 0
  #scheduled = false
  /** Waits for a place at the door. */
  #asked = false
  #messages = 0
  #bytes = 0
  #idle: (() => void)[] = []
  #held = false
  /** Waits for the turns that were under way when the mailbox was held. */
  #whenStill: (() => void) | null = null

  /** `takeStamps` gives times for messages that were overtaken; `door` is that of the shard's thread. */
  constructor(shard: number, run: RunTurn, events: MailboxEvents, takeStamps: TakeStamps, door = new ThreadDoor()) {
    this.#shard = shard
    this.#run = run
    this.#events = events
    this.#lanes = new Lanes((bytes) => this.#emptyTurn(bytes), takeStamps)
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
    if (this.#messages >= limits.mailboxMessagesMax || this.#bytes + bytes > limits.mailboxBytesMax) {
      throw new Refusal('mailbox_full', 'too many messages are waiting; try again shortly')
    }
    const turn = this.#lanes.turnFor(kind, receiver, bytes)
    turn.add(job, kind, micros, eventId, idInBody, body, receiver)
    this.#messages++
    this.#bytes += bytes
    this.#schedule()
  }

  /** Messages that wait or run, and their bytes. */
  get length(): number {
    return this.#messages
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Resolves when nothing waits and nothing is under way. */
  async whenIdle(): Promise<void> {
    if (this.#messages > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  /** Begins no turn until `release`; resolves when none is under way. Messages are taken meanwhile, and wait. */
  async hold(): Promise<void> {
    assert(!this.#held, 'a mailbox is held once at a time')
    this.#held = true
    if (this.#underWay.length > 0) await new Promise<void>((resolve) => (this.#whenStill = resolve))
  }

  /** The shard's next turn runs on another thread, which knows nothing yet. Only while held. */
  movesOn(): void {
    assert(this.#held, 'a shard moves between its turns')
    this.#opens = true
    this.#knownRevisions.clear()
  }

  release(): void {
    this.#held = false
    this.#dispatch()
  }

  #emptyTurn(bytes: number): Turn {
    const spare = this.#spare.pop()
    return spare?.fits(bytes) === true ? spare : new Turn(Math.max(bytes, limits.turnBytesMax))
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
    const ahead = this.#underWay.length
    if (this.#held || this.#failed.length > 0 || ahead >= limits.turnsUnderWayMax) return false
    return this.#again.length > 0 || this.#lanes.mayLeave(ahead)
  }

  #startNext(): void {
    this.#start(this.#again.shift() ?? this.#lanes.take())
  }

  #start(turn: Turn): void {
    const settings: JobSettings[] = []
    for (const job of turn.jobs().values()) {
      const before = this.#settings.get(job.id)
      const latest = before === undefined || before.revision < job.revision ? job : before
      if ((this.#knownRevisions.get(job.id) ?? -1) >= latest.revision) continue
      this.#settings.set(job.id, latest)
      this.#knownRevisions.set(job.id, latest.revision)
      settings.push(latest)
    }
    const opens = this.#opens
    this.#opens = false
    this.#underWay.push(turn)
    const begin = performance.now()
    this.#run(turn.task(this.#shard, ++this.#places, settings, opens)).then(
      (result) => this.#finished(turn, result, performance.now() - begin),
      (error: unknown) => this.#broke(turn, error),
    )
  }

  #finished(turn: Turn, result: TurnResult, ms: number): void {
    this.#returned(turn)
    const { flushMs = 0, decided = [], changed = [...turn.jobs().keys()] } = result
    turn.ran(this.#shard, result, ms)
    this.#events.committed(this.#shard, { messages: turn.count, seconds: ms / 1000, flushSeconds: flushMs / 1000, decided, changed })
    // The thread first: it works while the answers go out.
    this.#door.leave()
    this.#dispatch()
    this.#forget(turn)
    turn.settle(result, changed, this.#events)
    this.#retire(turn)
    if (this.#failed.length > 0) this.#runAgain()
  }

  #broke(turn: Turn, error: unknown): void {
    this.#events.failed(this.#shard, error)
    this.#returned(turn)
    this.#failed.push(turn)
    this.#door.leave()
    this.#runAgain()
  }

  #returned(turn: Turn): void {
    this.#underWay.splice(this.#underWay.indexOf(turn), 1)
    if (this.#whenStill === null || this.#underWay.length > 0) return
    this.#whenStill()
    this.#whenStill = null
  }

  #runAgain(): void {
    if (this.#underWay.length > 0) return
    const turns: Turn[] = []
    for (const turn of this.#failed.splice(0).sort((a, b) => a.place - b.place)) {
      // Turned away because an earlier one failed, waiting when the thread died, or committed already: not to blame.
      if (!turn.failed()) turns.push(turn)
      else if (++turn.attempts < limits.turnAttemptsMax) turns.push(turn)
      else if (turn.count > 1) turns.push(...turn.split())
      else this.#giveUp(turn)
    }
    this.#again.unshift(...turns)
    this.#knownRevisions.clear()
    this.#opens = true
    this.#dispatch()
  }

  #giveUp(turn: Turn): void {
    this.#forget(turn)
    turn.refuse(new Refusal('turn_failed', 'the service failed on this request'))
    this.#retire(turn)
  }

  #forget(turn: Turn): void {
    this.#messages -= turn.count
    this.#bytes -= turn.bytes
  }

  #retire(turn: Turn): void {
    turn.clear()
    if (turn.isReusable && this.#spare.length < limits.spareTurnsMax) this.#spare.push(turn)
    if (this.#messages > 0) return
    for (const resolve of this.#idle.splice(0)) resolve()
  }
}
