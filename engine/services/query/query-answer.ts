/**
 * A question about stored events on a reader thread: from the question to the text of its answer, over read-only snapshots.
 *
 * Owns: which question is answered by what. Leaves out: the questions (query-runs.ts, field-survey.ts), who may ask
 * (queries.ts), the shards that are open (reader-stores.ts), the thread (reader-thread.ts).
 */
import { surveyFields, surveyTypes } from './field-survey.js'
import { runEventsQuery, runSearch, type QueryGround } from './query-runs.js'
import type { QueryResult, QueryTask } from './query-task.js'
import { withStores } from '../readers/reader-stores.js'
import { clockOf, refusedAsData } from '../readers/task-frame.js'

/** Answers one question. */
export function answerQuery(dataDir: string, task: QueryTask): QueryResult {
  return withStores(dataDir, (stores) =>
    refusedAsData(() => {
      return { json: Buffer.from(answerFrom({ task, stores, clock: clockOf(task) }), 'utf8') }
    }),
  )
}

/** The same, from stores that are open. @throws Refusal. */
export function answerFrom(ground: QueryGround): string {
  const { query } = ground.task
  switch (query.kind) {
    case 'events':
      return runEventsQuery(ground, query.query)
    case 'search':
      return runSearch(ground, query.query)
    case 'fields':
      return JSON.stringify(surveyFields(ground))
    case 'fieldTypes':
      return JSON.stringify(surveyTypes(ground))
  }
}
