import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressBytes } from '../../../../server/http/node-http/remote-address.js'

test('an address is 4 or 16 bytes', () => {
  for (const [text, hex] of [
    ['192.0.2.1', 'c0000201'],
    ['::ffff:192.0.2.1', '00000000000000000000ffffc0000201'],
    ['::', '00000000000000000000000000000000'],
    ['::1', '00000000000000000000000000000001'],
    ['2001:db8::a:1', '20010db80000000000000000000a0001'],
    ['fe80::1%eth0', 'fe800000000000000000000000000001'],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
  ] as const)
    assert.equal(Buffer.from(addressBytes(text)).toString('hex'), hex, text)
})

test('a closed connection has no address', () => {
  assert.equal(addressBytes(undefined).length, 0)
})
