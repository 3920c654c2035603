/** A model's metrics in answers: the stored figures, with the present names of the labels. */
import { isoMicros } from '../../clock.js'
import { ScoredAnswers, type ScoredCounts } from '../../domain/learn/scored-answers.js'
import { agreementWithVotes, type AgreementWithVotes } from '../../domain/metrics/agreement-with-votes.js'
import { ConfusionMatrix } from '../../domain/metrics/confusion.js'
import type { PrequentialReport } from '../../domain/metrics/prequential.js'
import { overallOf, qualityOf, type QualityReport } from '../../domain/metrics/quality.js'
import type { ModelMetrics } from '../../api/metrics-service.js'
import type { RecomputeRow } from './metrics-log.js'
import { isPending } from './recomputations.js'
import type { ModelFigures, PartFigures } from './metrics-query.js'

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
  const heldOut = figures === null ? null : heldOutOf(figures, labels.length)
  const first =
    figures === null
      ? new ScoredAnswers(labels.length)
      : ScoredAnswers.of(labels.length, figures.firstAnswers.newBuckets)
  const known = figures?.known
  const buckets = job.hasBuckets ? known?.subjects : known?.subjects.map(() => 0)
  return {
    modelId,
    ...overallOf(first, heldOut, labels),
    quality:
      figures === null || heldOut === null
        ? null
        : { heldOut: qualityOf(heldOut, labels), sinceTraining: sinceTraining(figures, labels) },
    agreementWithVotes:
      figures === null ? null : agreementOf([figures.newData, figures.knowledgeBase], 'events', labels.length),
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
    bucketsInKb: buckets === undefined ? 0 : total(buckets),
    eventsInKb: known === undefined ? 0 : total(known.events),
  }
}

/** A model in internal metrics: its metrics by part, its scores, its training, and the use of each decision point. */
export function modelReportOf(
  modelId: string,
  job: ShownJob,
  row: RecomputeRow | null,
  pointName: (name: string) => string,
): object {
  const metrics = modelMetricsOf(modelId, job, row)
  const figures = row?.figures ?? null
  if (figures === null) return { evaluation: metrics, scores: null, decisionPoints: [] }
  const { newData, knowledgeBase, model, points } = figures
  const { summary } = model
  const labelCount = job.labels.length
  return {
    evaluation: {
      ...metrics,
      agreementWithVotes: {
        ...metrics.agreementWithVotes,
        newData: { ...agreementOf([newData], 'events', labelCount), logLoss: newData.logLoss },
        knowledgeBase: { ...agreementOf([knowledgeBase], 'events', labelCount), logLoss: knowledgeBase.logLoss },
        bySubject: {
          newData: agreementOf([newData], 'subjects', labelCount),
          knowledgeBase: agreementOf([knowledgeBase], 'subjects', labelCount),
        },
      },
      trainedTimestamp: isoMicros(model.trainedMicros),
      algorithm: summary.kind,
      trainingExamples: summary.examples,
      features: summary.features,
      heldOutLogLoss: summary.logLoss,
    },
    scores: metrics.quality,
    decisionPoints: points.map((point) => ({ ...point, name: pointName(point.name) })),
  }
}

/** The answers to events that were held out from the training. */
function heldOutOf({ model }: ModelFigures, labelCount: number): ScoredAnswers {
  const { scored } = model.summary
  return scored === null ? new ScoredAnswers(labelCount) : ScoredAnswers.of(labelCount, scored)
}

function sinceTraining({ firstAnswers }: ModelFigures, labels: readonly string[]): PrequentialReport {
  const of = (counts: ScoredCounts): QualityReport => qualityOf(ScoredAnswers.of(labels.length, counts), labels)
  return { newBuckets: of(firstAnswers.newBuckets), knownBuckets: of(firstAnswers.knownBuckets) }
}

function agreementOf(
  parts: readonly PartFigures[],
  unit: 'events' | 'subjects',
  labelCount: number,
): AgreementWithVotes {
  const matrix = new ConfusionMatrix(labelCount)
  for (const part of parts) matrix.addAll(ConfusionMatrix.of(part[unit]))
  return agreementWithVotes(matrix)
}

function total(counts: readonly number[]): number {
  return counts.reduce((all, one) => all + one, 0)
}
