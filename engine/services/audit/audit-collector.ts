/**
 * Feedback on its way to the audit log: from the shards' outboxes into the chain, in the background.
 *
 * Owns: when, and that each row is taken exactly once. Leaves out: the rows (audit-outbox.ts), the chain (audit/audit-log.ts).
 *
 * 1. The entries, and up to where a shard's outbox was taken, are one commit of the catalog. What is deleted from the
 *    outbox after it has been taken; a process that ends in between takes nothing twice and misses nothing.
 * 2. Nothing here is remembered: a restart finds what is to be taken in the stores.
 * 3. Events cost nothing here: only messages that tell the audit log something make it look.
 */
import { isRefusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { AuditLog } from './audit-log.js'
import { decodeTaken, encodeHead, encodeTaken, takenKey } from './audit-tables.js'
import type { JobSettings } from '../../domain/job/job.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import type { MessageKind } from '../../actor/message.js'
import { orphanSettings } from '../../actor/purge.js'
import { encodeCollected } from '../../actor/audit-outbox.js'
import type { ReadableShards } from '../read/job-reader.js'

export interface CollectorDeps {
  /** Of the catalog. */
  readonly environment: Environment
  readonly log: AuditLog
  readonly shards: ReadableShards
  /** Told of what cannot be written; it is tried again. */
  failed(what: string, error: unknown): void
}

/** From the first feedback to the look: what comes in together is taken together. */
const GATHER_MS = 50
/** Before the next try where the catalog could not be written. */
const RETRY_MS = 1_000
/** Steps that whoever waits for the log waits for. */
const SETTLE_STEPS_MAX = 256
/** No job: for messages to a shard as a whole. */
const NO_JOB = 0

/** The latest time up to which any outbox was taken, or 0. */
export function lastTaken(environment: Environment, shards: number): number {
  let last = 0
  for (let shard = 0; shard < shards; shard++)
    last = Math.max(last, decodeTaken(environment.get('audit_meta', takenKey(shard))))
  return last
}

export class AuditCollector {
  readonly #deps: CollectorDeps
  /** ReadableShards to look at. */
  readonly #marked = new Set<number>()
  /** ReadableShards whose outbox is being emptied of what was taken. */
  readonly #forgetting = new Map<number, Promise<void>>()
  #timer: NodeJS.Timeout | null = null
  #closed = false

  constructor(deps: CollectorDeps) {
    this.#deps = deps
  }

  /** What the last process left: everything is looked at. */
  takeUp(): void {
    for (let shard = 0; shard < this.#deps.shards.count; shard++) this.mark(shard)
  }

  /** Posts feedback and waits for its result; the audit log is told of it soon after. Rejects with the refusal. */
  async ask(job: JobSettings, kind: MessageKind, eventId: string | null, body: Uint8Array): Promise<unknown> {
    try {
      return await this.#deps.shards.ask(job, kind, eventId, body)
    } finally {
      this.mark(job.shard)
    }
  }

  /** Something was said that the audit log is to be told. */
  mark(shard: number): void {
    this.#marked.add(shard)
    this.#arm(GATHER_MS)
  }

  /** Takes what there is now; what was acknowledged before the call is in the chain when it resolves. */
  async settle(): Promise<void> {
    // Under feedback without end it stops somewhere: what came before the call was taken first.
    for (let steps = 0; steps < SETTLE_STEPS_MAX && this.#marked.size > 0 && !this.#closed && this.#step(); steps++) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Takes all that is left, and nothing after; resolves when no message of its own is under way. */
  async close(): Promise<void> {
    while (this.#marked.size > 0 && this.#step());
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
    const went = this.#step()
    if (this.#marked.size > 0) this.#arm(went ? 0 : RETRY_MS)
  }

  /** Takes a few rows of one shard; false where the catalog could not be written. */
  #step(): boolean {
    const [shard] = this.#marked
    if (shard === undefined) return true
    try {
      if (!this.#take(shard)) this.#marked.delete(shard)
      return true
    } catch (error) {
      this.#deps.failed('feedback could not be written to the audit log', error)
      return false
    }
  }

  /** True where there may be more. */
  #take(shard: number): boolean {
    const { environment, log, shards } = this.#deps
    const taken = decodeTaken(environment.get('audit_meta', takenKey(shard)))
    const entries = shards.reader(shard).untold(taken, limits.auditCollectedMax)
    const last = entries.at(-1)
    if (last !== undefined) {
      const batch = new WriteBatch()
      for (const entry of entries) log.record(batch, entry)
      batch.put('audit_meta', takenKey(shard), encodeTaken(last.atMicros))
      environment.commit(batch)
    }
    if (entries.length === limits.auditCollectedMax) return true
    this.#forget(shard)
    return false
  }

  /** Has the shard delete what was taken. */
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
          // A full disk, or a full mailbox: nothing is lost by waiting.
          if (!isRefusal(error) || !error.retryable) return failed('deleting what the audit log has', error)
          this.#marked.add(shard)
          this.#arm(RETRY_MS)
        })
        .finally(() => this.#forgetting.delete(shard)),
    )
  }
}
