/**
 * A shard on its thread: turns in, one commit each.
 *
 * Owns: the shard's environment, the actors of its jobs, and the rhythm of a turn. Leaves out: what messages do
 * (job-actor.ts), order and retries (mailbox.ts).
 *
 * 1. A turn is one commit: its answers leave only after it, flushed (D1). Another thread may do it, while the next turn is decided
 *    here (commit-slot.ts); that one's answers leave behind both.
 * 2. A commit that fails has changed nothing: its messages are refused, and memory is read again from the store. A turn that was decided
 *    behind it has not run.
 * 3. A message that is refused has written nothing; the others of its turn are not touched by it.
 * 4. Each commit says up to which time messages are applied, and they are applied in the order of their times: a turn that
 *    runs again because its thread died behind the commit only answers again.
 * 5. After a turn that failed in any other way, only a turn that opens the shard is run, and no turn is run out of its
 *    place: order holds (mailbox.ts, 1).
 */
import { epochMs } from '../clock.js'
import { isRefusal } from '../errors.js'
import { limits } from '../limits.js'
import { assert, must } from '../assert.js'
import type { JobSettings } from '../job/job.js'
import { BodyCodec } from '../store/body-codec.js'
import type { Environment, WriteBatch } from '../store/environment.js'
import { metaKey, timeValue } from '../store/tables.js'
import { forgetPassed } from './changes.js'
import { CommitFailed } from './commit-slot.js'
import { lastTime } from './event-table.js'
import { lastStampOf } from './historic.js'
import { JobActor, type ActorReply } from './job-actor.js'
import { forgetCollected } from './outbox.js'
import { addChangedJobs } from './latest-events.js'
import {
  nextMessage,
  readMessage,
  refusalExtra,
  writeEventReply,
  writeExtraReply,
  REPLY_BYTES,
  type Extra,
  type Message,
} from './message.js'
import { beginTurn, markAt, refuseTurn, TURN_DONE, type TurnResult, type TurnTask } from './turn-task.js'
import { LateCounts } from './late-counts.js'
import { TurnStore, type CommitElsewhere } from './turn-store.js'

/** A turn in front of this one has not run: its thread died, or it failed. It will be run again in its place. */
export class TurnOutOfPlace extends Error {}

/** Where turns are laid down for another thread to commit (commit-slot.ts). */
export interface HandOver {
  /** null where the shard's own thread has to commit. */
  lay(shard: number, place: number, batch: WriteBatch): CommitElsewhere | null
  /** Waits until the last that was laid down is committed, or not. */
  wait(): void
}

export class Shard {
  readonly #environment: Environment
  readonly #sectionNames: readonly string[]
  readonly #store: TurnStore
  readonly #settings = new Map<number, JobSettings>()
  readonly #actors = new Map<number, JobActor>()
  #codec: BodyCodec
  /** Jobs that the turn touched. */
  readonly #touched = new Set<JobActor>()
  readonly #late: LateCounts
  /** What is committed may have counts that are behind and not in `#late`. */
  #mayBeBehind = true
  readonly #handOver: HandOver | null
  #open = false
  #place = 0

  /** Counts of buckets may be behind by events of two rounds of so many (late-counts.ts); large turns are committed behind `handOver`. */
  constructor(
    environment: Environment,
    sectionNames: readonly string[],
    lateEventsMax: number = limits.countsLateEventsMax,
    handOver: HandOver | null = null,
  ) {
    this.#handOver = handOver
    this.#late = new LateCounts(lateEventsMax)
    this.#environment = environment
    this.#sectionNames = sectionNames
    this.#store = new TurnStore(environment)
    this.#codec = new BodyCodec(environment)
  }

  /** Gives back what reads have mapped (Environment.unmap). Only between turns. */
  unmap(): boolean {
    return this.#environment.unmap()
  }

  /** Runs a turn; the replies are in its memory when it returns. @throws Error where the turn failed as a whole. */
  run(task: TurnTask): TurnResult {
    if (task.opens) {
      // What a thread before this one laid down may still be on its way.
      this.#handOver?.wait()
      this.#forget()
    } else if (!this.#open || task.place !== this.#place + 1) throw new TurnOutOfPlace()
    this.#open = false
    this.#place = task.place
    const replies = beginTurn(task)
    try {
      const result = this.#run(task, replies)
      this.#shrink()
      this.#open = true
      // Behind the commit: a thread that dies before its answer is read dies of something else.
      replies[markAt(replies)] = TURN_DONE
      return result
    } catch (error) {
      if (error instanceof CommitFailed) {
        replies[markAt(replies)] = 0
        throw new TurnOutOfPlace()
      }
      if (!isRefusal(error)) throw error
      this.#forget()
      this.#open = true
      return refuseTurn(task, refusalExtra(error))
    }
  }

  #run(task: TurnTask, replies: Buffer): TurnResult {
    const beganMs = task.followed ? epochMs() : 0
    this.#store.begin()
    for (const settings of task.settings) this.#configure(settings)
    if (this.#mayBeBehind || task.again) this.#store.settle()
    if (this.#mayBeBehind) this.#late.layWhole(this.#store, this.#environment)
    const laid = this.#store.batch.size
    const extras: Extra[] = []
    const changed = new Set<number>()
    const micros = this.#apply(Buffer.from(task.memory), task, replies, extras, changed)
    const decided: number[] = []
    const workMs = task.followed ? epochMs() - beganMs : 0
    const committed = this.#commit(task, micros, laid, decided, changed)
    // What a turn did when it ran before is not known.
    const result = { extras, ...committed, decided, ...(task.again ? {} : { changed: [...changed] }) }
    return task.followed ? { ...result, beganMs, workMs } : result
  }

  /** The messages, in order; returns the latest time among them. Jobs of those that bring more than an event go into `changed`. */
  #apply(memory: Buffer, task: TurnTask, replies: Buffer, extras: Extra[], changed: Set<number>): number {
    const appliedThrough = task.again ? lastTime(this.#environment) : 0
    let at = 0
    let latest = 0
    for (let i = 0; i < task.count; i++) {
      const message = readMessage(memory, at, appliedThrough)
      at = nextMessage(memory, at)
      latest = Math.max(latest, lastStampOf(message))
      if (message.kind !== 'ingest') changed.add(message.jobId)
      const written = this.#store.batch.size
      try {
        writeReply(replies, i * REPLY_BYTES, this.#handle(message), extras)
      } catch (error) {
        if (!isRefusal(error)) throw error
        assert(this.#store.batch.size === written, 'a refused message has written nothing')
        writeExtraReply(replies, i * REPLY_BYTES, extras.push(refusalExtra(error)) - 1)
      }
    }
    return latest
  }

  #handle(message: Message): ActorReply {
    // Applied already, it writes nothing: a turn that only answers must not fail for want of room.
    if (message.kind === 'collected')
      return { result: message.applied ? { more: true } : forgetCollected(this.#store, message.body) }
    if (message.kind === 'passed') return { result: forgetPassed(this.#store, message) }
    let actor = this.#actors.get(message.jobId)
    if (actor === undefined) {
      const settings = must(this.#settings.get(message.jobId), 'the settings of job', message.jobId)
      actor = new JobActor(settings, this.#store, this.#codec, this.#sectionNames, this.#late)
      this.#actors.set(message.jobId, actor)
    }
    this.#touched.add(actor)
    const reply = actor.handle(message)
    if (message.kind === 'purge') {
      this.#actors.delete(message.jobId)
      this.#late.forgetJob(message.jobId)
    }
    return reply
  }

  #configure(settings: JobSettings): void {
    this.#settings.set(settings.id, settings)
    const actor = this.#actors.get(settings.id)
    if (actor === undefined) return
    actor.configure(settings)
    // It has forgotten its buckets.
    this.#late.clear()
    this.#mayBeBehind = true
  }

  /** What was stored and decided goes into the list, and jobs that it changed. Nothing but what was laid first is no reason for a commit. */
  #commit(
    task: TurnTask,
    latestMicros: number,
    laid: number,
    decided: number[],
    changed: Set<number>,
  ): Pick<TurnResult, 'flushMs' | 'handedOver'> {
    for (const actor of this.#touched) actor.finish(decided)
    this.#touched.clear()
    const { batch } = this.#store
    // An answer may rest on the turn before alone: it leaves when that is committed.
    this.#store.settle()
    if (batch.size === laid) return { flushMs: 0 }
    this.#late.write(this.#store, latestMicros)
    batch.put('meta', metaKey('last_time'), timeValue(latestMicros))
    this.#codec.writeNewRows(batch)
    addChangedJobs(changed, batch)
    const elsewhere = task.handsOver ? this.#handOver?.lay(task.shard, task.place, batch) : undefined
    if (elsewhere) this.#store.handOver(elsewhere)
    const result = elsewhere ? ({ handedOver: true } as const) : this.#flush()
    this.#codec.committed()
    this.#mayBeBehind = false
    return result
  }

  #flush(): { flushMs: number } {
    const begin = performance.now()
    this.#environment.commit(this.#store.batch)
    this.#store.batch.clear()
    return { flushMs: performance.now() - begin }
  }

  /** Everything in memory but the settings is a copy of the store; forgets it. */
  #forget(): void {
    this.#store.forget()
    this.#actors.clear()
    this.#touched.clear()
    this.#late.clear()
    this.#mayBeBehind = true
    this.#environment.refresh()
    this.#codec = new BodyCodec(this.#environment)
  }

  #shrink(): void {
    let [buckets, chars] = [0, 0]
    for (const { atHand } of this.#actors.values()) {
      buckets += atHand.size
      chars += atHand.chars
    }
    const { bucketsInMemoryMax, bucketCharsInMemoryMax } = limits
    if (buckets <= bucketsInMemoryMax && chars <= bucketCharsInMemoryMax) return
    const share = (max: number): number => Math.floor(max / (2 * this.#actors.size))
    for (const actor of this.#actors.values()) actor.shrink(share(bucketsInMemoryMax), share(bucketCharsInMemoryMax))
  }
}

function writeReply(replies: Buffer, at: number, reply: ActorReply, extras: Extra[]): void {
  if ('result' in reply) return writeExtraReply(replies, at, extras.push({ type: 'result', result: reply.result }) - 1)
  const { idFromBody } = reply
  writeEventReply(replies, at, reply, idFromBody === null ? -1 : extras.push({ type: 'id', eventId: idFromBody }) - 1)
}
