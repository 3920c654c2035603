/** What a model of root cause analysis reads of stored alerts, outside the actor: for figures about models. */
import { CauseRows, CauseTableReader, type RangeReads } from '../../actor/cause/cause-table.js'
import type { CauseModel } from '../../domain/cause/cause-model.js'
import type { AlertRow } from '../../domain/cause/cause-rows.js'
import { ContextCache } from '../../domain/cause/context-cache.js'
import { structuralAnswer } from '../../domain/cause/context.js'
import { LinkBelief } from '../../domain/cause/feedback-weights.js'
import { HawkesProcess } from '../../domain/cause/hawkes.js'
import { causeSettingsOf } from '../../domain/cause/settings.js'
import type { PointValues } from '../../domain/event/point-value.js'
import type { ClusteredJob } from '../read/cluster-reader.js'

/** Answers with the values of the alert that came in at `micros`; null where it was never clustered. */
export function causeValues(
  reads: RangeReads,
  job: ClusteredJob,
  model: CauseModel,
): (micros: number, own: PointValues) => PointValues | null {
  const { causeWindowMs } = causeSettingsOf(job)
  const hawkes = new HawkesProcess(new CauseTableReader(reads, job.id), causeWindowMs)
  const rows = new CauseRows(reads, job.id)
  const linkBelief = new LinkBelief(model.feedbackWeights)
  const windowMs = causeWindowMs || model.feedbackWeights.windowMs || hawkes.windowMs
  const contexts = new ContextCache(hawkes)
  return (micros, own) => {
    const alert = rows.get('alerts', micros) as AlertRow | undefined
    return alert === undefined ? null : contexts.valuesOf(alert, structuralAnswer(alert, linkBelief, windowMs), own)
  }
}
