/**
 * A shard on its thread: it runs turns, and each turn is one commit.
 *
 * Owns: the shard's environment, and the steps of a turn. Leaves out: what messages do (job-actor.ts), which actors are
 * in memory (actors.ts), order and retries (mailbox.ts).
 *
 * 1. A turn is one commit. Its answers leave only after the commit is flushed (D1). Another thread may commit a turn
 *    while this one decides the next (HandOver). The answers of the next turn leave after both commits.
 * 2. A commit that fails changes nothing. Its messages are refused, and the state in memory is read again from the
 *    store. A turn that was decided after it counts as not run.
 * 3. A refused message has written nothing, and does not affect the other messages of its turn.
 * 4. Each commit stores the time up to which messages are applied, and messages are applied in the order of their
 *    times. So a turn that runs again because its thread died after the commit only answers again.
 * 5. After a turn that failed in any other way, only a turn that opens the shard is run. No turn is run out of its
 *    place, so the order of turns holds (mailbox.ts, 1).
 * 6. A turn that a log holds is applied before any later one, so the same goes for one whose commit failed.
 */
import { assert } from '../assert.js'
import { epochMs } from '../clock.js'
import { isRefusal } from '../errors.js'
import { BodyCodec } from '../store/body-codec.js'
import type { Environment } from '../store/environment.js'
import { metaKey, timeValue } from '../store/tables.js'
import type { ShardOptions } from './actor-deps.js'
import { Actors } from './actors.js'
import { forgetCollected } from './audit-outbox.js'
import { ComingEvents } from './autonomy/coming-events.js'
import { BucketMemory } from './buckets/bucket-memory.js'
import { ModelMemory } from './models/model-memory.js'
import { LateRows } from './buckets/late-rows.js'
import { forgetPassed } from './decision-changes.js'
import { lastTime } from './event-table.js'
import type { JobActorDeps } from './job-actor.js'
import { LogPosition } from './log/log-position.js'
import { lastMicrosOf, nextMessage, readMessage, type Message } from './message.js'
import { refusalExtra, writeExtraReply, writeReply, REPLY_BYTES, type ActorReply, type Extra } from './reply.js'
import { addChangedJobs, CommitFailed, TurnStore, type HandOver } from './turn-store.js'
import { beginTurn, progressAt, refuseTurn, TURN_DONE, type TurnResult, type TurnTask } from './turn-task.js'

/** An earlier turn has not run: it failed, or its thread died. This turn will run again after it. */
export class TurnOutOfPlace extends Error {}

/** What a turn has done so far. */
interface Outcome {
  readonly extras: Extra[]
  /** Jobs for which it did more than add events. */
  readonly changed: Set<number>
  /** What it stored and decided (decision-counts.ts). */
  readonly decided: number[]
  /** The latest time among its messages. */
  latestMicros: number
  /** Entries of the batch from before the first message: they alone are no reason for a commit. */
  readonly entriesBefore: number
}

export class Shard {
  readonly #environment: Environment
  readonly #sectionNames: readonly string[]
  readonly #store: TurnStore
  readonly #actors: Actors
  #codec: BodyCodec
  readonly #late: LateRows
  readonly #log = new LogPosition(() => this.#environment)
  readonly #coming = new ComingEvents()
  readonly #handOver: HandOver | null
  readonly #memories: { readonly memory: BucketMemory; readonly models: ModelMemory }
  #open = false
  #place = 0

  constructor(environment: Environment, sectionNames: readonly string[], options: ShardOptions = {}) {
    const { memory = new BucketMemory(), models = new ModelMemory() } = options
    this.#handOver = options.handOver ?? null
    this.#memories = { memory, models }
    this.#late = new LateRows(options)
    this.#actors = new Actors(options.actorsMax)
    this.#environment = environment
    this.#sectionNames = sectionNames
    this.#store = new TurnStore(environment)
    this.#codec = new BodyCodec(environment)
  }

  /** Releases the memory that reads have mapped (Environment.unmap). Only between turns. */
  unmap(): boolean {
    return this.#environment.unmap()
  }

  /** Gives back memory: of all jobs but the latest, and of batches. Only between turns. @throws Error of the store. */
  rest(): void {
    if (this.#open && this.#writeBehind()) this.#actors.rest()
    this.#store.rest()
  }

  /** Writes the counts that are behind, which keep buckets in memory. False where the store refuses. */
  #writeBehind(): boolean {
    this.#store.begin()
    this.#late.writeCounts(this.#store, this.#environment)
    if (this.#store.batch.size === 0) return true
    try {
      this.#flush()
      return true
    } catch (error) {
      this.#forget()
      if (!isRefusal(error)) throw error
      return false
    }
  }

  /** Runs a turn and writes the replies into its memory. @throws Error where the turn failed as a whole. */
  run(task: TurnTask): TurnResult {
    if (task.opens) {
      // A turn that an earlier thread handed over may not be committed yet.
      this.#handOver?.wait()
      this.#forget()
    } else if (!this.#open || task.place !== this.#place + 1) throw new TurnOutOfPlace()
    this.#open = false
    this.#place = task.place
    const replies = beginTurn(task)
    try {
      const result = this.#run(task, replies)
      this.#codec.shrink()
      this.#actors.shrink()
      for (const memory of Object.values(this.#memories)) memory.shrink()
      this.#open = true
      // After the commit: if the thread dies before its answer is read, this turn is not to blame.
      replies[progressAt(replies)] = TURN_DONE
      return result
    } catch (error) {
      if (error instanceof CommitFailed) {
        replies[progressAt(replies)] = 0
        throw new TurnOutOfPlace()
      }
      if (!isRefusal(error)) throw error
      this.#forget()
      this.#open = task.sequence === undefined
      return refuseTurn(task, refusalExtra(error))
    }
  }

  #run(task: TurnTask, replies: Buffer): TurnResult {
    const beganMs = task.traced ? epochMs() : 0
    this.#store.begin()
    // An actor that is configured anew starts with no buckets in memory.
    for (const settings of task.settings) if (this.#actors.configure(settings)) this.#late.forgetBuckets()
    this.#log.begin(task)
    this.#late.begin(this.#store, this.#environment, task.again)
    const entriesBefore = this.#store.batch.size
    const outcome: Outcome = { extras: [], changed: new Set(), decided: [], latestMicros: 0, entriesBefore }
    this.#apply(task, replies, outcome)
    const workMs = task.traced ? epochMs() - beganMs : 0
    const committed = this.#commit(task, outcome)
    const { extras, changed, decided } = outcome
    // Nobody knows what an earlier run of the turn changed.
    const result = { extras, ...committed, decided, ...(task.again ? {} : { changed: [...changed] }) }
    return task.traced ? { ...result, beganMs, workMs } : result
  }

  /** Applies the messages, in order. */
  #apply(task: TurnTask, replies: Buffer, outcome: Outcome): void {
    const memory = Buffer.from(task.memory)
    const appliedThrough = task.again ? lastTime(this.#environment) : 0
    const { extras, changed } = outcome
    let latest = 0
    for (let i = 0, at = 0; i < task.count; i++, at = nextMessage(memory, at)) {
      const message = readMessage(memory, at, appliedThrough)
      latest = Math.max(latest, lastMicrosOf(message.kind, message.micros))
      if (message.kind !== 'ingest') changed.add(message.jobId)
      const written = this.#store.batch.size
      this.#coming.set(memory, nextMessage(memory, at), task.count - i - 1)
      try {
        writeReply(replies, i * REPLY_BYTES, this.#handle(message), extras)
      } catch (error) {
        if (!isRefusal(error)) throw error
        assert(this.#store.batch.size === written, 'a refused message has written nothing')
        writeExtraReply(replies, i * REPLY_BYTES, extras.push(refusalExtra(error)) - 1)
      }
    }
    outcome.latestMicros = latest
  }

  #handle(message: Message): ActorReply {
    // An applied message writes nothing: a turn that only answers must not fail on a full disk.
    if (message.kind === 'collected')
      return { result: message.applied ? { more: true } : forgetCollected(this.#store, message.body) }
    if (message.kind === 'passed') return { result: forgetPassed(this.#store, message) }
    const reply = this.#actors.touch(message.jobId, this.#actorDeps).handle(message)
    if (message.kind === 'purge') {
      this.#actors.remove(message.jobId)
      this.#late.forgetJob(message.jobId)
      if ('result' in reply && (reply.result as { more: boolean }).more === false) this.#log.dropped(message.jobId)
    }
    return reply
  }

  readonly #actorDeps = (): JobActorDeps => {
    const [store, codec, sectionNames, coming] = [this.#store, this.#codec, this.#sectionNames, this.#coming]
    return { store, codec, sectionNames, coming, late: this.#late, ...this.#memories }
  }

  /** Commits what the turn wrote, if anything, or hands it over. */
  #commit(task: TurnTask, outcome: Outcome): Pick<TurnResult, 'flushMs' | 'handedOver'> {
    const { latestMicros, entriesBefore, decided, changed } = outcome
    this.#actors.finish(decided)
    const { batch } = this.#store
    // An answer may show what the turn before wrote, so it waits for that commit.
    this.#store.settle()
    if (batch.size === entriesBefore) return { flushMs: 0 }
    this.#late.write(this.#store, latestMicros)
    batch.put('meta', metaKey('last_time'), timeValue(latestMicros))
    this.#codec.writeNewRows(batch)
    addChangedJobs(changed, batch)
    this.#log.write(batch)
    const elsewhere = task.handsOver ? this.#handOver?.offer(task.shard, task.place, batch) : undefined
    if (elsewhere) this.#store.handOver(elsewhere)
    const result = elsewhere ? ({ handedOver: true } as const) : this.#flush()
    this.#codec.committed()
    this.#log.committed()
    this.#late.committed()
    return result
  }

  #flush(): { flushMs: number } {
    const begin = performance.now()
    this.#environment.commit(this.#store.batch)
    this.#store.batch.clear()
    return { flushMs: performance.now() - begin }
  }

  /** Forgets all state in memory but the settings: it is only a copy of the store. */
  #forget(): void {
    this.#store.forget()
    this.#actors.clear()
    this.#memories.models.rows.forget()
    this.#late.forget()
    this.#environment.refresh()
    this.#codec = new BodyCodec(this.#environment)
  }
}
