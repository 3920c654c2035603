/**
 * How far the linear member's weights are held down: by what does best on held-out examples.
 *
 * Whether values mean something each by themselves (ports of a firewall) or hardly at all (what merely comes along with
 * noise) differs from one stream to another, and the number of labels does not tell: so it is tried. So is
 * whether numbers count as such: where there are hardly any categories (measurements, rates) a line through them tells more than
 * their bins, where there are it misleads, above all where they drift.
 *
 * Owns: the trials, each from strong to weak, on from the weights of the one before. Leaves out: folds (held-out.ts).
 */
import type { LearningTable } from '../features/learning-table.js'
import { part, type Stage } from '../progress.js'
import { flooredLoss, significantlyBest } from '../significant-gain.js'
import { fitLogistic, scoreRow, softmax, type LogisticOptions } from './logistic.js'

export interface LinearPenalty {
  /** Of the L2 penalty. */
  readonly strength: number
  /** The share of it that holds down numbers themselves, beside their bins. */
  readonly onNumbers: number
}

/** From strong to weak. */
const trialsOfAll: readonly LinearPenalty[] = [8, 2, 0.5, 0.125].map((strength) => ({ strength, onNumbers: 1 }))
const trialsOfNumbers: readonly LinearPenalty[] = [0.125, 0.5, 2].map((strength) => ({ strength, onNumbers: 0.25 }))
const usualTrial = 2
/** Where nothing is held out, or nothing is surely better. */
export const usualPenalty = trialsOfAll[usualTrial] as LinearPenalty
const work = 100e6
const iterationsMax = 60
/** Of a trial, which goes on from the one before: what matters is told early. */
const trialIterationsMax = 25
const iterationsMin = 20

/** What it is fitted to. */
type Table = Pick<LearningTable, 'linear' | 'measured'>

function optionsOf(
  { strength, onNumbers }: LinearPenalty,
  { measured }: Table,
): Omit<LogisticOptions, 'iterationsMax'> {
  return { strength, eased: { features: measured, share: onNumbers } }
}

/** Weights by feature and class, the intercepts behind. */
export function fitLinear(table: Table, rowWeights: Float64Array, penalty: LinearPenalty, stage: Stage): Float64Array {
  const { linear: matrix } = table
  const fitted = new Float64Array((matrix.featureCount + 1) * matrix.labels.length)
  // Fewer iterations on a large matrix: it bends in more directions than matter.
  const affordable = Math.round(work / Math.max(1, matrix.features.length))
  const iterations = Math.min(iterationsMax, Math.max(iterationsMin, affordable))
  const options = { ...optionsOf(penalty, table), iterationsMax: iterations }
  fitLogistic({ matrix, rowWeights, weights: fitted }, options, stage)
  return fitted
}

export class LinearTrials {
  readonly #table: Table
  readonly #trials: readonly LinearPenalty[]
  /** By trial, the loss of each held-out row. */
  readonly #losses: number[][]
  /** Fold by fold, one a trial. */
  readonly #fitted: Float64Array[][] = []

  /** `numbersToo` is false where many examples make trials long, and a line through numbers tells no more than their bins. */
  constructor(table: Table, numbersToo: boolean) {
    this.#table = table
    this.#trials = numbersToo && table.measured.length > 0 ? [...trialsOfAll, ...trialsOfNumbers] : trialsOfAll
    this.#losses = this.#trials.map(() => [])
  }

  /** Fits all to the rows of a fold's training and judges them by its held-out rows, `judging` one a row. */
  tryFold(rowWeights: Float64Array, judging: Float64Array, stage: Stage): void {
    const { linear: matrix } = this.#table
    const classCount = matrix.labels.length
    const chances = new Float64Array(classCount)
    const weights = new Float64Array((matrix.featureCount + 1) * classCount)
    const fold: Float64Array[] = []
    this.#trials.forEach((penalty, t) => {
      const portion = part(stage, t / this.#trials.length, (t + 1) / this.#trials.length)
      const options = { ...optionsOf(penalty, this.#table), iterationsMax: trialIterationsMax }
      fitLogistic({ matrix, rowWeights, weights }, options, portion)
      fold.push(weights.slice())
      for (let row = 0; row < matrix.rowCount; row++) {
        if (judging[row] === 0) continue
        scoreRow(matrix, row, weights, chances)
        softmax(chances)
        const chance = chances[matrix.classes[row] as number] as number
        ;(this.#losses[t] as number[]).push(flooredLoss(judging[row] as number, chance, classCount))
      }
    })
    this.#fitted.push(fold)
  }

  /** The index of the trial to take: the usual one, unless another one is surely better. */
  get #best(): number {
    return significantlyBest(this.#losses, usualTrial)
  }

  get penalty(): LinearPenalty {
    return this.#trials[this.#best] as LinearPenalty
  }

  /** The weights of a fold with that penalty. */
  weightsOf(fold: number): Float64Array {
    return (this.#fitted[fold] as Float64Array[])[this.#best] as Float64Array
  }
}
