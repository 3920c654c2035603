/**
 * An event of one piece of a replay: its header, and its record where something asks for it.
 *
 * 1. The header lies in the buffer of its piece, so it is good until the next piece.
 */
import { must } from '../../assert.js'
import { bucketIdText } from '../../domain/event/bucket-key.js'
import type { Environment } from '../../store/environment.js'
import { decodeHeader, type RecordHeader } from '../../store/event-record.js'
import { HEADER_BYTES } from '../../store/record-header.js'
import { timeKey } from '../../store/tables.js'
import type { ReplayedRecord } from './variant.js'

export class PieceEvent implements ReplayedRecord {
  readonly micros: number
  readonly header: RecordHeader
  readonly bucket: string | null
  readonly #environment: Environment
  readonly #jobId: number
  #record: Buffer | null

  constructor(environment: Environment, jobId: number, of: { readonly micros: number; readonly bytes: Buffer }) {
    this.micros = of.micros
    this.header = decodeHeader(of.bytes)
    this.bucket = this.header.bucketId === null ? null : bucketIdText(this.header.bucketId)
    this.#environment = environment
    this.#jobId = jobId
    this.#record = of.bytes.length > HEADER_BYTES ? of.bytes : null
  }

  /** The whole record, in the snapshot of the piece. */
  get record(): Buffer {
    this.#record ??= Buffer.from(
      must(
        this.#environment.get('events', timeKey(this.#jobId, this.micros)),
        'the record of an event of the snapshot',
      ),
    )
    return this.#record
  }
}
