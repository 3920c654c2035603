import assert from 'node:assert/strict'
import { test } from 'node:test'
import { misfitServers, parseServers } from '../../../../engine/integration/broker/addresses.js'

test('servers are names or addresses, with a port or the default one', () => {
  assert.deepEqual(parseServers('a.example, 10.0.0.1:4223,[::1]:9, [2001:db8::1]', 4222), [
    { host: 'a.example', port: 4222 },
    { host: '10.0.0.1', port: 4223 },
    { host: '::1', port: 9 },
    { host: '2001:db8::1', port: 4222 },
  ])
})

test('a text that is not a server is refused', () => {
  for (const text of ['', 'a:0', 'a:70000', 'a b', 'nats://a', 'a,,b', '::1', '[a]', 'user@a', 'a:1/x'])
    assert.ok(misfitServers(text) !== null, text)
  for (const text of ['a', 'a:1', 'a:1, b:2', '[::1]:5']) assert.equal(misfitServers(text), null, text)
})
