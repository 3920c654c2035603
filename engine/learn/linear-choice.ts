/**
 * How far the linear member's weights are held down: by what does best on held-out examples.
 *
 * Whether values mean something each by themselves (ports of a firewall) or hardly at all (what merely comes along with
 * noise) differs by more than a hundredfold from one stream to another, and no number of labels tells: so it is tried.
 *
 * Owns: the trials, each from strong to weak, on from the weights of the one before. Leaves out: folds (held-out.ts).
 */
import type { ExampleMatrix } from './example-matrix.js'
import { fitLogistic, scoreRow, softmax } from './logistic.js'
import { part, type Stage } from './progress.js'
import { judgedLoss, surelyBest } from './sure-gain.js'

/** Of the L2 penalty, from strong to weak. */
export const linearStrengths: readonly number[] = [8, 2, 0.5, 0.125]
/** Where nothing is held out. */
export const linearStrengthUsual = 0.5
const work = 100e6
const iterationsMax = 60
/** Of a trial, which goes on from the one before: what matters is told early. */
const trialIterationsMax = 25
const iterationsMin = 20

/** Weights by feature and class, the intercepts behind. */
export function fitLinear(matrix: ExampleMatrix, rowWeights: Float64Array, strength: number, stage: Stage): Float64Array {
  const fitted = new Float64Array((matrix.featureCount + 1) * matrix.labels.length)
  // A large matrix has a bend in more directions than matter: fewer iterations are as good.
  const affordable = Math.round(work / Math.max(1, matrix.features.length))
  fitLogistic(matrix, rowWeights, fitted, { strength, iterationsMax: Math.min(iterationsMax, Math.max(iterationsMin, affordable)) }, stage)
  return fitted
}

export class LinearTrials {
  /** By strength, the loss of each held-out row. */
  readonly #losses: number[][] = linearStrengths.map(() => [])
  /** Fold by fold, one a strength. */
  readonly #fitted: Float64Array[][] = []

  /** Fits all to the rows of a fold's training and judges them by its held-out rows, `judging` one a row. */
  tryFold(matrix: ExampleMatrix, rowWeights: Float64Array, judging: Float64Array, stage: Stage): void {
    const classCount = matrix.labels.length
    const chances = new Float64Array(classCount)
    const weights = new Float64Array((matrix.featureCount + 1) * classCount)
    const fold: Float64Array[] = []
    linearStrengths.forEach((strength, s) => {
      const portion = part(stage, s / linearStrengths.length, (s + 1) / linearStrengths.length)
      fitLogistic(matrix, rowWeights, weights, { strength, iterationsMax: trialIterationsMax }, portion)
      fold.push(weights.slice())
      for (let row = 0; row < matrix.rowCount; row++) {
        if (judging[row] === 0) continue
        scoreRow(matrix, row, weights, chances)
        softmax(chances)
        const chance = chances[matrix.classes[row] as number] as number
        ;(this.#losses[s] as number[]).push(judgedLoss(judging[row] as number, chance, classCount))
      }
    })
    this.#fitted.push(fold)
  }

  /** The index of the strength to take: the usual one, unless another one is surely better. */
  get best(): number {
    return surelyBest(this.#losses, linearStrengths.indexOf(linearStrengthUsual))
  }

  get strength(): number {
    return linearStrengths[this.best] as number
  }

  /** The weights of a fold at that strength. */
  weightsOf(fold: number): Float64Array {
    return (this.#fitted[fold] as Float64Array[])[this.best] as Float64Array
  }
}
