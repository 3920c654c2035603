/**
 * What came in and how it went, by route: counted here at the price of a few additions, read by whoever publishes it.
 *
 * A status of 0 is a client that went before its answer.
 */
import { Histogram, secondsBounds } from '../../engine/index.js'

export class RouteMeter {
  readonly method: string
  /** As in OpenAPI; '' where no route matched. */
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
  /** Requests to paths that there are not. */
  readonly unmatched = this.meter('', '')

  meter(method: string, path: string): RouteMeter {
    const meter = new RouteMeter(method, path)
    this.meters.push(meter)
    return meter
  }
}
