/**
 * The audit log seen from outside: feedback on its way into it, and answers to questions.
 *
 * Owns: the collector. Leaves out: the chain (monitor/), what is told of (casting.ts, resource/audit-changes.ts), the threads
 * that answer (reader-thread.ts).
 *
 * 1. What is on its way is taken in before a question is asked: whoever was answered finds what he did.
 */
import type { AuditLog } from '../monitor/audit-log.js'
import type { AuditWitness } from '../monitor/audit-proof.js'
import type { AuditFieldTerms, AuditPage, AuditQuery, AuditService, AuditProof } from '../monitor/audit-service.js'
import { decodeHead } from '../monitor/audit-tables.js'
import type { Environment } from '../store/environment.js'
import { AuditCollector } from './audit-collector.js'
import type { Shards } from './shards.js'
import type { ReaderThreads } from './helper-threads.js'

export { lastTaken } from './audit-collector.js'

export interface AuditParts {
  readonly shards: Shards
  readonly readers: ReaderThreads
  failed(what: string, error: unknown): void
}

export class AuditDesk implements AuditService {
  readonly collector: AuditCollector
  readonly #readers: ReaderThreads
  readonly #shards: Shards

  /** `environment`: of the catalog. */
  constructor(parts: AuditParts, environment: Environment, log: AuditLog) {
    const { shards, readers, failed } = parts
    this.collector = new AuditCollector({ environment, log, shards, failed })
    this.#readers = readers
    this.#shards = shards
  }

  /** What the last process left on its way. */
  takeUp(): void {
    this.collector.takeUp()
  }

  async entries(query: AuditQuery): Promise<AuditPage> {
    await this.collector.settle()
    return await this.#readers.ask('auditEntries', { query })
  }

  async terms(): Promise<readonly AuditFieldTerms[]> {
    await this.collector.settle()
    return await this.#readers.ask('auditTerms', {})
  }

  async verify(noted?: { readonly count: number; readonly hash: string }): Promise<AuditProof> {
    await this.collector.settle()
    const witnesses = notedInShards(
      Array.from({ length: this.#shards.count }, (_, shard) => this.#shards.reader(shard).notedHead()),
    )
    if (noted !== undefined)
      witnesses.push({ count: noted.count, hash: Buffer.from(noted.hash, 'hex'), place: 'whoever asks' })
    return await this.#readers.ask('auditProof', { witnesses })
  }

  /** All messages are answered: the rest is taken in. */
  async close(): Promise<void> {
    await this.collector.close()
  }
}

/** The heads that shards have noted, by shard. */
export function notedInShards(heads: readonly (Uint8Array | undefined)[]): AuditWitness[] {
  return heads.flatMap((head, shard) => (head === undefined ? [] : [{ ...decodeHead(head), place: `shard ${shard}` }]))
}
