/**
 * All shards, seen from the main thread: their mailboxes, their readers, their threads.
 *
 * Owns: which mailbox a message goes into, and calls that wait for an answer. Leaves out: what is asked (engine.ts).
 */
import { Refusal } from '../errors.js'
import type { JobSettings } from '../job/job.js'
import type { EventView } from '../service.js'
import { openShard } from '../store/environments.js'
import { must } from '../assert.js'
import { TurnMeter } from '../monitor/turn-meter.js'
import { PLACES } from './decided.js'
import { viewOf } from './event-reply.js'
import { JobReader } from './job-reader.js'
import { LatestEvents } from './latest-events.js'
import { Residency } from './residency.js'
import type { TurnRan } from './mailbox-events.js'
import { Mailbox } from './mailbox.js'
import type { MessageKind, ShownReply } from './message.js'
import { ThreadDoor } from './thread-door.js'
import { ShardThreads, type ShardThreadData } from './shard-threads.js'
import type { ThreadLook } from './thread-look.js'
import type { IngestClock } from './ingest-clock.js'
import type { Receiver } from './turn.js'

/** Between two tries of the engine's own messages at a full mailbox. */
const RETRY_MS = 50

const noBody = new Uint8Array(0)

export class Shards {
  readonly #mailboxes: readonly Mailbox[]
  readonly #readers: readonly JobReader[]
  readonly #threads: ShardThreads
  readonly #clock: IngestClock
  readonly #residency: Residency
  readonly #latest = new LatestEvents((job, micros) => this.reader(job.shard).hasIdsAhead(job.id, micros))
  /** How often each shard has committed, for threads that look for what is new. */
  readonly commits: Int32Array
  /** Jobs that were deleted: what came behind that, for whoever still means one, would leave rows of it. */
  readonly #gone = new Set<number>()
  /** Whoever holds mailboxes. */
  #holding: Promise<unknown> = Promise.resolve()
  readonly #meters: readonly TurnMeter[]
  /** By job, since somebody last took it: counts by place (decided.ts). */
  #decided = new Map<number, Float64Array>()

  /** `failed` is told of every turn that failed, and of threads that died between turns; `ran` of every one that was committed. */
  constructor(
    count: number,
    threads: number,
    data: ShardThreadData,
    readers: readonly JobReader[],
    clock: IngestClock,
    failed: (what: string, error: unknown) => void,
    ran: (shard: number, ran: TurnRan) => void = () => {},
  ) {
    this.#threads = new ShardThreads(threads, data, (error) => failed('a thread that decides events died', error))
    this.#readers = readers
    this.#meters = Array.from({ length: count }, () => new TurnMeter())
    this.#clock = clock
    this.commits = new Int32Array(new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT))
    const events = {
      committed: (shard: number, facts: TurnRan) => {
        this.reader(shard).refresh()
        for (const jobId of facts.changed) this.#latest.forget(jobId)
        Atomics.add(this.commits, shard, 1)
        this.meter(shard).add(facts)
        this.#count(facts.decided)
        ran(shard, facts)
      },
      added: (job: JobSettings, clientId: string | null, reply: ShownReply) => this.#latest.keep(job, clientId, reply),
      failed: (shard: number, error: unknown) => {
        this.meter(shard).failed++
        failed(`a turn of shard ${shard} failed`, error)
      },
    }
    const doors = Array.from({ length: threads }, () => new ThreadDoor())
    this.#mailboxes = Array.from({ length: count }, (_, shard) => {
      return new Mailbox(
        shard,
        (task, decided) => this.#threads.run(task, decided),
        events,
        (count) => clock.take(count),
        doors[this.threadOf(shard)],
      )
    })
    this.#residency = new Residency(this, failed)
  }

  static openReaders(dataDir: string, count: number): JobReader[] {
    return Array.from({ length: count }, (_, shard) => new JobReader(openShard(dataDir, shard)))
  }

  reader(shard: number): JobReader {
    return must(this.#readers[shard], 'shard', shard)
  }

  /** What is shown of an event. @throws Refusal event_not_found. */
  event(job: JobSettings, eventId: string): EventView {
    const latest = this.#latest.find(job, eventId)
    return latest === null ? this.reader(job.shard).event(job, eventId) : viewOf(job, eventId, latest)
  }

  /** What the shard's turns were like. */
  meter(shard: number): TurnMeter {
    return must(this.#meters[shard], 'shard', shard)
  }

  mailbox(shard: number): Pick<Mailbox, 'length' | 'bytes'> {
    return must(this.#mailboxes[shard], 'shard', shard)
  }

  /** What was stored and decided since the last call, by job and place (decided.ts). */
  takeDecided(): ReadonlyMap<number, Float64Array> {
    const decided = this.#decided
    this.#decided = new Map()
    return decided
  }

  get count(): number {
    return this.#mailboxes.length
  }

  /** Messages that wait or run, over all shards. */
  get messages(): number {
    return this.#mailboxes.reduce((sum, mailbox) => sum + mailbox.length, 0)
  }

  /** A time that is behind those of all messages so far; the clock's may be before them, where it was set back. */
  stamp(): number {
    return this.#clock.take()
  }

  /** Posts a message. @throws Refusal mailbox_full, job_not_found. */
  post(
    job: JobSettings,
    kind: MessageKind,
    eventId: string | null,
    idInBody: boolean,
    body: Uint8Array,
    receiver: Receiver,
    stamps = 1,
  ): void {
    if (kind === 'purge') this.#gone.add(job.id)
    else if (this.#gone.has(job.id)) throw new Refusal('job_not_found', 'job not found')
    must(this.#mailboxes[job.shard], 'shard', job.shard).post(
      job,
      kind,
      this.#clock.take(stamps),
      eventId,
      idInBody,
      body,
      receiver,
    )
  }

  /** Posts a message and waits for its result. Rejects with the refusal. */
  ask(
    job: JobSettings,
    kind: MessageKind,
    eventId: string | null,
    body: Uint8Array = noBody,
    stamps = 1,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.post(job, kind, eventId, false, body, { resolved: resolve, refused: reject }, stamps)
    })
  }

  /** The same for the engine's own messages, which wait where a client would be refused. */
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

  /** Threads that decide events. */
  get threads(): number {
    return this.#threads.count
  }

  /** What each of them says of itself. Rejects where one does not answer because it died. */
  lookAtThreads(): Promise<ThreadLook[]> {
    return Promise.all(Array.from({ length: this.#threads.count }, (_, thread) => this.lookAtThread(thread)))
  }

  /** Bytes of a shard on disk. */
  sizeBytes(shard: number): number {
    return this.reader(shard).sizeBytes()
  }

  /**
   * Gives back the memory that a shard's thread and the main thread have mapped, between two turns: the map goes when
   * nobody in the process has it any more. Where a training or a query has it too, it stays.
   */
  unmap(shard: number): Promise<void> {
    return this.#held([must(this.#mailboxes[shard], 'shard', shard)], async () => {
      if (await this.#threads.unmap(shard)) this.reader(shard).unmap()
    })
  }

  /** Begins a thread anew between two turns of its shards; messages are taken meanwhile, and wait. */
  restartThread(thread: number): Promise<void> {
    const mailboxes = this.#mailboxes.filter((_, shard) => this.threadOf(shard) === thread)
    return this.#held(mailboxes, async () => {
      await this.#threads.restart(thread)
      for (const mailbox of mailboxes) mailbox.movesOn()
    })
  }

  /** Which thread runs the turns of a shard. */
  threadOf(shard: number): number {
    return this.#threads.threadOf(shard)
  }

  lookAtThread(thread: number): Promise<ThreadLook> {
    return this.#threads.look(thread)
  }

  /** Does something while no shard commits anything; messages are taken meanwhile, and wait. */
  stillWhile<T>(work: () => Promise<T>): Promise<T> {
    return this.#held(this.#mailboxes, work)
  }

  /** One after the other: a mailbox is held once at a time. */
  #held<T>(mailboxes: readonly Mailbox[], work: () => Promise<T>): Promise<T> {
    const result = this.#holding.then(async () => {
      await Promise.all(mailboxes.map((mailbox) => mailbox.hold()))
      try {
        return await work()
      } finally {
        for (const mailbox of mailboxes) mailbox.release()
      }
    })
    this.#holding = result.catch(() => {})
    return result
  }

  /** Resolves when every message is answered. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#mailboxes.map((mailbox) => mailbox.whenIdle()))
  }

  #count(decided: readonly number[]): void {
    for (let at = 0; at < decided.length; at += 3) {
      const [job, place, count] = decided.slice(at, at + 3) as [number, number, number]
      let counts = this.#decided.get(job)
      if (counts === undefined) this.#decided.set(job, (counts = new Float64Array(PLACES)))
      counts[place] = (counts[place] as number) + count
    }
  }

  async close(): Promise<void> {
    await this.#residency.close()
    await this.#threads.close()
    for (const reader of this.#readers) await reader.close()
  }
}
