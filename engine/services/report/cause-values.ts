/** What a model of root cause analysis reads of stored alerts, outside the actor: for figures about models. */
import type { AlertRow } from '../../domain/cause/cause-rows.js'
import type { CauseModel } from '../../domain/cause/cause-model.js'
import { structuralAnswer } from '../../domain/cause/context.js'
import { KnownContexts } from '../../domain/cause/known-contexts.js'
import { LearnedBelief } from '../../domain/cause/lessons.js'
import { Precedence } from '../../domain/cause/precedence.js'
import { causeSettingsOf } from '../../domain/cause/settings.js'
import type { PointValues } from '../../domain/event/point-value.js'
import { CauseRows, CauseTableReader, type RangeReads } from '../../actor/cause/cause-table.js'
import type { ClusteredJob } from '../read/cluster-reader.js'

/** Answers with the values of the alert that came in at `micros`; null where it was never clustered. */
export function causeValues(
  reads: RangeReads,
  job: ClusteredJob,
  model: CauseModel,
): (micros: number, snapshot: PointValues) => PointValues | null {
  const { causeWindowMs } = causeSettingsOf(job)
  const precedence = new Precedence(new CauseTableReader(reads, job.id), causeWindowMs)
  const rows = new CauseRows(reads, job.id)
  const learned = new LearnedBelief(model.lessons)
  const windowMs = causeWindowMs || model.lessons.windowMs || precedence.windowMs
  const contexts = new KnownContexts(precedence)
  return (micros, snapshot) => {
    const alert = rows.get('alerts', micros) as AlertRow | undefined
    return alert === undefined ? null : contexts.valuesOf(alert, structuralAnswer(alert, learned, windowMs), snapshot)
  }
}
