/**
 * Counts of events stored and decided in the last hour, minute by minute: of each watched job, and of all jobs
 * together.
 */

export interface WindowCounts {
  readonly stored: number
  readonly decided: number
  /** Decisions with a confidence below 60 %. */
  readonly lowConfidence: number
  readonly outliers: number
}

/** The longest time that can be looked back, minutes. */
export const WINDOW_MINUTES_MAX = 60
const MINUTE_MICROS = 60e6

interface Minute {
  readonly minute: number
  stored: number
  decided: number
  lowConfidence: number
  outliers: number
}

export class DecisionWindow {
  readonly #minutes = new Map<number | null, Minute[]>()

  /** Adds to the counts of all jobs, and to those of the job if it is watched. */
  add(jobId: number, counts: WindowCounts, isWatched: boolean, nowMicros: number): void {
    for (const key of isWatched ? [jobId, null] : [null]) {
      const minute = this.#minute(key, Math.floor(nowMicros / MINUTE_MICROS))
      minute.stored += counts.stored
      minute.decided += counts.decided
      minute.lowConfidence += counts.lowConfidence
      minute.outliers += counts.outliers
    }
  }

  /** The counts of the last `minutes` minutes, of a job or (null) of all. */
  sum(jobId: number | null, minutes: number, nowMicros: number): WindowCounts {
    const since = Math.floor(nowMicros / MINUTE_MICROS) - minutes
    const sum = { stored: 0, decided: 0, lowConfidence: 0, outliers: 0 }
    for (const each of this.#minutes.get(jobId) ?? []) {
      if (each.minute <= since) continue
      sum.stored += each.stored
      sum.decided += each.decided
      sum.lowConfidence += each.lowConfidence
      sum.outliers += each.outliers
    }
    return sum
  }

  #minute(key: number | null, minute: number): Minute {
    let minutes = this.#minutes.get(key)
    if (minutes === undefined) this.#minutes.set(key, (minutes = []))
    // After the clock was set back, later minutes are dropped.
    while ((minutes.at(-1)?.minute ?? minute) > minute) minutes.pop()
    const last = minutes.at(-1)
    if (last?.minute === minute) return last
    const fresh = { minute, stored: 0, decided: 0, lowConfidence: 0, outliers: 0 }
    minutes.push(fresh)
    while ((minutes[0] as Minute).minute <= minute - WINDOW_MINUTES_MAX) minutes.shift()
    return fresh
  }
}
