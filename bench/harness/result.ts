/** The result of a benchmark: rows, each with its bar and whether it was met. */

export interface Row {
  readonly what: string
  /** Null if it could not be measured; `note` says why. */
  readonly ours: number | null
  readonly unit: string
  /** The floor or peer that was measured in the same run. */
  readonly against?: { readonly name: string; readonly value: number }
  /** Ours over theirs. */
  readonly ratio?: number
  readonly p50Ms?: number
  readonly p99Ms?: number
  /** The bar in words; empty without one. */
  readonly bar: string
  /** Null without a bar, or if it could not be measured. */
  readonly met: boolean | null
  readonly note?: string
}

/** How much work a run puts in. */
export interface RunSize {
  /** Seconds of one round of load. */
  readonly seconds: number
  /** Rounds of each alternating pair; the median counts. */
  readonly rounds: number
  /** Events of the benchmarks on stored events. */
  readonly million: number
  /** Labelled events of the training. */
  readonly labelled: number
  /** Reports progress. */
  readonly log: (what: string) => void
}

export interface Step {
  /** The name in `npm run bench -- name`. */
  readonly name: string
  readonly run: (size: RunSize) => Promise<Row[]>
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >>> 1
  if (sorted.length === 0) return Number.NaN
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}

export function quantile(values: readonly number[], q: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * q)] ?? Number.NaN
}

/** Runs things in turn, `rounds` times over, so that other load on the machine falls on all of them alike. */
export async function alternate<const T extends readonly (() => Promise<unknown>)[]>(
  rounds: number,
  things: T,
): Promise<{ [K in keyof T]: Awaited<ReturnType<T[K]>>[] }> {
  const results = things.map((): unknown[] => [])
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < things.length; i++) {
      const thing = things[i] as () => Promise<unknown>
      ;(results[i] as unknown[]).push(await thing())
    }
  }
  return results as unknown as { [K in keyof T]: Awaited<ReturnType<T[K]>>[] }
}

export interface Rated {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Medians over rounds. */
export function rated(
  rounds: readonly { readonly seconds: number; readonly p50Micros: number; readonly p99Micros: number }[],
  count: (round: number) => number,
): Rated {
  return {
    perSecond: median(rounds.map((round, i) => count(i) / round.seconds)),
    p50Ms: median(rounds.map((round) => round.p50Micros)) / 1000,
    p99Ms: median(rounds.map((round) => round.p99Micros)) / 1000,
  }
}
