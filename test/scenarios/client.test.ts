/** The client against a running service: the first steps of the manual, lists, streams, errors (docs/clients.md). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ApiError, createClient, type Client, type EventLine } from '../../server/client/index.js'
import { makeJob } from '../support/client.js'
import { MANAGEMENT_KEY, startService, type TestService } from '../support/service.js'
import { root } from '../support/source-tree.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = createClient({ baseUrl: service.baseUrl, key: MANAGEMENT_KEY })
})
after(() => service.close())

/** What makes a function of the body of an asynchronous one. */
const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (
  ...text: string[]
) => (client: Client, console: { log: (...values: unknown[]) => void }) => Promise<void>

test('the first steps of the manual end with a decision', async () => {
  const page = readFileSync(join(root, 'server/docs/clients.md'), 'utf8')
  const [, example] = /```js\n(\/\/ First steps\.[\s\S]*?)```/.exec(page) as unknown as [string, string]
  const printed: unknown[] = []
  await new AsyncFunction('client', 'console', example)(client, { log: (...values) => printed.push(...values) })
  assert.equal(printed[0], 'Drop')
  assert.ok(Number(printed[1]) > 50)
})

test('a stream of events is decided in order, refusals included', async () => {
  const { jobId } = await makeJob(service.client)
  async function* lines(): AsyncGenerator<EventLine | string> {
    for (let n = 0; n < 2_500; n++) {
      yield { job_id: jobId, event_id: `s-${n}`, raw_body: { rule: `r${n % 7}` } }
      if (n === 1_200) yield '{"job_id": 99999, "raw_body": {}}'
    }
  }
  const ids: string[] = []
  const refused: number[] = []
  for await (const result of client.events.bulk(lines())) {
    if ('status_code' in result) refused.push(result.status_code)
    else ids.push(result.event_id)
  }
  assert.deepEqual(
    ids,
    Array.from({ length: 2_500 }, (_, n) => `s-${n}`),
  )
  assert.deepEqual(refused, [404])

  let found = 0
  for await (const event of client.items('queryEvents', { body: { job_ids: jobId, size: 1_000, end_date: 'now' } })) {
    assert.equal(event.job_id, jobId)
    found++
  }
  assert.equal(found, 2_500)
})

test('lists are read to their end, and nothing comes twice', async () => {
  const end_date = new Date().toISOString()
  const found: number[] = []
  for await (const { sequence } of client.items('listAuditLogs', { size: 2, end_date })) found.push(sequence)
  assert.ok(found.length > 4)
  assert.deepEqual(
    found.sort((a, b) => a - b),
    Array.from({ length: found.length }, (_, at) => at + 1),
  )
})

test('the service says what was wrong, and with which request', async () => {
  await assert.rejects(client.getJob({ job_id: 4_711 }), (error) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual([error.status, error.code, error.message], [404, 'job_not_found', 'getJob: job not found'])
    assert.match(error.requestId ?? '', /^[\w-]+$/)
    return true
  })
  await assert.rejects(client.queryEvents({ body: { size: -1 } }), (error) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual([error.status, error.code, error.issues[0]?.loc], [422, 'invalid_body', ['body', 'size']])
    return true
  })
  const stranger = createClient({ baseUrl: service.baseUrl, key: 'wrong' })
  const calls = [stranger.listJobs(), stranger.getHealth(), stranger.events.bulk(['{}']).next()]
  await Promise.all(calls.map((call) => assert.rejects(call, { status: 401, code: 'unauthorized' })))
})

test('metrics and archives come as they are', async () => {
  assert.match(await client.getPrometheusMetrics(), /^# HELP/)
  assert.equal(new Uint8Array(await (await client.exportAllLogs()).arrayBuffer())[0], 'P'.charCodeAt(0))
})
