/** A model's metrics in answers: the stored figures, with the present names of the labels. */
import { isoMicros } from '../../clock.js'
import { ConfusionMatrix, type Quality } from '../../domain/metrics/confusion.js'
import type { ModelMetrics } from '../../api/metrics-service.js'
import type { RecomputeRow } from './metrics-log.js'
import { isPending } from './recomputations.js'
import type { PartFigures } from './metrics-query.js'

/** What an answer needs of the job. */
export interface ShownJob {
  /** The names of the labels. */
  readonly labels: readonly string[]
  /** False where events have no buckets: then none are counted. */
  readonly hasBuckets: boolean
}

export function modelMetricsOf(modelId: string, job: ShownJob, row: RecomputeRow | null): ModelMetrics {
  const { labels } = job
  const figures = row?.figures ?? null
  const quality = figures === null ? null : qualityOf([figures.newData, figures.knowledgeBase], 'events', labels)
  const known = figures?.known
  const buckets = job.hasBuckets ? known?.subjects : known?.subjects.map(() => 0)
  return {
    modelId,
    confusionMatrix: quality?.confusionMatrix ?? null,
    overallAccuracy: quality?.overallAccuracy ?? null,
    overallF1Score: quality?.overallF1Score ?? null,
    overallRecall: quality?.overallRecall ?? null,
    overallPrecision: quality?.overallPrecision ?? null,
    metricsPerDecision: quality?.metricsPerDecision ?? new Map(),
    isRecomputingMetrics: row !== null && isPending(row),
    lastRecomputedTimestamp: row?.recomputedMicros == null ? null : isoMicros(row.recomputedMicros),
    recomputeStatus: row?.state ?? null,
    recomputeError: row?.error ?? null,
    kbCountPerDecision: new Map(
      known === undefined
        ? []
        : labels.map((name, label) => {
            return [name, { alertsCount: known.events[label] ?? 0, bucketsCount: buckets?.[label] ?? 0 }]
          }),
    ),
    bucketsInKb: buckets === undefined ? null : total(buckets),
    eventsInKb: known === undefined ? null : total(known.events),
  }
}

/** A model in internal metrics: its metrics by part, its scores, its training, and the use of each decision point. */
export function modelReportOf(
  modelId: string,
  job: ShownJob,
  row: RecomputeRow | null,
  pointName: (name: string) => string,
): object {
  const { labels } = job
  const metrics = modelMetricsOf(modelId, job, row)
  const figures = row?.figures ?? null
  if (figures === null) return { evaluation: metrics, scores: null, decisionPoints: [] }
  const { newData, knowledgeBase, model, points } = figures
  const { summary } = model
  return {
    evaluation: {
      ...metrics,
      newData: { ...qualityOf([newData], 'events', labels), logLoss: newData.logLoss },
      knowledgeBase: { ...qualityOf([knowledgeBase], 'events', labels), logLoss: knowledgeBase.logLoss },
      bySubject: {
        newData: qualityOf([newData], 'subjects', labels),
        knowledgeBase: qualityOf([knowledgeBase], 'subjects', labels),
      },
      trainedTimestamp: isoMicros(model.trainedMicros),
      algorithm: summary.kind,
      trainingExamples: summary.examples,
      features: summary.features,
      heldOut: { accuracy: summary.accuracy, logLoss: summary.logLoss },
    },
    scores: { newData: newData.confidence, knowledgeBase: knowledgeBase.confidence },
    decisionPoints: points.map((point) => ({ ...point, name: pointName(point.name) })),
  }
}

function qualityOf(parts: readonly PartFigures[], unit: 'events' | 'subjects', labels: readonly string[]): Quality {
  const matrix = new ConfusionMatrix(labels.length)
  for (const part of parts) matrix.addAll(ConfusionMatrix.of(part[unit]))
  return matrix.quality(labels)
}

function total(counts: readonly number[]): number {
  return counts.reduce((all, one) => all + one, 0)
}
