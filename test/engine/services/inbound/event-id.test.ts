import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitting, idBy } from '../../../../engine/services/inbound/event-id.js'

const event = { alert: { id: 7, name: 'disk' }, 'host.name': 'web-1', empty: '' }

test('an id is at a path, or filled into a template', () => {
  assert.equal(idBy('alert.id', event), '7')
  assert.equal(idBy('host.name', event), 'web-1')
  assert.equal(idBy('{{host.name}}/{{ alert.name }}', event), 'web-1/disk')
})

test('without a value there is no id, so that two events do not become one', () => {
  for (const pattern of ['absent', 'alert', 'empty', '{{host.name}}-{{absent}}', '{{empty}}', '__proto__.x'])
    assert.equal(idBy(pattern, event), null, pattern)
})

test('an id that is too long is its hash', () => {
  assert.equal(fitting('x'.repeat(512)).length, 512)
  assert.match(fitting('ä'.repeat(300)), /^[0-9a-f]{64}$/)
})
