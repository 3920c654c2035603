/**
 * Chooses the depth of boosted trees and the number of rounds by held-out examples.
 *
 * Each round fits what the ones before missed, at last the noise: early stopping (Zhang, Yu, "Boosting with early
 * stopping: convergence and consistency", 2005). Trees are in the order of their rounds, so one training has the
 * answers for all numbers of rounds. Deeper splits tell what values mean together, which hundreds of examples hardly
 * show (Friedman, "Greedy function approximation: a gradient boosting machine", 2001, section 8.1). On some streams,
 * such as alarms of one fault, they gain much, so depths are tried.
 */
import { flooredLoss, significantlyBest } from '../significant-gain.js'
import { predictRounds } from '../trees/boosted-trees.js'
import { roundsMax } from '../trees/boosting.js'
import type { FlatTrees } from '../trees/flat-trees.js'

/** Ascending. */
export const roundChoices: readonly number[] = [20, 30, 45, 65, roundsMax]

export class RoundTrials {
  readonly #classCount: number
  /** Probabilities by held-out example, number of rounds and class. */
  readonly #chances: Float64Array

  constructor(examples: number, classCount: number) {
    this.#classCount = classCount
    this.#chances = new Float64Array(examples * roundChoices.length * classCount)
  }

  #view(h: number): Float64Array {
    const width = roundChoices.length * this.#classCount
    return this.#chances.subarray(h * width, (h + 1) * width)
  }

  /** Predicts a held-out example. */
  predict(h: number, trees: FlatTrees, codes: Uint8Array): void {
    predictRounds(trees, roundChoices, codes, this.#view(h))
  }

  /**
   * The index of the chosen number of rounds: all, unless fewer are significantly better. `classes` are the true ones.
   */
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

  /** The probabilities of a held-out example after the number of rounds with this index. */
  chances(h: number, choice: number): Float64Array {
    return this.#view(h).subarray(choice * this.#classCount, (choice + 1) * this.#classCount)
  }
}

/** Boostings of some depths, with the predictions of each. */
export class DepthTrials {
  readonly #depths: readonly number[]
  readonly #trials: readonly RoundTrials[]

  /** The usual depth is the first. */
  constructor(depths: readonly number[], examples: number, classCount: number) {
    this.#depths = depths
    this.#trials = depths.map(() => new RoundTrials(examples, classCount))
  }

  /** Predicts a held-out example; `trees` are by depth. */
  predict(h: number, trees: readonly FlatTrees[], codes: Uint8Array): void {
    this.#trials.forEach((trials, d) => trials.predict(h, trees[d] as FlatTrees, codes))
  }

  /** The usual depth, unless another is significantly better, each with its chosen rounds; and its probabilities. */
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
