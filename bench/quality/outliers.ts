/**
 * One outlier test: the labels and the known part leave out one class; its events are to be told from the known ones.
 */
import type { PointValues, TrainingSet } from '../../engine/domain/learn/classifier.js'
import { freshAnchor, moveAnchor, outlierRateUsual } from '../../engine/domain/learn/outlier/outlier-anchor.js'
import { defaultClassifier } from '../../engine/domain/learn/registry.js'
import { backgroundOf, examplesOf } from './classify.js'
import type { Dataset } from './dataset.js'
import { rankingFigures, type RankingFigures } from './figures.js'

export interface OutlierRun extends RankingFigures {
  /** Share of known events, and of events of the class left out, that the model's own threshold flags. */
  readonly falseAlarms: number
  readonly found: number
  /** Share of known events that the anchored threshold of a job flags, in a stream of known events alone. */
  readonly anchoredAlarms: number
  /** The same of known events and of the class left out, in a mixed stream of which at most a quarter is unknown. */
  readonly mixedAlarms: number
  readonly mixedFound: number
  /** A decision with its outlier check, microseconds. */
  readonly checkUs: number
}

/** Goes through the events in time order. Each is compared with the threshold that the earlier ones led to. */
function anchored(
  stream: readonly { line: number; score: number; known: boolean }[],
  modelThreshold: number,
): { alarms: number; found: number } {
  const anchor = freshAnchor(modelThreshold, outlierRateUsual)
  let alarms = 0
  let found = 0
  for (const { score, known } of [...stream].sort((a, b) => a.line - b.line)) {
    if (score >= anchor.threshold) {
      if (known) alarms++
      else found++
    }
    moveAnchor(anchor, score, modelThreshold)
  }
  const count = stream.filter(({ known }) => known).length
  return { alarms: alarms / count, found: found / Math.max(1, stream.length - count) }
}

export interface OutlierTask {
  readonly heldOut: string
  readonly seed: number
  readonly labels: number
  readonly single: boolean
}

/** @throws Error if the set has no such test. */
export function findOutliers(dataset: Dataset, task: OutlierTask): OutlierRun {
  const lines = dataset.protocol.outlierLines(task.heldOut, task.seed)
  if (lines === undefined) throw new Error(`${dataset.name} has no test without ${task.heldOut}`)
  const set: TrainingSet = {
    points: dataset.points,
    labelCount: dataset.labelNames.length,
    examples: examplesOf(dataset, lines.train.slice(0, task.labels), task.single),
    background: backgroundOf(dataset, (line) => !dataset.isOf(line, task.heldOut)),
    seed: task.seed + 1,
  }
  const model = defaultClassifier.load(defaultClassifier.train(set, () => true))
  const { outlierThreshold } = model.summary
  const startedAt = performance.now()
  const scoreOf = (line: number): number => model.outlierScore(dataset.values[line] as PointValues)
  const known = lines.inliers.map(scoreOf)
  const outliers = lines.outliers.map(scoreOf)
  const checkUs = ((performance.now() - startedAt) * 1000) / (known.length + outliers.length)
  const share = (scores: readonly number[]): number =>
    scores.filter((score) => score >= outlierThreshold).length / scores.length
  const stream = lines.inliers.map((line, i) => ({ line, score: known[i] as number, known: true }))
  const others = lines.outliers.map((line, i) => ({ line, score: outliers[i] as number, known: false }))
  const mixed = anchored([...stream, ...others], outlierThreshold)
  return {
    ...rankingFigures(known, outliers),
    falseAlarms: share(known),
    found: share(outliers),
    anchoredAlarms: anchored(stream, outlierThreshold).alarms,
    mixedAlarms: mixed.alarms,
    mixedFound: mixed.found,
    checkUs,
  }
}
