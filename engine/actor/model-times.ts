/** When models were trained. A version never changes, so each is read once. */
import { decodeRegistry } from '../store/registry-row.js'
import { modelKey } from '../store/tables.js'
import type { Reads } from './event-table.js'
import { modelIdOf } from './model-id.js'

/** Models kept in memory. */
const KEPT_MAX = 1_000

export class ModelTimes {
  readonly #reads: Reads
  readonly #known = new Map<string, number>()

  constructor(reads: Reads) {
    this.#reads = reads
  }

  /** Microseconds; null for version 0, which is no model. */
  trainedMicros(jobId: number, version: number): number | null {
    if (version === 0) return null
    const id = modelIdOf(jobId, version)
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const bytes = this.#reads.get('registry', modelKey(jobId, version))
    if (bytes === undefined) return null
    const { trainedMicros } = decodeRegistry(bytes)
    if (this.#known.size >= KEPT_MAX) this.#known.clear()
    this.#known.set(id, trainedMicros)
    return trainedMicros
  }
}
