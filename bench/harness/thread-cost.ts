/** The processor time that events take on the threads of a process, and what that lets it take. */
import { threadSeconds } from './machine.js'

/** Microseconds of processor time for each event. */
export interface Cost {
  readonly main: number
  /** All HTTP threads beside the main thread. */
  readonly http: number
  readonly deciding: number
  readonly others: number
}

/** By process: a number of each thread. */
type ByThread = readonly ReadonlyMap<number, number>[]

/**
 * Microseconds of each thread of each process for one of `count` events; `run` returns how many it has sent. Without
 * what the threads take while there are no events (`resting`).
 */
export async function microsOf(
  pids: readonly number[],
  run: () => Promise<number>,
  resting: ByThread = [],
): Promise<ByThread> {
  const beganMs = performance.now()
  const before = pids.map(threadSeconds)
  const count = await run()
  const passedSeconds = (performance.now() - beganMs) / 1_000
  return pids.map((pid, at) => {
    const of = (id: number, seconds: number): number => {
      const always = (resting[at]?.get(id) ?? 0) * passedSeconds
      return Math.max(0, seconds - (before[at]?.get(id) ?? 0) - always)
    }
    return new Map([...threadSeconds(pid)].map(([id, seconds]) => [id, (of(id, seconds) * 1e6) / count]))
  })
}

/** How much of a processor each thread of each process takes while nothing is sent. */
export async function restingShares(pids: readonly number[], seconds: number): Promise<ByThread> {
  const pause = async (): Promise<number> => {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
    return seconds * 1e6
  }
  return await microsOf(pids, pause)
}

/** Of the threads beside the main thread and those of HTTP, the busiest decides. */
export function costOf(pid: number, micros: ReadonlyMap<number, number>, httpThreads: ReadonlySet<number>): Cost {
  const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0)
  const of = (takes: (thread: number) => boolean): number[] =>
    [...micros].filter(([thread]) => takes(thread)).map(([, each]) => each)
  const rest = of((thread) => thread !== pid && !httpThreads.has(thread))
  const deciding = Math.max(0, ...rest)
  const http = sum(of((thread) => httpThreads.has(thread)))
  return { main: micros.get(pid) ?? 0, http, deciding, others: sum(rest) - deciding }
}

export function rounded(perSecond: number): string {
  return Math.round(perSecond).toLocaleString('en-US')
}
