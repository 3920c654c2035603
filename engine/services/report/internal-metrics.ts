/**
 * Internal metrics: figures with which a team follows quality over time, job by job and interval by interval.
 *
 * Owns: one walk through the events of each job (event-walk.ts) and one through its votes (vote-walk.ts). Leaves out:
 * models (model-scores.ts), settings (internal-document.ts).
 *
 * 1. A walk that reaches its time limit stops and gives a warning: its figures cover only the newest events.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { FeedbackTally } from '../../domain/metrics/feedback-tally.js'
import { intervalCount, Intervals, type Period } from '../../domain/metrics/period.js'
import { Pseudonyms } from '../../domain/metrics/pseudonyms.js'
import { snapshotOf, nowOf, startOf, type MetricsContext } from './job-snapshot.js'
import { EventWalk } from './event-walk.js'
import { countVotes } from './vote-walk.js'
import type { MetricsJob, InternalResult, InternalTask } from './metrics-query.js'

const INTERVAL_PLACE = ['query', 'aggregation_time_interval']

/** @throws Refusal invalid_body, query_too_large. */
export function runInternal(context: MetricsContext, jobs: readonly MetricsJob[], task: InternalTask): InternalResult {
  const names = task.namesKey === null ? null : new Pseudonyms('user', task.namesKey)
  const points = task.pointsKey === null ? null : new Pseudonyms('decision_point', task.pointsKey)
  const nameOf = (analyst: string): string => names?.of(analyst) ?? analyst
  const warnings: string[] = []
  const labels = [...new Set(jobs.flatMap((job) => job.labels.map(({ name }) => name)))]
  const overall = new FeedbackTally(labels)
  const documents = new Map<number, { jobMetrics: unknown; feedbackMetrics: unknown }>()
  for (const job of jobs) {
    const snapshot = snapshotOf(context, job)
    const period = { from: startOf(task.scope, snapshot).shown, to: task.scope.toMicros ?? nowOf(context, snapshot) }
    const intervals = new Intervals(period, bounded(period, task))
    const walk = new EventWalk(context, snapshot, task, intervals)
    if (walk.run())
      warnings.push(
        `job ${job.id}: the time was over before all events were counted; the figures cover only the newest events`,
      )
    const votes = countVotes({
      context,
      snapshot,
      filters: task.scope.filters,
      period,
      intervals,
      nameOf,
      overall,
      overallLabels: labels,
    })
    documents.set(job.id, {
      jobMetrics: walk.document(task.minutesPerAlert, (name) => points?.of(name) ?? name),
      feedbackMetrics: task.interval === null ? votes.whole : { ...votes.whole, intervals: votes.intervals },
    })
  }
  return { warnings, jobs: documents, overallFeedback: overall.figures() }
}

function bounded(period: Period, { interval }: InternalTask): InternalTask['interval'] {
  if (interval === null || intervalCount(period, interval) <= limits.metricsIntervalsMax) return interval
  const most = limits.metricsIntervalsMax
  const msg = `the period has more than ${most} intervals; choose longer intervals or a shorter period`
  throw new Refusal('invalid_body', msg, { issues: [{ loc: INTERVAL_PLACE, msg, type: 'value_error' }] })
}
