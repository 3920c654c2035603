/** Counts of values by size, for whoever asks how long or how much: cheap to add to, and never larger than its bounds. */
export class Histogram {
  /** Upper bounds, ascending; a value belongs to the first that is not below it. */
  readonly bounds: readonly number[]
  /** One more than bounds: the last is of what is over all of them. Not cumulative. */
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

/** Seconds, from a tenth of a millisecond to ten seconds. */
export const secondsBounds = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const
