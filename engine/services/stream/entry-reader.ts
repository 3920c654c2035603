/**
 * Votes and trainings of a stream: entries of the audit log, in the order of their numbers.
 *
 * Owns: which entries are messages. Leaves out: decisions and clusters (stream-reader.ts).
 */
import { limits } from '../../limits.js'
import type { StreamType } from '../../api/live/stream-service.js'
import type { Environment } from '../../store/environment.js'
import { decodeChained, decodeHead, headKey, sequenceKey, type ChainedEntry } from '../audit/audit-tables.js'
import type { QueriedJob } from '../query/query-protocol.js'
import { trainingDocument, trainingWords, voteDocument, voteWords } from './stream-messages.js'
import type { Piece } from './stream-piece.js'

export interface EntryReaderDeps {
  /** The catalog with the tables of the audit log. */
  readonly catalog: Environment
  readonly types: readonly StreamType[]
  /** A job of the stream. */
  job(id: number): QueriedJob | undefined
  /** True where an event passes the filters of the stream. */
  passes(job: QueriedJob, eventId: string): boolean
}

/** The number of the next entry. */
export function auditEnd(catalog: Environment): number {
  return decodeHead(catalog.get('audit_meta', headKey)).count + 1
}

export class EntryReader {
  readonly #deps: EntryReaderDeps

  constructor(deps: EntryReaderDeps) {
    this.#deps = deps
  }

  /** True where there may be more. */
  read(piece: Piece): boolean {
    const { position } = piece
    const { catalog } = this.#deps
    const stop = piece.bytes + limits.streamPieceBytesMax / 4
    const range = { from: sequenceKey(position.audit), limit: limits.streamRecordsPerPiece }
    for (const { value } of catalog.range('audit', range)) {
      if (piece.bytes >= stop) return true
      position.audit++
      this.#tell(decodeChained(value).entry, piece)
    }
    return position.audit < auditEnd(catalog)
  }

  #tell(entry: ChainedEntry, piece: Piece): void {
    const { action, job: of, object } = entry
    const job = of === undefined ? undefined : this.#deps.job(of.id)
    if (job === undefined) return
    const { types, passes } = this.#deps
    if (types.includes('training') && Object.hasOwn(trainingWords, action))
      piece.add('training', trainingDocument(job.id, entry))
    if (!types.includes('vote') || !Object.hasOwn(voteWords, action)) return
    if (object.type === 'event' && !passes(job, object.id)) return
    piece.add('vote', voteDocument(job.id, entry))
  }
}
