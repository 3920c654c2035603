/**
 * The writer of one shard's log: each turn of the mailbox is appended, and then runs on the shard's thread.
 *
 * Owns: the order of appends and of runs, and what follows when one of them fails. Leaves out: the log (turn-log.ts),
 * records (turn-record.ts), turns that run again (mailbox.ts).
 *
 * 1. Turns run in the order of the log. Appends of turns that follow each other are under way together.
 * 2. A turn that runs again is not appended again. It is known by the times of its messages, which only rise.
 * 3. Where the log does not answer, or the store does not take a turn, the turn's messages are refused with
 *    log_unavailable. They may take effect all the same. The turns behind it are turned away, and the mailbox runs them
 *    again. Before another turn is appended, the shard applies what the log has and it has not. Where the shard goes to
 *    another node before they run again, the log may have them all the same: the mailbox is told (failed-turns.ts).
 * 4. A turn runs with the settings of jobs that are in force at its place in the log, however often it runs.
 * 5. Where another writer has begun, this one appends nothing more. Turns are turned away for a while, so that the
 *    shard can be left, and those whose append has not begun go to its next owner. Then every turn is refused
 *    (fence.ts).
 */
import { Refusal } from '../../errors.js'
import { refusalExtra } from '../../actor/reply.js'
import { isApplied, refuseTurn, type TurnResult, type TurnTask } from '../../actor/turn-task.js'
import type { RunTurn } from '../turn/turn-contract.js'
import { Fence, fenced, turnedAway, unavailable, unclearAt, type TurnedAway } from './fence.js'
import { LogEnd, type LogPlace } from './log-end.js'
import { RecordRefused, RecordRunner } from './record-runner.js'
import { endOf, LogGap, LogMoved, LogUnavailable, type LoggedShard, type RecordLog } from './turn-log.js'
import { decodeRecord, jobIdsOf } from './turn-record.js'

export interface WriterDeps extends LoggedShard {
  readonly log: RecordLog
  /** 8 bytes in hexadecimal, of this writer alone. */
  readonly writer: string
  /** Another writer has begun: the shard is to be left. Absent: nobody leaves it, and turns are refused at once. */
  fenced?(): void
  /** For which time of owning the shard it writes (owner-table.ts). */
  readonly since?: number | undefined
}

export class LoggedTurns {
  readonly #deps: WriterDeps
  readonly #end: LogEnd
  readonly #fence: Fence
  /** The log may have what the shard has not applied. */
  #isBehind = true
  /** Sequence of the record with which this writer has begun; 0 before. */
  begun = 0
  /** Sequence of the last record that is applied here. */
  #applied = 0
  /** Turns whose append has not begun: no later turn is appended before them. */
  #waiting = 0
  /** Rises with each failure: turns that came before it are turned away. */
  #failures = 0
  /** Ends the appends that are under way. */
  #ending = new AbortController()
  /** Resolves when the turn before has gone to the thread. */
  #before: Promise<void> = Promise.resolve()
  /** The last time of a message that was read from the log, microseconds. */
  #readMicros = 0
  /** What ran outside of the mailbox, for the next result. */
  readonly #unreported: { decided: number[]; jobs: Set<number> } = { decided: [], jobs: new Set() }

  constructor(deps: WriterDeps) {
    this.#deps = deps
    this.#end = new LogEnd(deps.log, deps.writer)
    this.#fence = new Fence(deps.fenced)
  }

  /** Sequence of the last record that is applied here, as far as this writer knows; 0 before its first turn. */
  get applied(): number {
    return this.#applied
  }

  /** Another writer has begun: this one appends nothing more. */
  get isFenced(): boolean {
    return this.#fence.isClosed
  }

  /** The turn was turned away, and the log may have it: behind what is applied. */
  get #unclear(): TurnedAway {
    return unclearAt({ behind: this.#applied, begun: this.begun })
  }

  /** The last time of a message in the log, as far as this writer has read or written it, microseconds; 0 for none. */
  get lastMicros(): number {
    return Math.max(this.#end.lastMicros, this.#readMicros)
  }

  /** Runs a turn of the mailbox. */
  readonly run: RunTurn = async (task, decided) => {
    if (this.#fence.isBeingLeft) return await this.#fence.turnAway(decided)
    const failures = this.#failures
    this.#end.cameWith(task.settings)
    const early = this.#waiting === 0 && !this.#isBehind ? this.#end.append(task, this.#ending.signal) : null
    if (early === null) this.#waiting++
    const before = this.#before
    let goOn = (): void => {}
    this.#before = new Promise<void>((resolve) => (goOn = resolve))
    try {
      await before
      const place = await this.#placeOf(task, early, failures)
      if ('turnedAway' in place) {
        // Those that wait behind it must not be appended before it.
        this.#failures++
        return place
      }
      const { sequence, brought, inForce } = place
      const settings = task.opens ? [...inForce.values()] : brought
      const running = this.#deps.run({ ...task, sequence, settings, again: task.again || place.isKnown }, decided)
      goOn()
      const result = this.#ran(task, await running)
      if (result.turnedAway !== true) this.#applied = Math.max(this.#applied, sequence)
      return place.isKnown ? { ...result, wasLogged: true } : result
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (this.#fence.isBeingLeft) return this.#unclear
      return { ...refuseTurn(task, refusalExtra(error)), beginsAnew: true }
    } finally {
      goOn()
    }
  }

  /** Applies what the log has and the shard has not. No turn may be under way. @throws Refusal log_unavailable. */
  async catchUp(): Promise<void> {
    if (this.#fence.isClosed) throw fenced()
    try {
      while (!(await this.#apply()));
      this.#isBehind = false
    } catch (error) {
      throw this.#fail(error)
    }
  }

  /** As `catchUp`. False where another writer has begun, and the shard is to be left. */
  async #isCaughtUp(): Promise<boolean> {
    try {
      await this.catchUp()
      return true
    } catch (error) {
      if (this.#fence.isBeingLeft) return false
      throw error
    }
  }

  /** What was decided, and in which jobs, outside of the mailbox and not reported with a result yet. */
  takeUnreported(): { readonly decided: readonly number[]; readonly changed: readonly number[] } {
    const { decided, jobs } = this.#unreported
    const taken = { decided: decided.splice(0), changed: [...jobs] }
    jobs.clear()
    return taken
  }

  /** Where the turn is in the log, now that its place in the order has come; or that it has to run again. */
  async #placeOf(task: TurnTask, early: Promise<LogPlace> | null, failures: number): Promise<LogPlace | TurnedAway> {
    let place = early
    if (place === null) {
      try {
        if (failures === this.#failures) {
          if (this.#isBehind && !(await this.#isCaughtUp())) return turnedAway
          place = this.#end.append(task, this.#ending.signal)
        }
      } finally {
        this.#waiting--
      }
    }
    if (place === null) return turnedAway
    if (failures !== this.#failures) return this.#unclear
    try {
      return await place
    } catch (error) {
      const refusal = this.#fail(error)
      // Nothing was appended, perhaps behind an append of this writer that had been given up: it is tried again.
      if (error instanceof LogMoved) return this.#unclear
      throw refusal
    }
  }

  #ran(task: TurnTask, result: TurnResult): TurnResult {
    if (result.turnedAway === true) return this.#unclear
    if (!isApplied(result)) {
      const [refusal] = result.extras
      throw this.#fail(new RecordRefused(refusal?.type === 'refusal' ? refusal : undefined))
    }
    this.#end.applied(task)
    return this.#report(task, result)
  }

  /** The result, with what ran outside of the mailbox before. */
  #report(task: TurnTask, result: TurnResult): TurnResult {
    const { decided, jobs } = this.#unreported
    if (jobs.size === 0) return result
    const changed = [...new Set([...jobs, ...(result.changed ?? jobIdsOf(task))])]
    const reported = { ...result, decided: [...decided, ...(result.decided as number[])], changed }
    decided.length = 0
    jobs.clear()
    return reported
  }

  /** Applies the rest of the log, and begins as its writer. False where the log has grown meanwhile. */
  async #apply(): Promise<boolean> {
    const { log, writer } = this.#deps
    // Records behind it have written nothing. They are run again for the settings that they brought.
    const applied = this.#deps.applied()
    const runner = new RecordRunner(this.#deps, applied.settings)
    const through = await endOf(log, applied.sequence, `shard ${this.#deps.shard}`)
    let lastMicros = 0
    for await (const { sequence, bytes } of log.read(applied.sequence, through)) {
      const record = decodeRecord(bytes)
      if (this.begun > 0 && sequence > this.begun && record.writer !== writer) {
        this.#fence.close()
        throw new LogMoved('another writer has begun')
      }
      if (record.kind === 'turn') {
        const results = await runner.run(record.turn, sequence)
        for (const { decided = [] } of results) this.#unreported.decided.push(...decided)
        for (const id of jobIdsOf(record.turn)) this.#unreported.jobs.add(id)
        this.#readMicros = lastMicros = record.span.lastMicros
      }
    }
    this.#end.reached(through, lastMicros, runner.settings)
    this.#applied = Math.max(this.#applied, through)
    return this.begun > 0 || (await this.#begin())
  }

  async #begin(): Promise<boolean> {
    try {
      this.begun = await this.#end.appendBegin(this.#deps.since)
      this.#applied = Math.max(this.#applied, this.begun)
      return true
    } catch (error) {
      if (error instanceof LogMoved) return false
      throw error
    }
  }

  /** The turn's fate is open, or the log is ahead of the shard. Returns what its messages are refused with. */
  #fail(error: unknown): Refusal {
    this.#failures++
    this.#isBehind = true
    this.#ending.abort()
    this.#ending = new AbortController()
    if (this.#fence.isClosed) return fenced()
    const isExpected = [LogUnavailable, LogGap, LogMoved, RecordRefused].some((kind) => error instanceof kind)
    // A bug, or a record that this version does not read. The mailbox would run the turn again at once.
    if (!isExpected) this.#deps.failed(`the log of shard ${this.#deps.shard} cannot be applied`, error)
    return unavailable((error as Error).message)
  }
}
