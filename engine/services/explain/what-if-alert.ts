/**
 * What an alert of root cause analysis would be decided as now: it is put into its cluster in memory only.
 *
 * 1. The rows of clustering are read from the snapshot. Nothing is written: the table ignores it, and the clustering is
 *    dropped.
 */
import { Clustering } from '../../domain/cause/clustering.js'
import type { AlertRow } from '../../domain/cause/cause-rows.js'
import {
  contextValues,
  structuralAnswer,
  untrainedDecision,
  type StructuralAnswer,
} from '../../domain/cause/context.js'
import { LinkBelief } from '../../domain/cause/feedback-weights.js'
import { AlertNormalizer } from '../../domain/cause/normalized-alert.js'
import { causeSettingsOf } from '../../domain/cause/settings.js'
import { noDecision, type Decision } from '../../domain/decide/decision.js'
import type { PointValues } from '../../domain/event/point-value.js'
import { decidesUntrained } from '../../domain/job/job.js'
import { labelMeanings } from '../../domain/job/label-roles.js'
import { CauseTableReader } from '../../actor/cause/cause-table.js'
import type { JobModel } from '../../actor/job-model.js'
import { typesOf } from '../../domain/job/job-points.js'
import type { JobAt } from './job-at.js'

/** A decided alert, and what the model read. */
export interface DecidedAlert {
  readonly decision: Decision
  readonly values: PointValues
}

/** The alert, as if it arrived at `micros`. */
export function decideAlert(
  { job, environment }: JobAt,
  model: JobModel,
  rawBody: Readonly<Record<string, unknown>>,
  micros: number,
): DecidedAlert {
  const settings = causeSettingsOf(job)
  const clustering = new Clustering(new CauseTableReader(environment, job.id), settings)
  clustering.useFeedback(model.feedbackWeights)
  const normalized = new AlertNormalizer(settings, job.decisionPoints, typesOf(job)).normalize(
    rawBody,
    undefined,
    micros,
  )
  clustering.add(normalized, micros, micros)
  const alert = clustering.alert(micros) as AlertRow
  const structure = structuralAnswer(alert, new LinkBelief(model.feedbackWeights), clustering.windowMs)
  const values = contextValues(alert, structure, clustering.hawkes, normalized.values)
  const decide = (): Decision => {
    if (model.isTrained) return model.decide(() => values, null, { ownSubject: null, again: true })
    return decidesUntrained(job.advancedSettings) ? untrained(structure) : noDecision
  }
  const untrained = (answer: StructuralAnswer): Decision => untrainedDecision(answer, labelMeanings(job.labels).byRole)
  return { decision: decide(), values }
}
