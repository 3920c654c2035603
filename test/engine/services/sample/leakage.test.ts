import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSample } from '../../../../engine/services/sample/run-sample.js'

const START_MS = 1_767_225_600_000

/** Events newest first, as search engines give them. */
const events = Array.from({ length: 600 }, (_, n) => {
  const at = 599 - n
  const host = (at * 7) % 12
  return {
    '@timestamp': new Date(START_MS + at * 60_000).toISOString(),
    rule: { name: ['Failed logon', 'Port scan', 'Log cleared'][at % 3] },
    host: { name: `web-${host}` },
    source: { address: `10.0.0.${host}` },
    batch: `batch-${Math.floor(at / 50)}`,
    user: { role: ['employee', 'service'][(at >> 2) % 2] },
  }
})

function fieldsOf(given: readonly unknown[]) {
  const { fields } = runSample(Buffer.from(JSON.stringify(given)), null)
  return new Map(fields.map((field) => [field.field, field]))
}

test('a field whose later values are new leaks by time, whatever the order of the events is', () => {
  for (const order of [events, [...events].reverse(), [...events].sort((a, b) => (a.batch < b.batch ? 1 : -1))]) {
    const batch = fieldsOf(order).get('batch')
    assert.deepEqual([batch?.leakage, batch?.suggested], ['time', false])
    assert.match(batch?.reason ?? '', /say when an event was/)
  }
})

test('a field that names the host by another name leaks by host, the host itself does not', () => {
  const fields = fieldsOf(events)
  assert.deepEqual([fields.get('source.address')?.leakage, fields.get('source.address')?.suggested], ['host', false])
  assert.equal(fields.get('host.name')?.leakage, null)
})

test('a field whose values come again everywhere leaks by nothing', () => {
  const fields = fieldsOf(events)
  for (const name of ['rule.name', 'user.role']) assert.equal(fields.get(name)?.leakage, null, name)
  assert.equal(fields.get('rule.name')?.suggested, true)
})

test('two columns of one name are two fields', () => {
  const { fields } = runSample(Buffer.from('a,a\n1,2'), null)
  assert.deepEqual(
    fields.map(({ field }) => field),
    ['a', 'a_2'],
  )
})
