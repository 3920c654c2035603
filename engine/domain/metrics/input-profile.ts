/**
 * The distribution of values at decision points in a period, and its drift from one period to the next.
 *
 * Values are counted in a fixed number of bins for each point, by their hash, so memory is bounded. Merged values can
 * only lower a divergence: that of two profiles is at most that of the values.
 */
import { divergence } from './divergence.js'

const BINS = 64

export class InputProfile {
  readonly #points: readonly Uint32Array[]
  samples = 0

  constructor(pointCount: number) {
    this.#points = Array.from({ length: pointCount }, () => new Uint32Array(BINS))
  }

  /** Adds an event: its value at each point, as text. */
  add(values: readonly string[]): void {
    this.samples++
    for (let at = 0; at < this.#points.length; at++) {
      const bins = this.#points[at] as Uint32Array
      bins[hash(values[at] ?? '') % BINS]!++
    }
  }

  /** By point: Jensen-Shannon divergence from an earlier profile, 0 to 1; null if either is empty. */
  driftFrom(earlier: InputProfile): (number | null)[] {
    return this.#points.map((bins, at) => divergence(earlier.#points[at] as Uint32Array, bins))
  }
}

/** FNV-1a, 32 bits, over UTF-16 units. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return (value ^ (value >>> 15)) >>> 0
}
