/**
 * The first stage of a training: codes the examples and the stream for the members.
 *
 * Owns: the order of the steps, each of which has its own file, and the examples that pairs of points are chosen by.
 */
import type { Example, PointValues, TrainingSet } from '../classifier.js'
import type { CoderTables } from '../features/coder-tables.js'
import { buildMatrix } from '../features/example-matrix.js'
import { chooseFactors } from '../features/factor-choice.js'
import { FeatureTable } from '../features/feature-table.js'
import { FeatureEncoder } from '../features/features.js'
import { buildLearningTable, type LearningTable } from '../features/learning-table.js'
import { choosePairs, type AtomRows } from '../features/pair-choice.js'
import { profilePoints } from '../features/point-profile.js'
import { firstsOf } from '../features/shared-values.js'
import type { TextFactors } from '../features/text-factors.js'
import { countFeatures, limitFeatures, type Vocabulary } from '../features/vocabulary.js'
import { part, type ProgressReport, type Stage } from '../progress.js'
import { evenly } from '../trees/row-draw.js'

/** The most examples that pairs are chosen by. */
const pairExamplesMax = 2_000

export interface CodedExamples {
  /** Has the profiles of the points and the chosen pairs. */
  readonly encoder: FeatureEncoder
  readonly vocabulary: Vocabulary
  readonly factors: TextFactors
  readonly table: LearningTable
  /** The whole values of each example. */
  readonly atoms: AtomRows
}

/** The whole values of the examples by this encoder; `classOf` takes the index of an example. */
function atomsOf(
  examples: readonly Example[],
  encoder: FeatureEncoder,
  classOf: (example: number) => number,
  classCount: number,
): AtomRows {
  const pointCount = encoder.atoms.length
  const atoms = new Int32Array(examples.length * pointCount)
  const firsts = firstsOf(examples)
  examples.forEach(({ values }, i) => {
    const from = (firsts[i] as number) * pointCount
    if (firsts[i] !== i) return void atoms.copyWithin(i * pointCount, from, from + pointCount)
    encoder.encode(values)
    atoms.set(encoder.atoms, i * pointCount)
  })
  return { pointCount, atoms, classes: Int32Array.from(examples, (_, i) => classOf(i)), classCount }
}

/** An encoder for this training; `known` are the values of its examples and background. */
function chooseEncoder(set: TrainingSet, known: readonly PointValues[], stage: Stage): FeatureEncoder {
  const profiles = profilePoints(set.points.length, known, part(stage, 0, 0.5))
  const single = new FeatureEncoder(set.points, profiles, new Int32Array(0))
  const examples = evenly(set.examples, pairExamplesMax)
  const rows = atomsOf(examples, single, (i) => (examples[i] as Example).label, set.labelCount)
  return new FeatureEncoder(set.points, profiles, choosePairs(rows, part(stage, 0.5, 1)))
}

/** The features of the examples and of the stream, without the rarest where there are too many. */
function chooseVocabulary(set: TrainingSet, encoder: FeatureEncoder, report: ProgressReport): Vocabulary {
  const table = new FeatureTable()
  const matrix = buildMatrix(set.examples, encoder, table, report.stage(0.03, 0.05, 'Reading the examples'))
  const counting = report.stage(0.05, 0.06, 'Counting values')
  const counts = countFeatures(matrix, set.background, { encoder, table }, counting)
  return limitFeatures({ matrix, hashes: table.hashes(), counts }, report.stage(0.06, 0.07, 'Leaving out the rarest'))
}

/** The progress ends at 0.09. */
export function codeExamples(set: TrainingSet, report: ProgressReport): CodedExamples {
  const { examples, background } = set
  const labelled = examples.map(({ values }) => values)
  const telling = report.stage(0, 0.03, 'Looking for telling values')
  const encoder = chooseEncoder(set, [...labelled, ...background], telling)
  const vocabulary = chooseVocabulary(set, encoder, report)
  const factors = chooseFactors(labelled, background, encoder.profiles, report.stage(0.07, 0.08, 'Reading texts'))
  const coding = report.stage(0.08, 0.09, 'Coding the examples')
  const table = buildLearningTable({ examples, background, vocabulary, encoder, factors }, coding)
  const { rowOf, classes, labels } = table.matrix
  const atoms = atomsOf(examples, encoder, (i) => classes[rowOf[i] as number] as number, labels.length)
  return { encoder, vocabulary, factors, table, atoms }
}

/** The tables that code further events as these examples were coded. */
export function coderTables(points: readonly string[], coded: CodedExamples): CoderTables {
  const { encoder, vocabulary, factors, table } = coded
  return {
    points,
    profiles: encoder.profiles,
    pairs: encoder.pairs,
    features: vocabulary.hashes,
    counts: vocabulary.counts,
    columns: table.columns,
    columnOf: table.columnOf,
    columnCount: table.coder.codes.length,
    factors,
  }
}
