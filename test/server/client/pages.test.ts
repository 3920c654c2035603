import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeService, jsonReply } from './fake.js'

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

test('pages with a cursor are followed to the last one', async () => {
  const service = new FakeService([
    jsonReply({ clusters: [{ cluster_id: 'a' }, { cluster_id: 'b' }], total: 3, next: 'c1' }),
    jsonReply({ clusters: [{ cluster_id: 'c' }], total: 3, next: null }),
  ])
  const clusters = await all(service.client.items('listClusters', { job_id: 1, state: 'open' }))
  assert.deepEqual(
    clusters.map(({ cluster_id }) => cluster_id),
    ['a', 'b', 'c'],
  )
  assert.deepEqual(
    service.sent.map(({ url }) => url.search),
    ['?state=open&size=100', '?state=open&size=100&after=c1'],
  )
})

test('pages with a number are counted to the last one, in the query and in the body', async () => {
  const page = (count: number) => jsonReply({ audit_logs: Array(count).fill({}), total_count: 250 })
  const log = new FakeService([page(100), page(100), page(50)])
  assert.equal((await all(log.client.items('listAuditLogs'))).length, 250)
  assert.deepEqual(
    log.sent.map(({ url }) => url.searchParams.get('page')),
    [null, '1', '2'],
  )
  const events = (count: number) => jsonReply({ events: Array(count).fill({}), total_count: 4 })
  // A service of an earlier version has no cursor for this list.
  const query = new FakeService([events(2), events(2)])
  const pages = await all(query.client.pages('queryEvents', { body: { job_ids: 1, size: 2 } }))
  assert.deepEqual(
    pages.map((each) => each.events.length),
    [2, 2],
  )
  assert.deepEqual(
    query.sent.map(({ body }) => JSON.parse(body as string)),
    [
      { job_ids: 1, size: 2 },
      { job_ids: 1, size: 2, page: 1 },
    ],
  )
})

test('a cursor takes the place of the number that the first page was asked with', async () => {
  const events = (next: string | null) => jsonReply({ events: [{}, {}], total_count: 9, next })
  const query = new FakeService([events('c1'), events(null)])
  assert.equal((await all(query.client.pages('queryEvents', { body: { size: 2, page: 3 } }))).length, 2)
  assert.deepEqual(
    query.sent.map(({ body }) => JSON.parse(body as string)),
    [
      { size: 2, page: 3 },
      { size: 2, after: 'c1' },
    ],
  )
})

test('a count that is only a lower bound does not end a list', async () => {
  const page = (count: number) =>
    jsonReply({ disagreements: Array(count).fill({}), total_count: 2, total_count_is_exact: false })
  const service = new FakeService([page(2), page(2), page(1)])
  assert.equal((await all(service.client.items('listDisagreements', { job_id: 1, size: 2 }))).length, 5)
})

test('pages are asked for when they are wanted', async () => {
  const service = new FakeService([jsonReply({ audit_logs: [{ sequence: 1 }], total_count: 9 })])
  for await (const entry of service.client.items('listAuditLogs', { size: 1 })) {
    assert.equal(entry.sequence, 1)
    break
  }
  assert.equal(service.sent.length, 1)
})
