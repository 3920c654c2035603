/** Counts of requests that HTTP threads served, on their way to the counts of the main thread. */
import type { Traffic } from '../http/traffic.js'
import type { TrafficCounts } from './messages.js'

/** What was counted since the last call. */
export function takeCounts(traffic: Traffic): TrafficCounts[] {
  const used = traffic.meters.filter(({ statuses }) => statuses.size > 0)
  return used.map(({ method, path, statuses, seconds }) => {
    const counts = { method, path, statuses: [...statuses], seconds: [...seconds.counts], secondsSum: seconds.sum }
    statuses.clear()
    seconds.counts.fill(0)
    seconds.sum = 0
    return counts
  })
}

/** Adds what a thread has counted. */
export function addCounts(traffic: Traffic, told: readonly TrafficCounts[]): void {
  for (const { method, path, statuses, seconds, secondsSum } of told) {
    const meter = traffic.meters.find((each) => each.method === method && each.path === path)
    if (meter === undefined) continue
    for (const [status, count] of statuses) meter.statuses.set(status, (meter.statuses.get(status) ?? 0) + count)
    for (const [at, count] of seconds.entries()) meter.seconds.counts[at] = (meter.seconds.counts[at] ?? 0) + count
    meter.seconds.sum += secondsSum
  }
}
