/**
 * Rows of models as they are read, in memory that is used again: a row is large, and nothing of it is kept. As bytes of
 * its own each would be garbage at once, and V8 collects the more often the more memory outside of its heap is new.
 *
 * 1. A row is valid until the next one is read.
 * 2. The version of a model never changes, so a row that is still there is not read again: a job is opened, and its
 *    model with the first decision after that. Where a turn failed, what it wrote is void (`forget`).
 */
import { must } from '../../assert.js'
import type { Environment } from '../../store/environment.js'
import { decodeModel, modelIn, type ModelRow } from '../../store/rows.js'
import { modelKey } from '../../store/tables.js'

const FIRST_BYTES = 256 * 1024
/** Memory that is kept: the row of a usual model fits. */
const KEPT_BYTES = 4 * 1024 * 1024

/** Reads a value: an environment or the store of a turn. */
export type RowReads = Pick<Environment, 'read'>

interface There {
  readonly reads: RowReads
  readonly jobId: number
  readonly version: number
  readonly bytes: number
}

export class ModelRows {
  #memory = Buffer.alloc(0)
  #there: There | null = null

  /** What is known of a model, and its bytes; of these nothing may be kept. */
  read(reads: RowReads, jobId: number, version: number): { row: ModelRow; model: Uint8Array } {
    return decodeModel(this.#row(reads, jobId, version))
  }

  /** The bytes of a model alone; nothing of them may be kept. */
  bytes(reads: RowReads, jobId: number, version: number): Uint8Array {
    return modelIn(this.#row(reads, jobId, version))
  }

  forget(): void {
    this.#there = null
  }

  #row(reads: RowReads, jobId: number, version: number): Buffer {
    const there = this.#there
    if (there?.reads === reads && there.jobId === jobId && there.version === version)
      return this.#memory.subarray(0, there.bytes)
    this.#there = null
    const { length } = this.#memory
    if (length === 0 || length > KEPT_BYTES) this.#memory = Buffer.allocUnsafeSlow(FIRST_BYTES)
    const key = modelKey(jobId, version)
    let bytes = reads.read('models', key, this.#memory)
    if (bytes > this.#memory.length) {
      this.#memory = Buffer.allocUnsafeSlow(bytes)
      bytes = reads.read('models', key, this.#memory)
    }
    must(bytes < 0 ? undefined : bytes, 'the bytes of model', `${jobId}/${version}`)
    this.#there = { reads, jobId, version, bytes }
    return this.#memory.subarray(0, bytes)
  }
}
