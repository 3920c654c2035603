/**
 * How unusual a number is among known ones: minus the natural logarithm of the share of them that are at least as
 * large.
 *
 * The tail is stored as quantiles, a step for each quarter of a nat. Past the largest known number the result grows
 * ever more slowly.
 */
import type { ModelReader, ModelWriter } from '../model-bytes.js'

const stepsPerNat = 4
/** The growth past the largest known number, in nats for each multiple of it. */
const beyondGrowth = 2
/** Added to the largest known number, which may be 0. */
const largestMin = 0.05

/** The nats that a number past the largest known one adds. */
function beyond(value: number, largest: number): number {
  return beyondGrowth * Math.log1p((value - largest) / (Math.abs(largest) + largestMin))
}

export class OutlierTail {
  readonly #values: Float64Array

  private constructor(values: Float64Array) {
    this.#values = values
  }

  /** `known` in any order; at least one. */
  static of(known: Float64Array): OutlierTail {
    const sorted = known.slice().sort()
    const steps = Math.max(2, Math.ceil(Math.log(sorted.length) * stepsPerNat) + 1)
    const values = new Float64Array(steps)
    for (let i = 0; i < steps; i++) {
      const rank = Math.ceil(sorted.length * (1 - Math.exp(-i / stepsPerNat)))
      values[i] = sorted[Math.min(sorted.length - 1, rank)] as number
    }
    return new OutlierTail(values)
  }

  static read(from: ModelReader): OutlierTail {
    return new OutlierTail(from.f64s())
  }

  write(to: ModelWriter): void {
    to.f64s(this.#values)
  }

  /** 0 or more, in nats. */
  surprise(value: number): number {
    const values = this.#values
    const last = values.length - 1
    const top = values[last] as number
    if (value > top) return last / stepsPerNat + beyond(value, top)
    let low = 0
    let high = last
    while (low < high) {
      const middle = (low + high) >> 1
      if ((values[middle] as number) < value) low = middle + 1
      else high = middle
    }
    if (low === 0) return 0
    const below = values[low - 1] as number
    const above = values[low] as number
    return (low - 1 + (value - below) / (above - below)) / stepsPerNat
  }
}
