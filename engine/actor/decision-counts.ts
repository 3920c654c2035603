/**
 * What a job's actor stored and decided in a turn, counted by label and confidence, for whoever watches the service.
 *
 * It crosses the thread as numbers, three at a time: job id, place, count. The first places count decisions, by label and band;
 * behind them come events that were stored, outliers, and look-ups by how they ended.
 */

import type { WindowCounts } from '../domain/metrics/decision-window.js'

/** Lower ends of the bands, hundredths of a percent. */
const bandsFrom = [0, 6_000, 8_000, 9_000] as const
/** How the bands are called. */
export const bands = ['0-60', '60-80', '80-90', '90-100'] as const
const LABELS = 3
export const STORED_PLACE = LABELS * bands.length
/** Decisions that were outliers. */
export const OUTLIER_PLACE = STORED_PLACE + 1
const LOOK_UPS_PLACE = OUTLIER_PLACE + 1
/** How look-ups end; the last is of events about which nothing was asked. */
export const enrichmentEnds = ['found', 'nothing', 'failed', 'late', 'passed_over'] as const
export const PLACES = LOOK_UPS_PLACE + enrichmentEnds.length

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

  lookedUp(end: (typeof enrichmentEnds)[number]): void {
    this.#count(LOOK_UPS_PLACE + enrichmentEnds.indexOf(end))
  }

  /** Puts what was counted into the list, and begins anew. */
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

/** Look-ups among counts by place, in the order of their ends. */
export function enrichmentsOf(counts: Float64Array): Float64Array {
  return counts.subarray(LOOK_UPS_PLACE, PLACES)
}

/** What counts by place are to whoever looks back over a while. */
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

/** Sums of what turns stored and decided, by job and place. */
export class DecidedTotals {
  #byJob = new Map<number, Float64Array>()

  /** Adds what one turn brought: job id, place, count, and so on. */
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
