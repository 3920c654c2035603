/** A plain random forest on the votes as they are: an example a vote, no weights, no calibration. */
import type { PointValues, TrainingSet } from '../../engine/domain/learn/classifier.js'
import { makeCoder } from '../../engine/domain/learn/features/coder-tables.js'
import { codeExamples, coderTables } from '../../engine/domain/learn/pooled/coded-examples.js'
import { ProgressReport } from '../../engine/domain/learn/progress.js'
import { growForest, predictForest } from '../../engine/domain/learn/trees/forest.js'

const trees = 300

/** Trains a forest; the result answers with the probabilities of all labels, in an array that it uses again. */
export function forestOf(set: TrainingSet): (values: PointValues) => Float64Array {
  const report = new ProgressReport(() => true)
  const coded = codeExamples(set, report)
  const { table } = coded
  const { matrix } = table
  const weights = new Float64Array(matrix.rowCount)
  for (const row of matrix.rowOf) weights[row] = (weights[row] as number) + 1
  const options = { trees, bootstrap: true, breadth: 1, rowsMax: 1e9, seed: set.seed }
  const rows = { rows: Int32Array.from(weights.keys()), weights }
  const forest = growForest(table.trees, rows, options, report.stage(0.1, 1, 'forest'))
  const coder = makeCoder(coderTables(set.points, coded))
  const classes = new Float64Array(matrix.labels.length)
  const chances = new Float64Array(set.labelCount)
  return (values) => {
    coder.code(values)
    predictForest(forest, coder.codes, classes)
    chances.fill(0)
    matrix.labels.forEach((label, k) => {
      chances[label] = classes[k] as number
    })
    return chances
  }
}
