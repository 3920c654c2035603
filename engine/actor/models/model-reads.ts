/** What is known of the models of a job, as committed: for readers. */
import type { Environment } from '../../store/environment.js'
import { decodeRegistry, type RegistryRow } from '../../store/registry-row.js'
import { jobRange } from '../../store/tables.js'
import type { Reads } from '../event-table.js'
import { readRegistryRow } from './registry.js'

export class ModelReads {
  readonly #reads: Reads & Pick<Environment, 'range'>
  readonly #jobId: number

  constructor(reads: Reads & Pick<Environment, 'range'>, jobId: number) {
    this.#reads = reads
    this.#jobId = jobId
  }

  /** Of all models, in the order of versions. */
  all(): RegistryRow[] {
    return [...this.#reads.range('registry', jobRange(this.#jobId))].map(({ value }) => decodeRegistry(value))
  }

  one(version: number): RegistryRow | null {
    return readRegistryRow(this.#reads, this.#jobId, version)
  }
}
