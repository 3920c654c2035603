/**
 * What metrics keep in the catalog's environment: the latest figures of each model version, the state of their
 * recomputation, and when each job went into production.
 *
 * 1. A requested recomputation is written before it is acknowledged. A start finds here what was cut off.
 */
import type { RecomputeState } from '../../api/metrics-service.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import { jobKey, jobRange, modelKey, versionOfKey } from '../../store/tables.js'
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

/** Names a model version. */
export interface ModelPlace {
  readonly jobId: number
  readonly version: number
}

const VERSION = 1

export class MetricsLog {
  readonly #environment: Environment
  readonly #rows = new Map<number, Map<number, RecomputeRow>>()
  readonly #productionDates = new Map<number, number>()

  constructor(environment: Environment) {
    this.#environment = environment
    for (const { key, value } of environment.range('model_metrics', {})) {
      this.#ofJob(Buffer.from(key).readUInt32BE(0)).set(versionOfKey(key), decode(value) as RecomputeRow)
    }
    for (const { key, value } of environment.range('production_dates', {})) {
      this.#productionDates.set(Buffer.from(key).readUInt32BE(0), decode(value) as number)
    }
  }

  /** Jobs with a row. */
  jobs(): Set<number> {
    return new Set([...this.#rows.keys(), ...this.#productionDates.keys()])
  }

  row({ jobId, version }: ModelPlace): RecomputeRow | null {
    return this.#rows.get(jobId)?.get(version) ?? null
  }

  /** Recomputations that have not ended, in the order of their requests. */
  unfinished(): ModelPlace[] {
    const found: { place: ModelPlace; micros: number }[] = []
    for (const [jobId, rows] of this.#rows) {
      for (const [version, { state, requestedMicros }] of rows) {
        if (state === 'queued' || state === 'in_progress')
          found.push({ place: { jobId, version }, micros: requestedMicros })
      }
    }
    return found.sort((a, b) => a.micros - b.micros).map(({ place }) => place)
  }

  /** Writes the row durably. @throws Refusal store_full, store_failed. */
  set({ jobId, version }: ModelPlace, row: RecomputeRow): void {
    this.#put('model_metrics', modelKey(jobId, version), row)
    this.#ofJob(jobId).set(version, row)
  }

  /** Keeps a row that could not be written until the end of the process. */
  remember({ jobId, version }: ModelPlace, row: RecomputeRow): void {
    this.#ofJob(jobId).set(version, row)
  }

  /** When the job went into production, microseconds, or null. */
  productionMicros(jobId: number): number | null {
    return this.#productionDates.get(jobId) ?? null
  }

  setProductionMicros(jobId: number, micros: number): void {
    this.#put('production_dates', jobKey(jobId), micros)
    this.#productionDates.set(jobId, micros)
  }

  /** Deletes all rows of a job. */
  remove(jobId: number): void {
    const batch = new WriteBatch()
    for (const { key } of this.#environment.range('model_metrics', jobRange(jobId))) batch.delete('model_metrics', key)
    if (this.#productionDates.has(jobId)) batch.delete('production_dates', jobKey(jobId))
    if (batch.size > 0) this.#environment.commit(batch)
    this.#rows.delete(jobId)
    this.#productionDates.delete(jobId)
  }

  #ofJob(jobId: number): Map<number, RecomputeRow> {
    let rows = this.#rows.get(jobId)
    if (rows === undefined) this.#rows.set(jobId, (rows = new Map()))
    return rows
  }

  #put(table: (typeof metricsTables)[number], key: Uint8Array, row: RecomputeRow | number): void {
    const batch = new WriteBatch()
    batch.put(table, key, Buffer.concat([Buffer.of(VERSION), Buffer.from(JSON.stringify(row), 'utf8')]))
    this.#environment.commit(batch)
  }
}

function decode(value: Uint8Array): unknown {
  return JSON.parse(Buffer.from(value.subarray(1)).toString('utf8'))
}
