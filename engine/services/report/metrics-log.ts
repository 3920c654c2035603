/**
 * What metrics keep in the catalog's environment: the latest figures of each model version, the state of their
 * recomputation, and when each job went into production.
 *
 * 1. A requested recomputation is written before it is acknowledged. A start finds here what was cut off.
 */
import type { RecomputeState } from '../../api/metrics-service.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import { decodeJsonRow, encodeJsonRow } from '../../store/json-row.js'
import { JsonRows, type RowChange } from '../../store/json-rows.js'
import { jobKey, modelKey, versionOfKey } from '../../store/tables.js'
import type { ModelFigures } from './metrics-query.js'

export const metricsTables = ['model_metrics', 'production_dates'] as const

export interface RecomputeRow {
  readonly state: RecomputeState
  readonly requestedMicros: number
  /** When the figures were computed, microseconds; null where there are none. */
  readonly recomputedMicros: number | null
  /** Why the latest recomputation failed, or null. */
  readonly error: string | null
  readonly figures: ModelFigures | null
}

interface ProductionRow {
  readonly micros: number
}

/** Names a model version. */
export interface ModelPlace {
  readonly jobId: number
  readonly version: number
}

function keyOf({ jobId, version }: ModelPlace): Buffer {
  return modelKey(jobId, version)
}

export class MetricsLog {
  readonly #environment: Environment
  readonly #rows: JsonRows<RecomputeRow>
  readonly #productionDates = new Map<number, number>()

  constructor(environment: Environment) {
    this.#environment = environment
    this.#rows = new JsonRows(environment, 'model_metrics')
    for (const { key, value } of environment.range('production_dates', {}))
      this.#productionDates.set(Buffer.from(key).readUInt32BE(0), (decodeJsonRow(value) as ProductionRow).micros)
  }

  /** Jobs with a row. */
  jobs(): Set<number> {
    return new Set([...this.#rows.groups(), ...this.#productionDates.keys()])
  }

  row(place: ModelPlace): RecomputeRow | null {
    return this.#rows.get(keyOf(place)) ?? null
  }

  /** Recomputations that have not ended, in the order of their requests. */
  unfinished(): ModelPlace[] {
    const found: { place: ModelPlace; micros: number }[] = []
    for (const { key, row } of this.#rows.entries()) {
      if (row.state !== 'queued' && row.state !== 'in_progress') continue
      const jobId = Buffer.from(key).readUInt32BE(0)
      found.push({ place: { jobId, version: versionOfKey(key) }, micros: row.requestedMicros })
    }
    return found.sort((a, b) => a.micros - b.micros).map(({ place }) => place)
  }

  /** Changes the row by what it is now, durably; a missing one counts as `none`. */
  change(place: ModelPlace, none: RecomputeRow, into: RowChange<RecomputeRow>): RecomputeRow {
    return this.#rows.changeOrAdd(keyOf(place), none, into) ?? none
  }

  /** The same for a row that could not be written: until the end of the process. */
  remember(place: ModelPlace, none: RecomputeRow, into: RowChange<RecomputeRow>): RecomputeRow {
    return this.#rows.remember(keyOf(place), none, into) ?? none
  }

  /** When the job went into production, microseconds, or null. */
  productionMicros(jobId: number): number | null {
    return this.#productionDates.get(jobId) ?? null
  }

  setProductionMicros(jobId: number, micros: number): void {
    const batch = new WriteBatch()
    batch.put('production_dates', jobKey(jobId), encodeJsonRow({ micros } satisfies ProductionRow))
    this.#environment.commit(batch)
    this.#productionDates.set(jobId, micros)
  }

  /** Deletes all rows of a job. */
  remove(jobId: number): void {
    const batch = new WriteBatch()
    const keys = [...this.#rows.entriesOf(jobId)].map(({ key }) => key)
    for (const key of keys) batch.delete('model_metrics', key)
    if (this.#productionDates.has(jobId)) batch.delete('production_dates', jobKey(jobId))
    if (batch.size > 0) this.#environment.commit(batch)
    for (const key of keys) this.#rows.forget(key)
    this.#productionDates.delete(jobId)
  }
}
