/**
 * How deep boosted trees go, and after how many rounds boosting stops: where more does not do better on held-out examples.
 *
 * Each round fits what the ones before missed, at last the noise (early stopping: Zhang, Yu, "Boosting with early stopping:
 * convergence and consistency", 2005). Trees are in the order of their rounds, so one training answers for all numbers. Splits
 * below others tell what values mean together, which hundreds of examples hardly show (Friedman, "Greedy function approximation:
 * a gradient boosting machine", 2001, section 8.1); where a few do, as alarms of one fault, they are worth much: so it is tried.
 */
import { flooredLoss, significantlyBest } from '../significant-gain.js'
import { predictRounds, roundsMax } from '../trees/boosting.js'
import type { FlatTrees } from '../trees/flat-trees.js'

/** Ascending. */
export const roundChoices: readonly number[] = [20, 30, 45, 65, roundsMax]

export class RoundTrials {
  readonly #classCount: number
  /** For each held-out example the chances by number of rounds. */
  readonly #chances: Float64Array

  constructor(examples: number, classCount: number) {
    this.#classCount = classCount
    this.#chances = new Float64Array(examples * roundChoices.length * classCount)
  }

  #view(h: number): Float64Array {
    const width = roundChoices.length * this.#classCount
    return this.#chances.subarray(h * width, (h + 1) * width)
  }

  /** Asks all about a held-out example. */
  predict(h: number, trees: FlatTrees, codes: Uint8Array): void {
    predictRounds(trees, roundChoices, codes, this.#view(h))
  }

  /** The index of the number of rounds to take: all, unless fewer are surely better; `classes` and `weights` are of the held-out examples. */
  best(classes: Int32Array, weights: Float64Array): number {
    return significantlyBest(
      roundChoices.map((_, choice) => this.losses(classes, weights, choice)),
      roundChoices.length - 1,
    )
  }

  /** The loss of each held-out example after the number of rounds with this index. */
  losses(classes: Int32Array, weights: Float64Array, choice: number): Float64Array {
    return weights.map((weight, h) =>
      flooredLoss(weight, this.chances(h, choice)[classes[h] as number] as number, this.#classCount),
    )
  }

  /** What is said of a held-out example after the number of rounds with this index. */
  chances(h: number, choice: number): Float64Array {
    return this.#view(h).subarray(choice * this.#classCount, (choice + 1) * this.#classCount)
  }
}

/** Boostings of one depth or several, each asked about all held-out examples. */
export class DepthTrials {
  readonly #depths: readonly number[]
  readonly #trials: readonly RoundTrials[]

  /** `depths` with the usual one first. */
  constructor(depths: readonly number[], examples: number, classCount: number) {
    this.#depths = depths
    this.#trials = depths.map(() => new RoundTrials(examples, classCount))
  }

  /** Asks all about a held-out example: `trees` are by depth. */
  predict(h: number, trees: readonly FlatTrees[], codes: Uint8Array): void {
    this.#trials.forEach((trials, d) => trials.predict(h, trees[d] as FlatTrees, codes))
  }

  /** The usual depth, unless another one is surely better, each with the rounds that do best for it; and what that says of an example. */
  best(
    classes: Int32Array,
    weights: Float64Array,
  ): { readonly depth: number; readonly rounds: number; readonly chances: (h: number) => Float64Array } {
    const rounds = this.#trials.map((trials) => trials.best(classes, weights))
    const d = significantlyBest(
      this.#trials.map((trials, i) => trials.losses(classes, weights, rounds[i] as number)),
      0,
    )
    const round = rounds[d] as number
    return {
      depth: this.#depths[d] as number,
      rounds: roundChoices[round] as number,
      chances: (h) => (this.#trials[d] as RoundTrials).chances(h, round),
    }
  }
}
