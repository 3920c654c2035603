/**
 * The classifier `pooled/1`, which jobs train with: a linear member, extra trees, boosted trees and the nearest
 * neighbour, mixed by their answers on held-out examples.
 *
 * Owns: the stages of a training, in order. Leaves out: each stage (the imported files), the bytes (pooled-model.ts).
 */
import { assert } from '../../../assert.js'
import type { Classifier, Model, TrainingProgress, TrainingSet } from '../classifier.js'
import type { LearningTable } from '../features/learning-table.js'
import { usualPenalty } from '../linear/linear-choice.js'
import { ProgressReport, type Stage } from '../progress.js'
import { roundsMax } from '../trees/boosting.js'
import { chooseLeftOut, setWithout } from './block-points.js'
import { codeExamples, coderTables, type CodedExamples } from './coded-examples.js'
import { fitCorrections, type Corrections } from './corrections.js'
import { fitDetector, fitUnseen } from './detector-fit.js'
import { fitEvidenceWeight } from './evidence-weight.js'
import { weighExamples, type ExampleWeights } from './example-weights.js'
import { heldOutAnswers, heldOutFigures } from './held-out-figures.js'
import { holdOut, type HeldOut } from './held-out.js'
import { shallowBoosting, trainMembers, treesFor, type Members } from './members.js'
import { chooseReferences, ExampleView } from './nearest.js'
import { fitPool, poolToAnswer, type Pool } from './pool.js'
import type { AnswerParts } from './pooled-answer.js'
import { PooledModel, pooledKind, readPooled, writePooled } from './pooled-model.js'
import { recallLimit } from './recall.js'
import { fitStreamRule } from './rule-fit.js'
import { uniformShareOf } from './uniform-share.js'

interface MembersInput {
  readonly table: LearningTable
  readonly weights: ExampleWeights
  readonly view: ExampleView
  readonly held: HeldOut | null
}

/** The members of the model, and the indices of the examples that are references of the nearest neighbour. */
interface FittedMembers {
  readonly members: Members
  readonly references: readonly number[]
}

/** The results of the stages that an answer needs. */
interface Fitted {
  readonly leftOut: Int32Array
  readonly coded: CodedExamples
  readonly held: HeldOut | null
  readonly pool: Pool
  readonly members: Members
  readonly corrections: Corrections
  readonly uniformShare: number
}

function viewOf({ examples }: TrainingSet, { encoder, table }: CodedExamples): ExampleView {
  const { rowOf, classes } = table.matrix
  return new ExampleView(examples, encoder, (example) => classes[rowOf[example] as number] as number)
}

/** Trains the members on all examples, with the settings that were chosen by held-out ones. */
function fitMembers(
  { examples, seed }: TrainingSet,
  { table, weights, view, held }: MembersInput,
  stage: Stage,
): FittedMembers {
  const references = chooseReferences(examples, [...examples.keys()], seed)
  const options = {
    seed,
    penalty: held?.penalty ?? usualPenalty,
    trees: treesFor(held?.foldCount ?? 0),
    depth: held?.depth ?? shallowBoosting,
    rounds: held?.rounds ?? roundsMax,
  }
  const rows = { table, rowWeights: weights.ofRows, nearest: view.nearest(references, seed) }
  return { members: trainMembers(rows, options, stage), references }
}

function answerOf({ points }: TrainingSet, fitted: Fitted): AnswerParts {
  const { leftOut, coded, held, pool, members, corrections, uniformShare } = fitted
  const { recall, cells, sharpness, balance } = corrections
  return {
    labels: coded.table.matrix.labels,
    leftOut,
    coder: coderTables(points, coded),
    members,
    pool: poolToAnswer(pool, held),
    recall,
    cells,
    sharpness,
    balance,
    uniformShare,
  }
}

function train(whole: TrainingSet, progress: TrainingProgress): Uint8Array {
  assert(whole.examples.length > 0, 'a training has examples')
  const report = new ProgressReport(progress)
  const leftOut = chooseLeftOut(whole, report.stage(0, 0.01, 'Looking for points that name a time'))
  const set = setWithout(whole, leftOut)
  const uniformShare = uniformShareOf(set.examples.length, set.labelCount)
  const coded = codeExamples(set, report)
  const { table, atoms } = coded
  const weights = weighExamples(set, coded, report.stage(0.09, 0.12, 'Comparing with the stream'))
  const view = viewOf(set, coded)
  const held = holdOut(
    { table, view, weights: weights.ofExamples, seed: set.seed, nearestLimit: recallLimit },
    report.stage(0.12, 0.55, 'Comparing on held-out examples'),
  )
  const pool = fitPool(held, set.examples.length, uniformShare)
  const { members, references } = fitMembers(
    set,
    { table, weights, view, held },
    report.stage(0.55, 0.93, 'Fitting the model'),
  )
  const corrections = fitCorrections(
    { held, pool, atoms, weights: weights.ofExamples, nearestScale: members.nearest.scale, uniformShare },
    report.stage(0.93, 0.95, 'Remembering what was said of equal events'),
  )
  const answer = answerOf(set, { leftOut, coded, held, pool, members, corrections, uniformShare })
  const { rule, ruleChanges } = fitStreamRule(set, { answer, atoms, answers: corrections.answers })
  if (corrections.answers !== null)
    set.onHeldOut?.(heldOutAnswers(corrections.answers, { answer, labelCount: set.labelCount }))
  const usual = report.stage(0.95, 0.99, 'Measuring what is usual')
  const bytes = writePooled({
    ...answer,
    labelCount: set.labelCount,
    detector: fitDetector(set, { answer, references, held }, usual),
    unseen: fitUnseen(set, answer),
    rule,
    ruleChanges,
    examples: set.examples.length,
    references: Int32Array.from(references),
    ...heldOutFigures(corrections.answers, { answer, rule, labelCount: set.labelCount }),
    evidenceWeight: fitEvidenceWeight({
      answers: corrections.answers,
      rows: atoms,
      uniformShare,
      labelCount: set.labelCount,
    }),
  })
  report.stage(0, 1, 'Trained').at(1)
  return bytes
}

/** For two examples to hundreds of thousands. */
export const pooled: Classifier = {
  kind: pooledKind,
  train,
  load(bytes: Uint8Array, checked = false): Model {
    return new PooledModel(readPooled(bytes, checked))
  },
}
