import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostProblem } from '../../../server/mcp/hosts.js'

test('addresses, localhost and names that were set may be used; other names may not', () => {
  for (const host of ['127.0.0.1:8080', '10.1.2.3', '[::1]:8080', '[2001:db8::1]', 'localhost', 'LOCALHOST:1'])
    assert.equal(hostProblem(host, '', []), null, host)
  assert.equal(hostProblem('soc.example:443', '', ['SOC.example']), null)
  for (const host of ['soc.example', 'localhost.evil.example', '', 'a b', 'user@localhost', 'localhost/x'])
    assert.notEqual(hostProblem(host, '', []), null, host)
})

test('a page may use the tools from the same host, from this machine, and from a host that was set', () => {
  for (const origin of ['http://10.1.2.3', 'https://10.1.2.3:9000', 'http://localhost:6274', 'https://soc.example'])
    assert.equal(hostProblem('10.1.2.3', origin, ['soc.example']), null, origin)
  for (const origin of [
    'https://evil.example',
    'null',
    'file://',
    'http://10.1.2.4',
    'https://soc.example.evil.example',
  ])
    assert.notEqual(hostProblem('10.1.2.3', origin, ['soc.example']), null, origin)
})
