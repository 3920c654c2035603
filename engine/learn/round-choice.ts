/**
 * After how many rounds boosting stops: where more do not do better on held-out examples.
 *
 * Each round fits what the ones before missed, at last the noise (early stopping: Zhang, Yu, "Boosting with early stopping:
 * convergence and consistency", 2005). Trees are in the order of their rounds, so one training answers for all numbers.
 */
import { askRounds, roundsMax } from './boosting.js'
import type { FlatTrees } from './flat-trees.js'
import { judgedLoss, surelyBest } from './sure-gain.js'

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
  ask(h: number, trees: FlatTrees, codes: Uint8Array): void {
    askRounds(trees, roundChoices, codes, this.#view(h))
  }

  /** The index of the number of rounds to take: all, unless fewer are surely better; `classes` and `weights` are of the held-out examples. */
  best(classes: Int32Array, weights: Float64Array): number {
    const classCount = this.#classCount
    const losses = roundChoices.map((_, i) => weights.map((weight, h) => {
      const chance = this.#view(h)[i * classCount + (classes[h] as number)] as number
      return judgedLoss(weight, chance, classCount)
    }))
    return surelyBest(losses, roundChoices.length - 1)
  }

  /** What is said of a held-out example after the number of rounds with this index. */
  chances(h: number, choice: number): Float64Array {
    return this.#view(h).subarray(choice * this.#classCount, (choice + 1) * this.#classCount)
  }
}
