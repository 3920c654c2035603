/**
 * A question about stored events on a reader thread: from the question to the text of its answer, over read-only snapshots.
 *
 * Owns: the shards that the thread has open for queries. Leaves out: the questions (query-runs.ts, field-survey.ts), who may
 * ask (queries.ts), the thread (reader-thread.ts).
 *
 * 1. A query is synchronous from its first read to its last, so what it sees of a shard is one snapshot.
 * 2. A refusal comes back as data; anything else is a bug and rejects.
 * 3. Between queries nothing is mapped, so that the shards can give their maps back (residency.ts); shapes and words stay.
 */
import { isRefusal } from '../errors.js'
import { BodyCodec } from '../store/body-codec.js'
import { openShard } from '../store/data-dir.js'
import type { QueryStore } from './event-scan.js'
import { surveyFields, surveyTypes } from './field-survey.js'
import { runEventsQuery, runSearch, type QueryGround } from './query-runs.js'
import { CancelCell, type QueryResult, type QueryTask } from './query-task.js'

const open = new Map<string, QueryStore>()

/** Answers one question. */
export function answerQuery(dataDir: string, task: QueryTask): QueryResult {
  try {
    const text = answerFrom({
      task,
      stores: (shard) => storeOf(dataDir, shard),
      clock: { nowMs: () => performance.timeOrigin + performance.now(), deadlineMs: task.deadlineMs, cancelled: new CancelCell(task.cancelled) },
    })
    return { json: Buffer.from(text, 'utf8') }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { refused: { code: error.code, message: error.message, context: error.context } }
  } finally {
    for (const { environment } of open.values()) environment.unmap()
  }
}

/** The same, from stores that are open. @throws Refusal. */
export function answerFrom(ground: QueryGround): string {
  const { asked } = ground.task
  switch (asked.kind) {
    case 'events': return runEventsQuery(ground, asked.question)
    case 'search': return runSearch(ground, asked.question)
    case 'fields': return JSON.stringify(surveyFields(ground))
    case 'fieldTypes': return JSON.stringify(surveyTypes(ground))
  }
}

function storeOf(dataDir: string, shard: number): QueryStore {
  const key = `${dataDir}\0${shard}`
  let store = open.get(key)
  if (store === undefined) {
    const environment = openShard(dataDir, shard)
    open.set(key, (store = { environment, codec: new BodyCodec(environment) }))
  }
  return store
}
