/**
 * The audit service: queries about the audit log, and its proof.
 *
 * Leaves out: the chain (audit-log.ts), collecting feedback (audit-collector.ts), the threads that answer
 * (reader-thread.ts).
 *
 * 1. Pending feedback is collected before a query runs, so a client finds every acknowledged change.
 */
import type {
  AuditFieldTerms,
  AuditPage,
  AuditProof,
  AuditQuery,
  AuditService,
  ToolUse,
} from '../../api/audit-service.js'
import type { Author } from '../../api/principal.js'
import type { Clock } from '../../clock.js'
import type { AuditTrail } from '../../resource/audit-trail.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import { cursorAt, notACursor, pageBesideCursor, placeIn, type ListName } from '../query/cursors.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { ReaderThreads } from '../readers/reader-threads.js'
import type { AuditWitness } from './audit-proof.js'
import { isAuditPlace } from './audit-query.js'
import { decodeHead } from './audit-tables.js'
import type { AuditCollector } from './audit-collector.js'

export interface AuditDeps {
  readonly collector: Pick<AuditCollector, 'settle'>
  readonly readers: Pick<ReaderThreads, 'ask'>
  readonly shards: Pick<ReadableShards, 'count' | 'reader'>
  readonly log: AuditTrail
  /** The catalog's environment. */
  readonly store: Pick<Environment, 'commit'>
  readonly clock: Pick<Clock, 'nowMicros'>
  job(id: number): { readonly id: number; readonly title: string } | undefined
}

export class AuditQueries implements AuditService {
  readonly #deps: AuditDeps

  constructor(deps: AuditDeps) {
    this.#deps = deps
  }

  toolCalled({ kind, name }: Author, { tool, agent, ending, jobId }: ToolUse): void {
    const { log, store, clock } = this.#deps
    const job = jobId === undefined ? undefined : this.#deps.job(jobId)
    const batch = new WriteBatch()
    log.record(batch, {
      atMicros: clock.nowMicros(),
      by: { kind, name },
      action: 'tool called',
      object: { type: 'tool', id: tool, title: tool },
      ...(job === undefined ? {} : { job: { id: job.id, title: job.title } }),
      details: { agent, ending },
    })
    store.commit(batch)
  }

  async entries(query: AuditQuery): Promise<AuditPage> {
    const list: ListName = ['audit', query.order, query.jobId ?? '']
    const place = query.after === undefined ? query : { ...query, after: placeIn(list, query.after) }
    if (place.after !== undefined && !isAuditPlace(place.after)) throw notACursor()
    if (place.after !== undefined && query.page > 0) throw pageBesideCursor('query')
    await this.#deps.collector.settle()
    const page = await this.#deps.readers.ask('auditEntries', { query: place })
    return { ...page, next: page.next === null ? null : cursorAt(list, page.next) }
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
