/** The entry of the list thread. It keeps columns of the jobs that were listed lately. */
import { assert } from '../../assert.js'
import { reportMemory } from '../../runtime/threads/memory-report.js'
import type { QueryResult } from '../query/query-protocol.js'
import type { QueryStore } from '../query/event-scan.js'
import type { ReaderQuery } from '../readers/reader-protocol.js'
import { withStores } from '../readers/reader-stores.js'
import { clockOf, refusedAsData } from '../readers/task-frame.js'
import { ColumnStore } from './column-store.js'
import type { ListContext } from './list-walk.js'
import { runFacets } from './run-facets.js'
import { runList } from './run-list.js'
import { runOwnVotes, runRefs } from './run-refs.js'

const columns = new ColumnStore()

function textOf(context: ListContext): string {
  const { request } = context.task
  switch (request.kind) {
    case 'events':
      return runList(context, request.query)
    case 'facets':
      return runFacets(context, request.query)
    case 'refs':
      return runRefs(context, request.query, request.analyst)
    case 'ownVotes':
      return runOwnVotes(context, request.analyst, request.times)
  }
}

/** Answers one query. */
export default function answer(query: ReaderQuery): QueryResult {
  assert(query.ask === 'list', 'the list thread answers lists alone')
  const { dataDir, task } = query
  try {
    return withStores(dataDir, (opened) => {
      const fresh = new Map<number, QueryStore>()
      const stores = (shard: number): QueryStore => {
        let store = fresh.get(shard)
        if (store !== undefined) return store
        fresh.set(shard, (store = opened(shard)))
        store.environment.refresh()
        return store
      }
      return refusedAsData(() => {
        const context = { dataDir, task, stores, columns, clock: clockOf(task) }
        return { json: Buffer.from(textOf(context), 'utf8') }
      })
    })
  } finally {
    columns.bound()
    reportMemory()
  }
}
