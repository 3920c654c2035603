/**
 * One shard on one node of a cluster: its turns are run here, or by another node whose log this one follows.
 *
 * Owns: which of both, and the change from one to the other. Leaves out: who the owner is (services/cluster/owners/),
 * the mailbox (shards.ts), the way to another node (remote-turns.ts).
 *
 * | state     | turns of the mailbox              | the copy                    |
 * |-----------|-----------------------------------|-----------------------------|
 * | elsewhere | are sent to the shard's owner     | follows the log             |
 * | own       | are appended to the log, and run  | is what they write          |
 *
 * 1. The state changes only while the mailbox is held, so that no turn is under way.
 * 2. A seat becomes `own` when it has begun as the writer of the log, and has applied all before that.
 * 3. It may begin late, behind another node that was named the owner meanwhile. So it is asked once more behind that
 *    whether the shard is this node's: where it is, who is named later begins behind it, and finds all that it takes.
 * 4. A turn that the log may have, from before the shard moved, is looked for (unclear-turns.ts). It goes back to the
 *    mailbox with what was found, and so do all behind it: what the log has is only answered, the rest runs.
 */
import type { BlockSum } from '../../../actor/log/block-sums.js'
import type { TurnResult, TurnTask, Unresolved } from '../../../actor/turn-task.js'
import type { RunTurn } from '../../turn/turn-contract.js'
import { Follower } from '../follower.js'
import { jobIdsOf } from '../turn-record.js'
import { turnedAway } from '../fence.js'
import { refuse } from './remote-turns.js'
import { Begins, timesInLog, withUnknownAnswers } from './unclear-turns.js'
import { LoggedTurns } from '../logged-turns.js'
import { LogGap, LogUnavailable, type LoggedShard, type RecordLog } from '../turn-log.js'

/** Milliseconds until the log has to have a later begin, for a turn that it may have. */
const PAST_MS = 12_000
const unclearNow = 'nobody knows yet whether the request has taken effect; it may; try again'

/** Sends a turn to the owner of its shard. An aborted `signal` ends what has not been sent. */
export type SendTurn = (task: TurnTask, signal: AbortSignal) => Promise<TurnResult>

export interface SeatDeps {
  readonly log: RecordLog
  readonly send: SendTurn
  /** A record was applied here that another node has appended. */
  took(): void
  /** Following has ended for good. */
  stopped(error: unknown): void
  /** It is `own`, and another node has begun as the writer: it should `leave` soon. */
  fenced?(): void
}

export class Seat {
  readonly #shard: LoggedShard
  readonly #deps: SeatDeps
  #own: LoggedTurns | null = null
  #since: number | undefined
  #follower: Follower
  /** That of the writers and followers before the present one. */
  #lastMicros = 0
  #following: { readonly ended: Promise<void>; readonly ending: AbortController } | null = null
  readonly #begins = new Begins()
  /** How many turns are looked for in the log, and what waits behind them. */
  #looks = 0
  readonly #behindLooks: (() => void)[] = []
  /** Ends the sending of turns. */
  #sending = new AbortController()
  #isClosed = false

  constructor(shard: LoggedShard, deps: SeatDeps) {
    this.#shard = shard
    this.#deps = deps
    this.#follower = this.#newFollower()
  }

  get isOwn(): boolean {
    return this.#own !== null
  }

  /** It is `own`, and another node has begun as the writer of the log: no turn is run. */
  get isFenced(): boolean {
    return this.#own?.isFenced === true
  }

  /** For which time of owning the shard it became `own` (owner-table.ts). */
  get since(): number | undefined {
    return this.#since
  }

  /** Sequence of the last record that is applied here. */
  get applied(): number {
    return Math.max(this.#own?.applied ?? 0, this.#follower.applied)
  }

  /** No message of the log that was followed has a later time, microseconds. */
  get lastMicros(): number {
    return Math.max(this.#lastMicros, this.#own?.lastMicros ?? 0, this.#follower.lastMicros)
  }

  /** Of what the latest records of the log wrote. */
  get sums(): readonly BlockSum[] {
    return this.#shard.applied().sums
  }

  /** Runs a turn of the mailbox. */
  readonly run: RunTurn = (task, decided) => {
    if (task.unresolved !== undefined || this.#looks > 0) {
      const later = this.#runsLater(task)
      decided()
      return later
    }
    if (this.#own !== null) {
      const ran = this.#own.run(task, decided)
      return task.isLogged === true ? ran.then(withUnknownAnswers) : ran
    }
    if (this.#isClosed) return Promise.resolve(refuse(task, 'this node is ending; try again'))
    if (task.isLogged === true) return this.#answer(task)
    const sent = this.#deps.send(task, this.#sending.signal)
    // The thread is not needed for it. The mailbox may begin its next turn within this call.
    decided()
    return sent
  }

  /** Follows the log from now on. */
  follow(): void {
    const ending = new AbortController()
    const ended = this.#follower.follow(ending.signal).catch((error: unknown) => {
      if (!ending.signal.aborted) this.#deps.stopped(error)
    })
    this.#following = { ended, ending }
  }

  /** Ends following. Resolves when nothing more is applied. */
  async endFollowing(): Promise<void> {
    this.#following?.ending.abort()
    await this.#following?.ended
    this.#following = null
  }

  /** Applies the log up to its present end. Not while it is followed. Rejects with LogUnavailable, LogGap. */
  catchUp(): Promise<void> {
    return this.#follower.catchUp()
  }

  /** Applies nothing until the returned function is called. */
  async still(): Promise<() => void> {
    return await this.#follower.still()
  }

  /** Turns that wait to be sent are given back to the mailbox, because the shard is about to be held. */
  recall(): void {
    this.#sending.abort()
    this.#sending = new AbortController()
  }

  /**
   * Becomes `own`, as the writer with these 8 bytes in hexadecimal, for this time of owning the shard, where it still
   * is this node's (`isMine`, 3). Only while the mailbox is held. Rejects with Refusal log_unavailable and with
   * LogUnavailable; then it follows on.
   */
  async take(writer: string, isMine: () => Promise<boolean>, since?: number): Promise<void> {
    await this.endFollowing()
    const { log } = this.#deps
    const own = new LoggedTurns({ ...this.#shard, log, writer, since, fenced: () => this.#deps.fenced?.() })
    try {
      await own.catchUp()
      if (!(await isMine())) throw new LogUnavailable('another node may have been named the owner meanwhile')
      this.#report(own)
      this.#own = own
      this.#since = since
      this.#begins.saw(own.begun, since ?? null)
    } catch (error) {
      this.#goElsewhere(own)
      throw error
    }
  }

  /** Becomes `elsewhere`, and follows. Only while the mailbox is held. */
  leave(): void {
    const own = this.#own
    this.#own = null
    this.#goElsewhere(own)
  }

  /** Ends following. What waits to be sent is refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#sending.abort()
    await this.endFollowing()
  }

  /** Looks for a turn that the log may have. It runs again, and so does each that comes meanwhile, behind it (4). */
  async #runsLater({ unresolved, ...task }: TurnTask): Promise<TurnResult> {
    if (unresolved === undefined) {
      await new Promise<void>((resolve) => this.#behindLooks.push(resolve))
      return turnedAway
    }
    this.#looks++
    try {
      return await this.#resolve(task, unresolved)
    } finally {
      // Before the turn is back: its mailbox may run it within the same moment.
      if (--this.#looks === 0) for (const goOn of this.#behindLooks.splice(0)) goOn()
    }
  }

  async #resolve(task: TurnTask, unresolved: Unresolved): Promise<TurnResult> {
    const { signal } = this.#sending
    if (!(await this.#begins.past(unresolved, PAST_MS, signal)))
      return signal.aborted && !this.#isClosed ? turnedAway : refuse(task, unclearNow)
    try {
      const through = this.#own?.begun ?? this.applied
      return { ...turnedAway, found: await timesInLog(this.#deps.log, task, unresolved.behind, through) }
    } catch (error) {
      if (error instanceof LogUnavailable || error instanceof LogGap) return refuse(task, unclearNow)
      throw error
    }
  }

  /** Answers a turn that the log has, from the copy here. */
  async #answer(task: TurnTask): Promise<TurnResult> {
    const result = await this.#follower.answer(task)
    if (result === null) return refuse(task, unclearNow)
    return withUnknownAnswers({ ...result, ranElsewhere: true, wasLogged: true, changed: [...jobIdsOf(task)] })
  }

  /** Tells of what it has read from the log and applied: readers see it, and later messages get later times. */
  #report(own: LoggedTurns): void {
    const nothing = { messages: 0, seconds: 0, flushSeconds: 0 }
    this.#shard.ranElsewhere?.({ ...nothing, ...own.takeUnreported() }, own.lastMicros)
  }

  /** Follows behind what `before` has applied. */
  #goElsewhere(before: LoggedTurns | null): void {
    if (before !== null) this.#report(before)
    this.#lastMicros = Math.max(this.lastMicros, before?.lastMicros ?? 0)
    this.#follower = this.#newFollower()
    this.follow()
  }

  #newFollower(): Follower {
    const { log, took } = this.#deps
    return new Follower(this.#shard, log, took, this.#begins.saw.bind(this.#begins))
  }
}
