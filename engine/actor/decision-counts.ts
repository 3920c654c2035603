/**
 * Counts of what a job stored and decided in a turn, by label and confidence, for monitoring.
 *
 * They cross the thread as numbers, three at a time: job id, place, count. The first places are decisions, by label and
 * band. After them come stored events, outliers, and enrichments by their outcome.
 */
import type { WindowCounts } from '../domain/metrics/decision-window.js'

/** Lower ends of the bands, hundredths of a percent. */
const bandsFrom = [0, 6_000, 8_000, 9_000] as const
/** Names of the bands. */
export const bands = ['0-60', '60-80', '80-90', '90-100'] as const
const LABELS = 3
export const STORED_PLACE = LABELS * bands.length
/** Decisions that were outliers. */
export const OUTLIER_PLACE = STORED_PLACE + 1
const ENRICHMENTS_PLACE = OUTLIER_PLACE + 1
/** How enrichments end. `passed_over`: too many events were waiting, so nothing was requested. */
export const enrichmentEnds = ['found', 'nothing', 'failed', 'late', 'passed_over'] as const
export const PLACES = ENRICHMENTS_PLACE + enrichmentEnds.length

/** The label's index, and the band, of a place. */
export function labelAndBand(place: number): { label: number; band: (typeof bands)[number] } {
  return { label: Math.floor(place / bands.length), band: bands[place % bands.length] as (typeof bands)[number] }
}

export class Decided {
  readonly #counts = new Uint32Array(PLACES)
  #any = false

  stored(): void {
    this.#count(STORED_PLACE)
  }

  decided(label: number, confidence: number, outlier: boolean): void {
    let band = 0
    while (band + 1 < bands.length && confidence >= (bandsFrom[band + 1] as number)) band++
    this.#count(label * bands.length + band)
    if (outlier) this.#count(OUTLIER_PLACE)
  }

  enriched(end: (typeof enrichmentEnds)[number]): void {
    this.#count(ENRICHMENTS_PLACE + enrichmentEnds.indexOf(end))
  }

  /** Appends the counts to the list, and starts again at zero. */
  take(jobId: number, into: number[]): void {
    if (!this.#any) return
    for (let place = 0; place < PLACES; place++) {
      const count = this.#counts[place] as number
      if (count > 0) into.push(jobId, place, count)
    }
    this.forget()
  }

  forget(): void {
    this.#counts.fill(0)
    this.#any = false
  }

  #count(place: number): void {
    this.#counts[place] = (this.#counts[place] as number) + 1
    this.#any = true
  }
}

/** Of counts by place, those of enrichments, in the order of `enrichmentEnds`. */
export function enrichmentsOf(counts: Float64Array): Float64Array {
  return counts.subarray(ENRICHMENTS_PLACE, PLACES)
}

/** Counts by place as counts of a window (decision-window.ts). */
export function windowCountsOf(counts: Float64Array): WindowCounts {
  const sum = {
    stored: counts[STORED_PLACE] as number,
    decided: 0,
    lowConfidence: 0,
    outliers: counts[OUTLIER_PLACE] as number,
  }
  for (let place = 0; place < STORED_PLACE; place++) {
    sum.decided += counts[place] as number
    if (place % bands.length === 0) sum.lowConfidence += counts[place] as number
  }
  return sum
}

/** Sums over turns, by job and place. */
export class DecidedTotals {
  #byJob = new Map<number, Float64Array>()

  /** Adds the counts of one turn: job id, place, count, and so on. */
  add(decided: readonly number[]): void {
    for (let at = 0; at < decided.length; at += 3) {
      const [job, place, count] = decided.slice(at, at + 3) as [number, number, number]
      let counts = this.#byJob.get(job)
      if (counts === undefined) this.#byJob.set(job, (counts = new Float64Array(PLACES)))
      counts[place] = (counts[place] as number) + count
    }
  }

  /** The sums since the last call. */
  take(): ReadonlyMap<number, Float64Array> {
    const sums = this.#byJob
    this.#byJob = new Map()
    return sums
  }
}
