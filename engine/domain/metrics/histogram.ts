/** Counts of values by size. Adding is cheap, and memory does not grow. */
export class Histogram {
  /** Upper bounds, ascending and included. */
  readonly bounds: readonly number[]
  /** One count for each bound, and one for values above all of them. Not cumulative. */
  readonly counts: Float64Array
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  add(value: number): void {
    let place = 0
    while (place < this.bounds.length && value > (this.bounds[place] as number)) place++
    this.counts[place] = (this.counts[place] as number) + 1
    this.sum += value
  }

  get count(): number {
    return this.counts.reduce((sum, each) => sum + each, 0)
  }
}

/** Bounds in seconds, from a tenth of a millisecond to ten seconds. */
export const secondsBounds = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const
