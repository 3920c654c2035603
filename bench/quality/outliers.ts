/**
 * One outlier test: a class is kept out of the labels and of the known part; its events are to be told from the
 * known.
 */
import type { PointValues, TrainingSet } from '../../engine/domain/learn/classifier.js'
import { freshAnchor, moveAnchor, outlierRateUsual } from '../../engine/domain/learn/outlier/outlier-anchor.js'
import { defaultClassifier } from '../../engine/domain/learn/registry.js'
import { backgroundOf, examplesOf } from './classify.js'
import type { Dataset } from './dataset.js'
import { rankingFigures, type RankingFigures } from './figures.js'

export interface OutlierRun extends RankingFigures {
  /** Share of known events flagged, of the kept out class flagged, by the model's own threshold. */
  readonly falseAlarms: number
  readonly found: number
  /** Share of known events flagged by the anchored threshold, as a job has it, where they come alone. */
  readonly anchoredAlarms: number
  /** The same of known events and of the kept out class where both come as they came, up to a quarter of the stream unknown. */
  readonly mixedAlarms: number
  readonly mixedFound: number
  /** A decision with its outlier check, microseconds. */
  readonly checkUs: number
}

/** The events in the order of time, each held against the threshold that those before it have led to. */
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

/** @throws Error where the set has no such test. */
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
