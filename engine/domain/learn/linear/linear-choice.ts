/**
 * Chooses the penalty of the linear member by held-out examples.
 *
 * On some streams single values tell much (ports of a firewall), on others hardly anything (values that only accompany
 * noise). The number of labels does not tell which, so penalties are tried. So is a smaller penalty on numbers. Where
 * there are hardly any categories (measurements, rates), a line through numbers tells more than their bins. Where there
 * are categories it misleads, above all where they drift.
 *
 * Owns: the trials, from strong to weak, each starting from the weights of the one before. Leaves out: folds
 * (held-out.ts).
 */
import type { LearningTable } from '../features/learning-table.js'
import { part, type Stage } from '../progress.js'
import { flooredLoss, gainShares, significantlyBest } from '../significant-gain.js'
import { fitLogistic, softmax, type LogisticOptions } from './logistic.js'
import { scoreRow } from './row-loops.js'

export interface LinearPenalty {
  /** The L2 penalty. */
  readonly strength: number
  /** The share of it that numbers themselves get; their bins get all of it. */
  readonly onNumbers: number
}

/** From strong to weak. */
const trialsOfAll: readonly LinearPenalty[] = [8, 2, 0.5, 0.125].map((strength) => ({ strength, onNumbers: 1 }))
const trialsOfNumbers: readonly LinearPenalty[] = [0.125, 0.5, 2].map((strength) => ({ strength, onNumbers: 0.25 }))
const usualTrial = 2
/** The choice where nothing is held out, or nothing is significantly better. */
export const usualPenalty = trialsOfAll[usualTrial] as LinearPenalty
const work = 100e6
const iterationsMax = 60
/** The iterations of a trial, which starts from the one before. */
const trialIterationsMax = 25
const iterationsMin = 20

/** The data to fit. */
type Table = Pick<LearningTable, 'linear' | 'measured'>

function optionsOf(
  { strength, onNumbers }: LinearPenalty,
  { measured }: Table,
): Omit<LogisticOptions, 'iterationsMax'> {
  return { strength, eased: { features: measured, share: onNumbers } }
}

/** The weights by feature and class, followed by the intercepts. */
export function fitLinear(table: Table, rowWeights: Float64Array, penalty: LinearPenalty, stage: Stage): Float64Array {
  const { linear: matrix } = table
  const fitted = new Float64Array((matrix.featureCount + 1) * matrix.labels.length)
  // Fewer iterations on a large matrix, where each costs more.
  const affordable = Math.round(work / Math.max(1, matrix.features.length))
  const iterations = Math.min(iterationsMax, Math.max(iterationsMin, affordable))
  const options = { ...optionsOf(penalty, table), iterationsMax: iterations }
  fitLogistic({ matrix, rowWeights, weights: fitted }, options, stage)
  return fitted
}

export class LinearTrials {
  readonly #table: Table
  readonly #trials: readonly LinearPenalty[]
  /** The losses of held-out rows, by trial. */
  readonly #losses: number[][]
  /** The weights by fold and trial. */
  readonly #fitted: Float64Array[][] = []

  /** `numbersToo`: try a smaller penalty on numbers too. */
  constructor(table: Table, numbersToo: boolean) {
    this.#table = table
    this.#trials = numbersToo && table.measured.length > 0 ? [...trialsOfAll, ...trialsOfNumbers] : trialsOfAll
    this.#losses = this.#trials.map(() => [])
  }

  /** Fits each trial to the training rows of a fold and judges it by the held-out rows, whose weights are `judging`. */
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

  /** The index of the chosen trial: the usual one, unless another is significantly better. */
  get #best(): number {
    return significantlyBest(this.#losses, usualTrial)
  }

  /**
   * The penalty: the mean of the trials' logarithms, each by its significant gain over the usual one. The single best
   * of them would change with one example more.
   */
  get penalty(): LinearPenalty {
    const usual = this.#trials[usualTrial] as LinearPenalty
    const shares = gainShares(this.#losses, usualTrial)
    if (shares === null) return usual
    const mean = (of: (penalty: LinearPenalty) => number): number =>
      Math.exp(this.#trials.reduce((sum, trial, t) => sum + (shares[t] as number) * Math.log(of(trial)), 0))
    return { strength: mean(({ strength }) => strength), onNumbers: mean(({ onNumbers }) => onNumbers) }
  }

  /** The weights of a fold with the chosen penalty. */
  weightsOf(fold: number): Float64Array {
    return (this.#fitted[fold] as Float64Array[])[this.#best] as Float64Array
  }
}
