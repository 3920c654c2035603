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

/** Microseconds of each thread of each process for one of `count` events; `run` returns how many it has sent. */
export async function microsOf(
  pids: readonly number[],
  run: () => Promise<number>,
): Promise<ReadonlyMap<number, number>[]> {
  const before = pids.map(threadSeconds)
  const count = await run()
  return pids.map((pid, at) => {
    const earlier = before[at]
    const passed = (id: number, seconds: number): number => seconds - (earlier?.get(id) ?? 0)
    return new Map([...threadSeconds(pid)].map(([id, seconds]) => [id, (passed(id, seconds) * 1e6) / count]))
  })
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
