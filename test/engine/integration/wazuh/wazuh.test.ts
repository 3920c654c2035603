import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ManualClock } from '../../../../engine/clock.js'
import { wazuh } from '../../../../engine/integration/wazuh/wazuh.js'
import { never, openSink, outgoing, toolsFor } from '../../../support/outgoing.js'
import { SearchServer } from '../../../support/servers/search-server.js'

let server: SearchServer
/** Later than the alerts: what is ahead of the clock is read in another way. */
const NOW = 1_780_000_000_000_000
const alert = { timestamp: '2026-01-05T06:00:00.000Z', rule: { id: '5710', level: 5 } }

before(async () => {
  server = await SearchServer.open()
  for (const day of [5, 6]) server.put(`wazuh-alerts-4.x-2026.01.0${day}`, `a${day}`, alert)
  server.put('other', 'a7', alert)
})
after(() => server.close())

test('without parameters the alerts are read with their own ids', async () => {
  const source = wazuh.openSource!(server.connection, {}, toolsFor(undefined, new ManualClock(NOW)))
  const { documents } = await source.poll(null, never)
  assert.deepEqual(documents.map(({ id }) => id).sort(), ['a5', 'a6'])
  await source.close()
})

test('the decision is written to the alert, whatever its index, and the rest of the alert stays', async () => {
  const sink = openSink(wazuh, 'output', server.connection)
  assert.deepEqual(
    (await sink.deliver([outgoing('a6'), outgoing('a7'), outgoing('a5')], never)).map(({ outcome }) => outcome),
    ['delivered', 'refused', 'delivered'],
  )
  const { service, ...rest } = server.documents.get('wazuh-alerts-4.x-2026.01.06/a6')!.source as any
  assert.deepEqual(rest, alert)
  assert.deepEqual([service.result_label, service.confidence_score, service.job_title], ['Drop', 91.5, 'Alert triage'])
  assert.equal(server.documents.get('other/a7')!.source.service, undefined)
  const [missing] = await sink.deliver([outgoing('a9')], never)
  assert.match((missing as { reason: string }).reason, /no document with the id/)
  await sink.close()
})

test('the written decision is not read: an alert that is read again is the same event', async () => {
  const source = wazuh.openSource!(server.connection, {}, toolsFor(undefined, new ManualClock(NOW)))
  const { documents } = await source.poll(null, never)
  assert.ok(server.documents.get('wazuh-alerts-4.x-2026.01.06/a6')!.source.service !== undefined)
  for (const { body } of documents) assert.deepEqual(JSON.parse(Buffer.from(body).toString()), alert)
  await source.close()
})
