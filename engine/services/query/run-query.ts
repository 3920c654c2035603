/**
 * One query about stored events on a reader thread: from the query to the text of its answer, over read-only snapshots.
 *
 * Owns: which function answers which query. Leaves out: who may ask (query-service.ts), the open shards
 * (reader-stores.ts), the thread (reader-thread.ts).
 */
import { withStores } from '../readers/reader-stores.js'
import { clockOf, refusedAsData } from '../readers/task-frame.js'
import type { QueryContext } from './event-scan.js'
import { surveyFields, surveyTypes } from './field-survey.js'
import type { QueryResult, QueryTask } from './query-protocol.js'
import { runEventsQuery } from './run-events-query.js'
import { runSearch } from './run-search.js'

/** Runs a query over the shards of a data directory. A refusal comes back as data. */
export function runQuery(dataDir: string, task: QueryTask): QueryResult {
  return withStores(dataDir, (stores) =>
    refusedAsData(() => {
      return { json: Buffer.from(queryText({ task, stores, clock: clockOf(task) }), 'utf8') }
    }),
  )
}

/** The answer as JSON text, from stores that are open. @throws Refusal. */
export function queryText(context: QueryContext): string {
  const { query } = context.task
  switch (query.kind) {
    case 'events':
      return runEventsQuery(context, query.query)
    case 'search':
      return runSearch(context, query.query)
    case 'fields':
      return JSON.stringify(surveyFields(context))
    case 'fieldTypes':
      return JSON.stringify(surveyTypes(context))
  }
}
