/**
 * The order in which people are asked about buckets: the most valuable label first.
 *
 *   value(b) = √m u + λ / 32 · Σ over the 32 nearest b' of √m' u' s(b, b') (1 - c'), λ = 1
 *
 * m are the events of the bucket, u the doubt about its answer, s likeness, c how far a bucket is covered by labelled
 * ones. The most valuable one is taken, and then covers its neighbours. Without labels this is coverage weighted by
 * mass: the largest first, but not ten alike (MaxHerding, Bae et al. 2024, arXiv 2407.12212). With a model it is doubt
 * times mass.
 *
 * Owns: values, and what is taken. Leaves out: the figures of the candidates (candidates.ts), the slots (slots.ts).
 */
import { neighboursMax, type Candidates } from './candidates.js'

/** λ: the weight of the mean neighbour. With the sum in place of the mean no rule finds rare labels. */
const meanWeight = 1

export class AskOrder {
  readonly #candidates: Candidates
  readonly #neighbourWeight: number
  readonly #covered: Float64Array
  readonly #taken: Uint8Array

  constructor(candidates: Candidates, weight: number = meanWeight) {
    this.#candidates = candidates
    this.#neighbourWeight = weight / neighboursMax
    this.#covered = Float64Array.from(candidates.covered)
    this.#taken = new Uint8Array(candidates.mass.length)
  }

  isTaken(place: number): boolean {
    return this.#taken[place] === 1
  }

  /** The candidate is no longer to be asked about. With a label it covers its neighbours. */
  take(place: number, isLabelled: boolean): void {
    this.#taken[place] = 1
    if (!isLabelled) return
    const { neighbours, alike } = this.#candidates
    this.#covered[place] = 1
    const from = place * neighboursMax
    for (let at = from; at < from + neighboursMax; at++) {
      const other = neighbours[at] as number
      if (other < 0) break
      this.#covered[other] = Math.max(this.#covered[other] as number, alike[at] as number)
    }
  }

  /** How far it is covered by labelled buckets. */
  covered(place: number): number {
    return this.#covered[place] as number
  }

  value(place: number): number {
    const { mass, doubt, neighbours, alike } = this.#candidates
    let around = 0
    const from = place * neighboursMax
    for (let at = from; at < from + neighboursMax && this.#neighbourWeight > 0; at++) {
      const other = neighbours[at] as number
      if (other < 0) break
      const open = 1 - (this.#covered[other] as number)
      around += (mass[other] as number) * (doubt[other] as number) * (alike[at] as number) * open
    }
    return (mass[place] as number) * (doubt[place] as number) + this.#neighbourWeight * around
  }

  /** The place of the most valuable candidate that is left; -1 where none is. */
  best(): number {
    return this.most((place) => this.value(place))
  }

  /** The place of the candidate with the largest figure; of equal ones the first. */
  most(figure: (place: number) => number): number {
    let [best, largest] = [-1, Number.NEGATIVE_INFINITY]
    for (let place = 0; place < this.#taken.length; place++) {
      if (this.#taken[place] === 1) continue
      const one = figure(place)
      if (one > largest) [best, largest] = [place, one]
    }
    return best
  }
}
