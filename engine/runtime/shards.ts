/**
 * All shards, as the main thread sees them: their mailboxes, readers and threads.
 *
 * Owns: which mailbox a message goes into, which time it gets, and calls that wait for a result. Leaves out: which
 * messages are sent (services/), how a shard is read (job-reader.ts).
 */
import { must } from '../assert.js'
import { Refusal } from '../errors.js'
import type { JobSettings } from '../domain/job/job.js'
import type { EventView } from '../api/decision-service.js'
import { viewOf } from '../actor/event-reply.js'
import { timesTaken, type MessageKind } from '../actor/message.js'
import type { TurnResult, TurnTask } from '../actor/turn-task.js'
import type { IngestClock } from './ingest-clock.js'
import { LatestEvents } from './latest-events.js'
import { embeddedLog, type TurnLog } from './log/turn-log.js'
import { Holds } from './mailbox/holds.js'
import { Mailbox } from './mailbox/mailbox.js'
import { TurnSlots } from './mailbox/turn-slots.js'
import { ShardMemory, type RestEvents } from './shard-memory.js'
import type { ShardReader } from './shard-reader.js'
import { TurnReports } from './turn-reports.js'
import { ShardThreads, type OpenModels, type ShardThreadData } from './threads/shard-threads.js'
import type { ThreadUsage } from './threads/thread-usage.js'
import type { NewMessage, TurnRan } from './turn/turn-contract.js'
import type { TurnMeter } from './turn/turn-meter.js'

export type { ShardReader } from './shard-reader.js'

/** Milliseconds between two tries at a full mailbox. */
const RETRY_MS = 50

const noBody = new Uint8Array(0)

export interface ShardsDeps<Reader extends ShardReader> extends RestEvents {
  readonly threads: number
  readonly threadData: ShardThreadData
  /** One for each shard, by its number. */
  readonly readers: readonly Reader[]
  readonly clock: IngestClock
  /** Where turns become durable; absent: in the store. */
  readonly log?: TurnLog | undefined
  /** Told of every turn that failed, and of threads that died between turns. */
  failed(what: string, error: unknown): void
  /** Told of every turn that was committed. */
  ran?(shard: number, ran: TurnRan): void
  /** Told of every turn that was committed outside of a mailbox (turn-log.ts), after all else. */
  ranElsewhere?(shard: number): void
}

export class Shards<Reader extends ShardReader = ShardReader> {
  readonly #mailboxes: readonly Mailbox[]
  readonly #log: TurnLog
  readonly #readers: readonly Reader[]
  readonly #threads: ShardThreads
  readonly #clock: IngestClock
  readonly #memory: ShardMemory
  readonly #latest = new LatestEvents((job, micros) => this.reader(job.shard).hasIdsAhead(job.id, micros))
  /** Deleted jobs: later messages to them would leave rows behind. */
  readonly #gone = new Set<number>()
  readonly #holds = new Holds()
  readonly #reports: TurnReports

  constructor(deps: ShardsDeps<Reader>) {
    const { threads, threadData, readers, clock, failed, log = embeddedLog } = deps
    this.#threads = new ShardThreads(threads, threadData, (error) => failed('a thread that decides events died', error))
    this.#log = log
    this.#readers = readers
    this.#clock = clock
    const slots = Array.from({ length: threads }, () => new TurnSlots())
    const run = (task: TurnTask, decided: () => void): Promise<TurnResult> => this.#threads.run(task, decided)
    const reports = new TurnReports({ ...deps, latest: this.#latest })
    this.#reports = reports
    const common = { events: reports, takeTimes: (count: number) => clock.take(count) }
    this.#mailboxes = readers.map(
      (reader, shard) =>
        new Mailbox({
          ...common,
          shard,
          run: log.runner({
            shard,
            run,
            failed,
            applied: () => reader.appliedLog(),
            ranElsewhere: (ran, lastMicros) => reports.ranElsewhere(shard, ran, lastMicros),
          }),
          slots: must(slots[this.threadOf(shard)], 'the slots of', shard),
        }),
    )
    this.#memory = new ShardMemory({
      shards: this.#mailboxes.map((mailbox, at) => ({ mailbox, meter: this.meter(at), reader: this.reader(at) })),
      threads: this.#threads,
      slots,
      held: (mailboxes, work) => this.#held(mailboxes, work),
      failed,
      rested: deps.rested,
    })
  }

  reader(shard: number): Reader {
    return must(this.#readers[shard], 'shard', shard)
  }

  /** An event as clients see it. @throws Refusal event_not_found. */
  event(job: JobSettings, eventId: string): EventView {
    const latest = this.#latest.find(job, eventId)
    return latest === null ? this.reader(job.shard).event(job, eventId) : viewOf(job, eventId, latest)
  }

  /** How often each shard has committed: other threads wait on it for new events. */
  get commits(): Int32Array {
    return this.#reports.commits
  }

  /** Number, sizes and durations of the shard's turns. */
  meter(shard: number): TurnMeter {
    return must(this.#reports.meters[shard], 'shard', shard)
  }

  mailbox(shard: number): Pick<Mailbox, 'length' | 'bytes'> {
    return must(this.#mailboxes[shard], 'shard', shard)
  }

  /** What was stored and decided since the last call, by job and place (decision-counts.ts). */
  takeDecided(): ReadonlyMap<number, Float64Array> {
    return this.#reports.decided.take()
  }

  get count(): number {
    return this.#mailboxes.length
  }

  /** Messages that wait or run, over all shards. */
  get messages(): number {
    return this.#mailboxes.reduce((sum, mailbox) => sum + mailbox.length, 0)
  }

  /** A time after those of all messages so far. The system's clock may be behind them if it was set back. */
  takeTime(): number {
    return this.#clock.take()
  }

  /** Seconds that the system's clock is behind the times of messages; 0 for less than one. */
  get clockBehindSeconds(): number {
    return Math.floor(this.#clock.behindMicros / 1e6)
  }

  /** Posts a message. @throws Refusal mailbox_full, job_not_found. */
  post(message: NewMessage): void {
    const { job, kind } = message
    if (kind === 'purge') this.#gone.add(job.id)
    else if (this.#gone.has(job.id)) throw new Refusal('job_not_found', 'job not found')
    must(this.#mailboxes[job.shard], 'shard', job.shard).post(message, this.#clock.take(timesTaken(kind)))
  }

  /** Posts a message and waits for its result. Rejects with the refusal. */
  ask(job: JobSettings, kind: MessageKind, eventId: string | null, body: Uint8Array = noBody): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.post({ job, kind, eventId, idInBody: false, body, receiver: { resolved: resolve, refused: reject } })
    })
  }

  /** As `ask`, for the service's own messages: where a client would be refused, they try again. */
  async insist(job: JobSettings, kind: MessageKind, body: Uint8Array = noBody): Promise<unknown> {
    for (;;) {
      try {
        return await this.ask(job, kind, null, body)
      } catch (error) {
        if (!(error instanceof Refusal) || !error.retryable) throw error
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref())
      }
    }
  }

  get threads(): number {
    return this.#threads.count
  }

  /** On disk. */
  sizeBytes(shard: number): number {
    return this.reader(shard).sizeBytes()
  }

  unmap(shard: number): Promise<boolean> {
    return this.#memory.unmap(shard)
  }

  /** Replaces a thread between two turns of its shards. Messages that arrive meanwhile wait. */
  restartThread(thread: number): Promise<void> {
    const mailboxes = this.#mailboxes.filter((_, shard) => this.threadOf(shard) === thread)
    return this.#held(mailboxes, async () => {
      await this.#threads.restart(thread)
      for (const mailbox of mailboxes) mailbox.moveToNewThread()
    })
  }

  /**
   * Does `work`, which changes who runs the turns of a shard, between two of them. `work` resolves with a time that the
   * messages which wait must be behind, microseconds. Messages that arrive meanwhile wait.
   */
  changeRunner(shard: number, work: () => Promise<number>): Promise<void> {
    const mailbox = must(this.#mailboxes[shard], 'shard', shard)
    return this.#holds.during([mailbox], async () => mailbox.moveToNewThread(this.#clock.follow(await work())))
  }

  /** Which thread runs the turns of a shard. */
  threadOf(shard: number): number {
    return this.#threads.threadOf(shard)
  }

  threadStartedMicros(thread: number): number {
    return this.#threads.startedMicros(thread)
  }

  readonly openModels = (): OpenModels => this.#threads.openModels()

  readThreadUsage(thread: number): Promise<ThreadUsage> {
    return this.#threads.readUsage(thread)
  }

  /** Does `work` while no shard commits anything. Messages that arrive meanwhile wait. */
  stillWhile<T>(work: () => Promise<T>): Promise<T> {
    return this.#held(this.#mailboxes, work)
  }

  /** Also stops what runs outside of these mailboxes. */
  #held<T>(mailboxes: readonly Mailbox[], work: () => Promise<T>): Promise<T> {
    return this.#holds.during(mailboxes, async () => {
      const still = mailboxes.map((mailbox) => this.#log.still?.(this.#mailboxes.indexOf(mailbox)))
      const opens = await Promise.all(still)
      try {
        return await work()
      } finally {
        for (const open of opens) open?.()
      }
    })
  }

  /** Resolves when every message is answered. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#mailboxes.map((mailbox) => mailbox.whenIdle()))
  }

  async close(): Promise<void> {
    await this.#memory.close()
    await this.#threads.close()
    for (const reader of this.#readers) await reader.close()
  }
}
