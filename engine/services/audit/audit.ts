/**
 * The audit service: queries about the audit log, and its proof.
 *
 * Leaves out: the chain (audit-log.ts), collecting feedback (audit-collector.ts), the threads that answer
 * (reader-thread.ts).
 *
 * 1. Pending feedback is collected before a query runs, so a client finds every acknowledged change.
 */
import type { AuditFieldTerms, AuditPage, AuditQuery, AuditService, AuditProof } from '../../api/audit-service.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { ReaderThreads } from '../readers/reader-threads.js'
import type { AuditWitness } from './audit-proof.js'
import { decodeHead } from './audit-tables.js'
import type { AuditCollector } from './audit-collector.js'

export interface AuditDeps {
  readonly collector: Pick<AuditCollector, 'settle'>
  readonly readers: Pick<ReaderThreads, 'ask'>
  readonly shards: Pick<ReadableShards, 'count' | 'reader'>
}

export class Audit implements AuditService {
  readonly #deps: AuditDeps

  constructor(deps: AuditDeps) {
    this.#deps = deps
  }

  async entries(query: AuditQuery): Promise<AuditPage> {
    await this.#deps.collector.settle()
    return await this.#deps.readers.ask('auditEntries', { query })
  }

  async terms(): Promise<readonly AuditFieldTerms[]> {
    await this.#deps.collector.settle()
    return await this.#deps.readers.ask('auditTerms', {})
  }

  async verify(noted?: { readonly count: number; readonly hash: string }): Promise<AuditProof> {
    await this.#deps.collector.settle()
    const { shards } = this.#deps
    const witnesses = notedInShards(
      Array.from({ length: shards.count }, (_, shard) => shards.reader(shard).notedHead()),
    )
    if (noted !== undefined)
      witnesses.push({ count: noted.count, hash: Buffer.from(noted.hash, 'hex'), place: 'the caller' })
    return await this.#deps.readers.ask('auditProof', { witnesses })
  }
}

/** The heads that shards have noted, by shard. */
export function notedInShards(heads: readonly (Uint8Array | undefined)[]): AuditWitness[] {
  return heads.flatMap((head, shard) => (head === undefined ? [] : [{ ...decodeHead(head), place: `shard ${shard}` }]))
}
