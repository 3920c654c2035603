/** Long queries as plain data: what a reader thread gets, and what it returns. */
import type { JobSettings, Label } from '../../domain/job/job.js'
import type { Forecast, QueuePage, QueueQuery } from '../../api/autonomy-service.js'
import type { AuditWitness } from '../audit/audit-proof.js'
import type { AuditFieldTerms, AuditPage, AuditQuery, AuditProof } from '../../api/audit-service.js'
import type { DisagreementPage, DisagreementQuery, MixedPage, MixedQuery } from '../../api/consensus-service.js'
import type { AnalystsView, SecondLook } from '../../api/next-service.js'
import type { NextAnswer, NextTask, SecondLookTask } from '../next/run-next.js'
import type { ForecastTerms } from '../autonomy/forecast.js'
import type { MetricsResult, MetricsTask } from '../report/metrics-query.js'
import type { QueryResult, QueryTask } from '../query/query-protocol.js'
import type { ExplainResult, ExplainTask } from '../explain/explain-protocol.js'
import type { HistoryCheck } from '../history/run-check.js'
import type { ListTask } from '../lists/list-protocol.js'
import type { SampleStatistics } from '../../api/live/sample-service.js'
import type { RefusedTask, TaskFrame } from './task-frame.js'
import type { ExportResult, ExportTask } from '../read/run-export.js'

/** For each kind of query what the thread is given, and its answer. */
export interface ReaderQueries {
  readonly auditEntries: { readonly given: { readonly query: AuditQuery }; readonly answer: AuditPage }
  readonly auditTerms: { readonly given: object; readonly answer: readonly AuditFieldTerms[] }
  readonly auditProof: { readonly given: { readonly witnesses: readonly AuditWitness[] }; readonly answer: AuditProof }
  readonly disagreements: {
    readonly given: { readonly job: JobSettings; readonly query: DisagreementQuery }
    readonly answer: DisagreementPage
  }
  readonly mixedBuckets: {
    readonly given: { readonly job: JobSettings; readonly query: MixedQuery }
    readonly answer: MixedPage
  }
  /** Null: the cursor is none. */
  readonly queue: {
    readonly given: { readonly job: JobSettings; readonly query: QueueQuery }
    readonly answer: QueuePage | null
  }
  readonly forecast: {
    readonly given: { readonly job: JobSettings; readonly terms: ForecastTerms }
    readonly answer: Forecast
  }
  /** Answered by a thread of its own (lists/list-thread.ts). */
  readonly list: { readonly given: { readonly task: ListTask }; readonly answer: QueryResult }
  readonly next: { readonly given: { readonly task: NextTask }; readonly answer: NextAnswer }
  readonly secondLook: { readonly given: { readonly task: SecondLookTask }; readonly answer: SecondLook }
  readonly analysts: { readonly given: { readonly job: JobSettings }; readonly answer: AnalystsView }
  /** Those of the names that nobody has voted by. */
  readonly unknownAnalysts: {
    readonly given: { readonly job: JobSettings; readonly names: readonly string[] }
    readonly answer: readonly string[]
  }
  readonly sample: {
    readonly given: {
      readonly task: TaskFrame & { readonly bytes: Uint8Array; readonly points: readonly string[] | null }
    }
    readonly answer: { readonly statistics: SampleStatistics } | RefusedTask
  }
  /** A request with historic events, checked before any of it is stored. */
  readonly historicRequest: {
    readonly given: {
      readonly task: TaskFrame & {
        readonly bytes: Uint8Array
        readonly job: { readonly id: number; readonly labels: readonly Label[] }
      }
    }
    readonly answer: { readonly checked: HistoryCheck } | RefusedTask
  }
  readonly storedEvents: { readonly given: { readonly task: QueryTask }; readonly answer: QueryResult }
  readonly exportedEvent: { readonly given: { readonly task: ExportTask }; readonly answer: ExportResult }
  readonly explanation: { readonly given: { readonly task: ExplainTask }; readonly answer: ExplainResult }
  readonly metrics: { readonly given: { readonly task: MetricsTask }; readonly answer: MetricsResult }
}

export type ReaderQueryKind = keyof ReaderQueries

/** A query on its way to a thread. */
export type ReaderQuery = {
  readonly [K in ReaderQueryKind]: { readonly ask: K; readonly dataDir: string } & ReaderQueries[K]['given']
}[ReaderQueryKind]
