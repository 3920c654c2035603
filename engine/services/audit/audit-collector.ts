/**
 * Collects feedback for the audit log: from the shards' outboxes into the chain, in the background.
 *
 * Owns: when a shard is read, and that each row is taken exactly once. Leaves out: the rows (audit-outbox.ts), the
 * chain (audit-log.ts).
 *
 * 1. The entries, and the time up to which a shard's outbox was taken, are one commit of the catalog. The rows are
 *    deleted from the outbox after it, so a process that dies in between takes nothing twice and misses nothing.
 * 2. Nothing is kept in memory alone: a restart finds in the stores what is still to be taken.
 * 3. Events cost nothing here: only messages with something for the audit log cause a read.
 * 4. A node that is no longer the owner of the catalog drops its commits (catalog-writer.ts). Nothing is taken then:
 *    the next owner takes it.
 */
import { isRefusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { JobSettings } from '../../domain/job/job.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import type { MessageKind } from '../../actor/message.js'
import { orphanSettings } from '../../actor/purge.js'
import { encodeCollected } from '../../actor/audit-outbox.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { AuditLog } from './audit-log.js'
import { decodeTaken, encodeHead, encodeTaken, takenKey } from './audit-tables.js'

export interface CollectorDeps {
  /** The catalog's environment. */
  readonly environment: Environment
  readonly log: AuditLog
  readonly shards: ReadableShards
  /** Told of writes that failed; they are tried again. */
  failed(what: string, error: unknown): void
}

/** From the first feedback to the read, so that feedback is taken in groups. */
const GATHER_MS = 50
/** From a write that failed to the next try. */
const RETRY_MS = 1_000
/** Steps that `settle` waits for at most. */
const SETTLE_STEPS_MAX = 256
/** The job of messages to a shard as a whole. */
const NO_JOB = 0

/** The latest time up to which any outbox was taken, microseconds, or 0. */
export function lastTaken(environment: Environment, shards: number): number {
  let last = 0
  for (let shard = 0; shard < shards; shard++)
    last = Math.max(last, decodeTaken(environment.get('audit_meta', takenKey(shard))))
  return last
}

export class AuditCollector {
  readonly #deps: CollectorDeps
  /** Shards to read. */
  readonly #pending = new Set<number>()
  /** Shards whose outbox is being emptied of what was taken. */
  readonly #forgetting = new Map<number, Promise<void>>()
  #timer: NodeJS.Timeout | null = null
  #closed = false

  constructor(deps: CollectorDeps) {
    this.#deps = deps
  }

  /** Reads every shard, for what the last process left. */
  takeUp(): void {
    for (let shard = 0; shard < this.#deps.shards.count; shard++) this.request(shard)
  }

  /** Posts feedback and waits for its result. The audit log gets it soon after. Rejects with the refusal. */
  async ask(job: JobSettings, kind: MessageKind, eventId: string | null, body: Uint8Array): Promise<unknown> {
    try {
      return await this.#deps.shards.ask(job, kind, eventId, body)
    } finally {
      this.request(job.shard)
    }
  }

  /** Has the shard read soon: there may be feedback. */
  request(shard: number): void {
    this.#pending.add(shard)
    this.#arm(GATHER_MS)
  }

  /** Takes what there is now. When it resolves, all that was acknowledged before the call is in the chain. */
  async settle(): Promise<void> {
    // Feedback may never end: stop after so many steps. What came before the call is taken first.
    for (let steps = 0; steps < SETTLE_STEPS_MAX && this.#pending.size > 0 && !this.#closed && this.#step(); steps++) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Takes all that is left and nothing later. Resolves when all its messages are answered. */
  async close(): Promise<void> {
    while (this.#pending.size > 0 && this.#step());
    this.#closed = true
    this.#arm(null)
    await Promise.all(this.#forgetting.values())
  }

  #arm(waitMs: number | null): void {
    if (waitMs !== null && (this.#timer !== null || this.#closed)) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (waitMs !== null) this.#timer = setTimeout(() => this.#tick(), waitMs).unref()
  }

  #tick(): void {
    this.#timer = null
    const isWritten = this.#step()
    if (this.#pending.size > 0) this.#arm(isWritten ? 0 : RETRY_MS)
  }

  /** Takes some rows of one shard; false where the catalog could not be written. */
  #step(): boolean {
    const [shard] = this.#pending
    if (shard === undefined) return true
    try {
      const taken = this.#take(shard)
      if (taken === 'all') this.#pending.delete(shard)
      return taken !== 'none'
    } catch (error) {
      this.#deps.failed('feedback could not be written to the audit log', error)
      return false
    }
  }

  /** What was taken of a shard's rows: none where the commit was dropped (4). */
  #take(shard: number): 'all' | 'some' | 'none' {
    const { environment, log, shards } = this.#deps
    const taken = (): number => decodeTaken(environment.get('audit_meta', takenKey(shard)))
    const entries = shards.reader(shard).untold(taken(), limits.auditCollectedMax)
    const last = entries.at(-1)
    if (last !== undefined) {
      const batch = new WriteBatch()
      for (const entry of entries) log.record(batch, entry)
      batch.put('audit_meta', takenKey(shard), encodeTaken(last.atMicros))
      environment.commit(batch)
      if (taken() < last.atMicros) return 'none'
    }
    if (entries.length >= limits.auditCollectedMax) return 'some'
    this.#forget(shard)
    return 'all'
  }

  /** Makes the shard delete what was taken. */
  #forget(shard: number): void {
    const { environment, log, shards, failed } = this.#deps
    if (this.#closed || this.#forgetting.has(shard)) return
    const loop = async (): Promise<void> => {
      for (;;) {
        const through = decodeTaken(environment.get('audit_meta', takenKey(shard)))
        if (this.#closed || !shards.reader(shard).hasTold(through)) return
        await shards.ask(
          orphanSettings(NO_JOB, shard),
          'collected',
          null,
          encodeCollected(through, encodeHead(log.head())),
        )
      }
    }
    this.#forgetting.set(
      shard,
      loop()
        .catch((error: unknown) => {
          // A full disk or mailbox: waiting loses nothing.
          if (!isRefusal(error) || !error.retryable)
            return failed('the outbox could not be cleared of what the audit log has', error)
          this.#pending.add(shard)
          this.#arm(RETRY_MS)
        })
        .finally(() => this.#forgetting.delete(shard)),
    )
  }
}
