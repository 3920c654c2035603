/**
 * Corrects the pool's answer in four steps. First comes the nearest event's label (recall.ts), then the labels of equal
 * events (cells.ts). Then the answer is sharpened (sharpness.ts), and its classes are balanced (class-balance.ts). Each
 * step is fitted to the held-out answers with the steps before it.
 *
 * Owns: their order, and the held-out answers after all of them. Leaves out: applying them (pooled-answer.ts).
 */
import type { AtomRows } from '../features/pair-choice.js'
import type { Stage } from '../progress.js'
import { fitCells, noCells, type Cells } from './cells.js'
import { fitBalance } from './class-balance.js'
import type { HeldOut } from './held-out.js'
import { memberCount } from './members.js'
import { mix, type Pool } from './pool.js'
import { fitRecall, noRecall, type Recall } from './recall.js'
import { fitSharpness } from './sharpness.js'

export interface CorrectionsInput {
  /** Null where there are too few examples to hold any out; then nothing is corrected. */
  readonly held: HeldOut | null
  readonly pool: Pool
  /** The whole values of all examples, and the weights of the examples. */
  readonly atoms: AtomRows
  readonly weights: Float64Array
  /** The usual distance between labelled events. */
  readonly nearestScale: number
  readonly uniformShare: number
}

/** Answers on held-out examples without the uniform share, by example and class. */
export interface HeldOutAnswers {
  readonly held: HeldOut
  readonly chances: Float64Array
}

export interface Corrections {
  readonly recall: Recall
  readonly cells: Cells
  readonly sharpness: number
  readonly balance: Float64Array
  /** The corrected answers on the held-out examples; null where none were held out. */
  readonly answers: HeldOutAnswers | null
}

const noCorrections: Corrections = {
  recall: noRecall,
  cells: noCells,
  sharpness: 1,
  balance: new Float64Array(0),
  answers: null,
}

/** The pool's answers on the held-out examples. */
function mixHeldOut(held: HeldOut, pool: Pool): Float64Array {
  const { classCount } = held
  const mixed = new Float64Array(held.classes.length * classCount)
  const chances = held.chances.slice()
  for (let h = 0; h < held.classes.length; h++) {
    mix(pool, chances, h * memberCount * classCount, mixed.subarray(h * classCount, (h + 1) * classCount))
  }
  return mixed
}

export function fitCorrections(input: CorrectionsInput, stage: Stage): Corrections {
  const { held, pool, atoms, weights, nearestScale, uniformShare: floor } = input
  if (held === null) return noCorrections
  // Each fit applies its correction to them.
  const chances = mixHeldOut(held, pool)
  const recall = fitRecall(held, chances, nearestScale, floor)
  const cells = fitCells({ rows: atoms, weights, held, pooled: chances, floor }, stage)
  const sharpness = fitSharpness(held, chances, floor)
  const balance = fitBalance(held, chances)
  return { recall, cells, sharpness, balance, answers: { held, chances } }
}
