/** What was stored and decided in the last hour, minute by minute, for the jobs that somebody watches and for all together. */

export interface WindowCounts {
  readonly stored: number
  readonly decided: number
  /** Of less than 60 percent. */
  readonly lowConfidence: number
  readonly outliers: number
}

/** The longest look back. */
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

  /** Counts go to the job, where it is watched, and to all (null). */
  add(jobId: number, counts: WindowCounts, isWatched: boolean, nowMicros: number): void {
    for (const key of isWatched ? [jobId, null] : [null]) {
      const minute = this.#minute(key, Math.floor(nowMicros / MINUTE_MICROS))
      minute.stored += counts.stored
      minute.decided += counts.decided
      minute.lowConfidence += counts.lowConfidence
      minute.outliers += counts.outliers
    }
  }

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
    // What a clock that was set back since had counted.
    while ((minutes.at(-1)?.minute ?? minute) > minute) minutes.pop()
    const last = minutes.at(-1)
    if (last?.minute === minute) return last
    const fresh = { minute, stored: 0, decided: 0, lowConfidence: 0, outliers: 0 }
    minutes.push(fresh)
    while ((minutes[0] as Minute).minute <= minute - WINDOW_MINUTES_MAX) minutes.shift()
    return fresh
  }
}
