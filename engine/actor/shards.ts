/**
 * All shards, seen from the main thread: their mailboxes, their readers, their threads.
 *
 * Owns: which mailbox a message goes into, and calls that wait for an answer. Leaves out: what is asked (engine.ts).
 */
import { Refusal } from '../errors.js'
import type { JobSettings } from '../job/job.js'
import { openShard } from '../store/data-dir.js'
import { must } from '../assert.js'
import { JobReader } from './job-reader.js'
import { Residency } from './residency.js'
import { Mailbox } from './mailbox.js'
import type { MessageKind } from './message.js'
import { ShardThreads, type ShardThreadData } from './threads.js'
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
  /** How often each shard has committed, for threads that look for what is new. */
  readonly commits: Int32Array

  /** `failed` is told of every turn that failed, and of threads that died between turns. */
  constructor(
    count: number,
    threads: number,
    data: ShardThreadData,
    readers: readonly JobReader[],
    clock: IngestClock,
    failed: (what: string, error: unknown) => void,
  ) {
    this.#threads = new ShardThreads(threads, data, (error) => failed('a thread that decides events died', error))
    this.#readers = readers
    this.#clock = clock
    this.commits = new Int32Array(new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT))
    const events = {
      committed: (shard: number) => {
        this.reader(shard).refresh()
        Atomics.add(this.commits, shard, 1)
      },
      failed: (shard: number, error: unknown) => failed(`a turn of shard ${shard} failed`, error),
    }
    this.#mailboxes = Array.from({ length: count }, (_, shard) => {
      return new Mailbox(shard, (task) => this.#threads.run(task), events)
    })
    this.#residency = new Residency(this, failed)
  }

  static openReaders(dataDir: string, count: number): JobReader[] {
    return Array.from({ length: count }, (_, shard) => new JobReader(openShard(dataDir, shard)))
  }

  reader(shard: number): JobReader {
    return must(this.#readers[shard], `shard ${shard}`)
  }

  get count(): number {
    return this.#mailboxes.length
  }

  /** Messages that wait or run, over all shards. */
  get messages(): number {
    return this.#mailboxes.reduce((sum, mailbox) => sum + mailbox.length, 0)
  }

  /** Posts a message. @throws Refusal mailbox_full. */
  post(
    job: JobSettings,
    kind: MessageKind,
    eventId: string | null,
    idInBody: boolean,
    body: Uint8Array,
    receiver: Receiver,
    stamps = 1,
  ): void {
    must(this.#mailboxes[job.shard], `shard ${job.shard}`).post(
      job, kind, this.#clock.take(stamps), eventId, idInBody, body, receiver,
    )
  }

  /** Posts a message and waits for its result. Rejects with the refusal. */
  ask(job: JobSettings, kind: MessageKind, eventId: string | null, body: Uint8Array = noBody, stamps = 1): Promise<unknown> {
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

  /** Bytes of a shard on disk. */
  sizeBytes(shard: number): number {
    return this.reader(shard).sizeBytes()
  }

  /**
   * Gives back the memory that a shard's thread and the main thread have mapped, between two turns: the map goes when
   * nobody in the process has it any more. Where a training or a query has it too, it stays.
   */
  async unmap(shard: number): Promise<void> {
    const mailbox = must(this.#mailboxes[shard], `shard ${shard}`)
    await mailbox.hold()
    try {
      if (await this.#threads.unmap(shard)) this.reader(shard).unmap()
    } finally {
      mailbox.release()
    }
  }

  /** Resolves when every message is answered. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#mailboxes.map((mailbox) => mailbox.whenIdle()))
  }

  async close(): Promise<void> {
    await this.#residency.close()
    await this.#threads.close()
    for (const reader of this.#readers) await reader.close()
  }
}
