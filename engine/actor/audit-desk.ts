/** The audit log's answers to the outside: what is on its way is taken in first, then a reader thread is asked. */
import type { AuditProof, AuditWitness } from '../monitor/audit-proof.js'
import type { AuditFieldTerms, AuditPage, AuditQuery, AuditService } from '../monitor/audit-service.js'
import { decodeHead } from '../monitor/audit-tables.js'
import type { AuditCollector } from './audit-collector.js'
import type { Shards } from './shards.js'
import type { ReaderThreads } from './threads.js'

export class AuditDesk implements AuditService {
  readonly #collector: AuditCollector
  readonly #readers: ReaderThreads
  readonly #shards: Shards

  constructor(collector: AuditCollector, readers: ReaderThreads, shards: Shards) {
    this.#collector = collector
    this.#readers = readers
    this.#shards = shards
  }

  async entries(query: AuditQuery): Promise<AuditPage> {
    await this.#collector.settle()
    return await this.#readers.ask('auditEntries', { query })
  }

  async terms(): Promise<readonly AuditFieldTerms[]> {
    await this.#collector.settle()
    return await this.#readers.ask('auditTerms', {})
  }

  async verify(noted?: { readonly count: number; readonly hash: string }): Promise<AuditProof> {
    await this.#collector.settle()
    const witnesses = notedInShards(Array.from({ length: this.#shards.count }, (_, shard) => this.#shards.reader(shard).notedHead()))
    if (noted !== undefined) witnesses.push({ count: noted.count, hash: Buffer.from(noted.hash, 'hex'), place: 'whoever asks' })
    return await this.#readers.ask('auditProof', { witnesses })
  }
}

/** The heads that shards have noted, by shard. */
export function notedInShards(heads: readonly (Uint8Array | undefined)[]): AuditWitness[] {
  return heads.flatMap((head, shard) => (head === undefined ? [] : [{ ...decodeHead(head), place: `shard ${shard}` }]))
}
