/**
 * Counts requests by route: their statuses and durations. prometheus.ts publishes them.
 *
 * The status is 0 if the client disconnected before its answer.
 */
import { Histogram, secondsBounds } from '../../engine/index.js'

export class RouteMeter {
  readonly method: string
  /** As in OpenAPI; '' if no route matched. */
  readonly path: string
  readonly statuses = new Map<number, number>()
  /** Seconds from the request's headers to the end of the answer. */
  readonly seconds = new Histogram(secondsBounds)

  constructor(method: string, path: string) {
    this.method = method
    this.path = path
  }

  count(status: number, ms: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    this.seconds.add(ms / 1000)
  }
}

export class Traffic {
  readonly meters: RouteMeter[] = []
  /** Requests to unknown paths. */
  readonly unmatched = this.meter('', '')

  meter(method: string, path: string): RouteMeter {
    const meter = new RouteMeter(method, path)
    this.meters.push(meter)
    return meter
  }
}
