/**
 * The entry of a reader thread: answers long queries from a snapshot, away from the main thread (D6).
 *
 * 1. Between queries nothing of the store is mapped, so that the shards can give their maps back (residency.ts).
 */
import { assert } from '../../assert.js'
import { limits } from '../../limits.js'
import { reportMemory } from '../../runtime/threads/memory-report.js'
import { analystFigures } from '../analysts/analyst-figures.js'
import { unknownAnalysts } from '../analysts/unknown-analysts.js'
import { forecastOf } from '../autonomy/forecast.js'
import { queueOf } from '../autonomy/people-queue.js'
import { proveChain } from '../audit/audit-proof.js'
import { queryAudit } from '../audit/audit-query.js'
import type { AuditFieldTerms } from '../../api/audit-service.js'
import { auditTables } from '../audit/audit-tables.js'
import { listedFields, readFieldTerms } from '../audit/field-terms.js'
import { openCatalog, openShard } from '../../store/directory/environments.js'
import type { Environment } from '../../store/environment.js'
import { runHistoryCheck } from '../history/run-check.js'
import { disagreementsOf } from '../consensus/disagreements.js'
import { mixedBucketsOf } from '../consensus/mixed-buckets.js'
import { runNext, runSecondLook } from '../next/run-next.js'
import { runMetricsTask } from '../report/run-metrics-query.js'
import { runQuery } from '../query/run-query.js'
import { runExplain } from '../explain/run-explain.js'
import { runExport } from '../read/run-export.js'
import type { ReaderQuery } from './reader-protocol.js'
import { runSample } from '../sample/run-sample.js'
import { withStores } from './reader-stores.js'
import { refusedAsData } from './task-frame.js'

const nowMs = (): number => performance.now()

/** Answers one query. */
export default async function answer(query: ReaderQuery): Promise<unknown> {
  try {
    return await answered(query)
  } finally {
    reportMemory()
  }
}

async function answered(query: ReaderQuery): Promise<unknown> {
  assert(query.ask !== 'list', 'lists have a thread of their own')
  if (query.ask === 'sample') {
    const { bytes, points } = query.task
    return refusedAsData(() => ({ statistics: runSample(bytes, points) }))
  }
  if (query.ask === 'historicRequest') {
    const { bytes, job, serviceNames } = query.task
    return refusedAsData(() => ({ checked: runHistoryCheck(bytes, serviceNames, job) }))
  }
  if (query.ask === 'storedEvents') return runQuery(query.dataDir, query.task)
  if (query.ask === 'exportedEvent') return runExport(query.dataDir, query.task)
  if (query.ask === 'explanation') return runExplain(query.dataDir, query.task)
  if (query.ask === 'metrics') return runMetricsTask(query.dataDir, query.task)
  if (query.ask === 'next' || query.ask === 'secondLook') return aboutNext(query)
  if (query.ask === 'queue' || query.ask === 'forecast') return aboutPeople(query)
  const environment =
    'job' in query ? openShard(query.dataDir, query.job.shard) : openCatalog(query.dataDir, auditTables)
  try {
    environment.refresh()
    return answerFrom(environment, query)
  } finally {
    await environment.close()
  }
}

/** Asked again and again, so the shard stays open. */
function aboutPeople(query: Extract<ReaderQuery, { ask: 'queue' | 'forecast' }>): unknown {
  return withStores(query.dataDir, (stores) => {
    const { environment } = stores(query.job.shard)
    environment.refresh()
    return query.ask === 'queue'
      ? queueOf(environment, query.job, query.query, nowMs)
      : forecastOf(environment, query.job, query.terms, nowMs)
  })
}

function aboutNext(query: Extract<ReaderQuery, { ask: 'next' | 'secondLook' }>): unknown {
  const { dataDir } = query
  return withStores(dataDir, (stores) => {
    const store = stores(query.task.job.shard)
    store.environment.refresh()
    return query.ask === 'next' ? runNext(dataDir, store, query.task, nowMs) : runSecondLook(dataDir, store, query.task)
  })
}

function answerFrom(
  environment: Environment,
  query: Exclude<
    ReaderQuery,
    {
      ask:
        | 'sample'
        | 'historicRequest'
        | 'list'
        | 'storedEvents'
        | 'exportedEvent'
        | 'explanation'
        | 'metrics'
        | 'queue'
        | 'forecast'
        | 'next'
        | 'secondLook'
    }
  >,
): unknown {
  switch (query.ask) {
    case 'auditEntries':
      return queryAudit(environment, query.query, nowMs)
    case 'auditTerms':
      return termsOf(environment)
    case 'auditProof':
      return proveChain(environment, query.witnesses)
    case 'disagreements':
      return disagreementsOf(environment, query.job, query.query, nowMs)
    case 'analysts':
      return analystFigures(environment, query.job)
    case 'unknownAnalysts':
      return unknownAnalysts(environment, query.job.id, query.names)
    case 'mixedBuckets':
      return mixedBucketsOf(environment, query.job, query.query, nowMs)
  }
}

function termsOf(environment: Environment): AuditFieldTerms[] {
  return listedFields.map((field) => {
    const terms = readFieldTerms(environment, field)
    return { field, terms, complete: terms.length < limits.auditTermsMax }
  })
}
