/**
 * A metrics query on a reader thread: from the query to its figures, over read-only snapshots (D6).
 *
 * Owns: the ballots that the thread keeps from one query to the next. Leaves out: the figures, access rights
 * (metrics-reports.ts), which shards are open (reader-stores.ts).
 */
import { timeKey } from '../../store/tables.js'
import { withStores } from '../readers/reader-stores.js'
import { clockOf, refusedAsData } from '../readers/task-frame.js'
import { runInternal } from './internal-metrics.js'
import { BallotCache } from './job-ballots.js'
import { runJobMetrics } from './job-metrics.js'
import type { MetricsContext } from './job-snapshot.js'
import { jobStorageBytes } from './job-storage.js'
import type {
  MetricsAnswers,
  MetricsQuery,
  MetricsResult,
  MetricsTask,
  PlatformJob,
  StoredOfJob,
} from './metrics-query.js'
import { runModelFigures } from './model-scores.js'

const ballotCache = new BallotCache()

/** Opens the stores and runs one query. A refusal is returned as data. */
export function runMetricsTask(dataDir: string, task: MetricsTask): MetricsResult {
  const { serviceNames, nowMicros, query } = task
  return withStores(dataDir, (stores) =>
    refusedAsData(() => {
      return {
        answer: runMetricsQuery({ dataDir, serviceNames, nowMicros, stores, clock: clockOf(task), ballotCache }, query),
      }
    }),
  )
}

/** The same on open stores. @throws Refusal. */
export function runMetricsQuery(context: MetricsContext, query: MetricsQuery): MetricsAnswers[keyof MetricsAnswers] {
  switch (query.kind) {
    case 'job':
      return runJobMetrics(context, query.job, query.scope, query.minutesPerAlert)
    case 'model':
      return runModelFigures(context, query.job, query.version)
    case 'internal':
      return runInternal(context, query.jobs, query.task)
    case 'platform':
      return query.jobs.map((job) => storedOf(context, job))
  }
}

/** Events in each interval are counted by key. */
function storedOf({ stores }: MetricsContext, { jobId, shard, intervals }: PlatformJob): StoredOfJob {
  const { environment } = stores(shard)
  return {
    counts: intervals.map(({ from, to }) =>
      environment.count('events', { from: timeKey(jobId, from), to: timeKey(jobId, to) }),
    ),
    bytes: jobStorageBytes(environment, jobId),
  }
}
