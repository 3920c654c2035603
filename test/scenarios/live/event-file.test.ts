/** All events that filters find, as a file. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventsOfFile } from '../../../engine/domain/event/input/event-file.js'
import { makeJob, type Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client
let jobId: number

const EVENTS = 1_300

before(async () => {
  service = await startService()
  client = service.client
  ;({ jobId } = await makeJob(client, { decision_points: ['rule', 'host.name'] }))
  const lines = Array.from({ length: EVENTS }, (_, n) =>
    JSON.stringify({
      job_id: jobId,
      event_id: `e-${n}`,
      title: n === 7 ? '=HYPERLINK("x")' : `Event ${n}`,
      raw_body: { rule: `r-${n % 4}`, host: { name: `web-${n % 3}` }, n },
    }),
  )
  await client.bulk(lines.join('\n'))
})
after(() => service.close())

function file(query: string) {
  return client.get(`/api/v2/jobs/${jobId}/events-file?${query}`)
}

test('CSV has every event that matches once, newest first, with the values at the decision points', async () => {
  const { status, text, headers } = await file('format=csv')
  assert.equal(status, 200)
  assert.match(headers.get('content-type') ?? '', /^text\/csv/)
  assert.equal(headers.get('content-disposition'), `attachment; filename="events-${jobId}.csv"`)
  assert.match(text, /\r\ne-7,[^,]*,"'=HYPERLINK\(""x""\)"/)
  const { events, faults } = eventsOfFile(Buffer.from(text), 10_000)
  assert.deepEqual([events.length, faults.length], [EVENTS, 0])
  assert.deepEqual(
    events.map(({ id }) => id),
    Array.from({ length: EVENTS }, (_, n) => `e-${EVENTS - 1 - n}`),
  )
  const { rule, host } = JSON.parse(JSON.stringify(events[0]?.body()))
  assert.deepEqual([rule, host], ['r-3', { name: 'web-0' }])
  assert.equal(events.find(({ id }) => id === 'e-7')?.body().title, '=HYPERLINK("x")')
})

test('filters and columns are those of the request', async () => {
  const filters = encodeURIComponent(JSON.stringify([{ field: 'rule', operator: 'is', value: 'r-1' }]))
  const table = await file(`format=csv&columns=host.name&filters=${filters}`)
  assert.match(table.text, /^\uFEFF?event_id,.*,outlier,host\.name\r\n/)
  assert.equal(table.text.trimEnd().split('\r\n').length, 1 + EVENTS / 4)
  const lines = await file(`format=ndjson&raw_body=true&filters=${filters}`)
  const events = lines.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.equal(events.length, EVENTS / 4)
  assert.ok(events.every(({ raw_body: { rule } }) => rule === 'r-1'))
})

test('a file without any event has its line of names', async () => {
  const filters = encodeURIComponent(JSON.stringify([{ field: 'rule', operator: 'is', value: 'none' }]))
  assert.match((await file(`format=csv&filters=${filters}`)).text, /^\uFEFF?event_id,[\w,]+\r\n$/)
  assert.equal((await file(`format=ndjson&filters=${filters}`)).text, '')
})

test('what is wrong is refused before the file begins', async () => {
  for (const query of ['', 'format=pdf', 'format=csv&filters=no', 'format=csv&filters=[{"field":"a"}]'])
    assert.equal((await file(query)).status, 422, query)
  assert.equal((await client.get('/api/v2/jobs/999/events-file?format=csv')).status, 404)
  assert.equal((await client.get(`/api/v2/jobs/${jobId}/events-file?format=csv`, { key: null })).status, 401)
})
