import assert from 'node:assert/strict'
import { test } from 'node:test'
import { embeddedIn } from '../../../../engine/integration/http/embedded-address.js'

test('the examples of RFC 6052 contain 192.0.2.33', () => {
  for (const address of [
    '2001:db8:c000:221::',
    '2001:db8:1c0:2:21::',
    '2001:db8:122:c000:2:2100::',
    '2001:db8:122:3c0:0:221::',
    '2001:db8:122:344:c0:2:2100::',
    '2001:db8:122:344::192.0.2.33',
  ])
    assert.ok(embeddedIn(address).addresses.includes('192.0.2.33'), address)
})

test('mapped, compatible, 6to4 and well-known addresses stand for one IPv4 address', () => {
  for (const [address, embedded] of [
    ['::ffff:a9fe:a9fe', '169.254.169.254'],
    ['::10.0.0.1', '10.0.0.1'],
    ['2002:7f00:1::', '127.0.0.1'],
    ['64:ff9b::8.8.8.8', '8.8.8.8'],
  ])
    assert.deepEqual(embeddedIn(address!), { addresses: [embedded], isTranslated: true })
})

test('an ordinary address contains none', () => {
  for (const address of ['2606:4700::1', '2a00:1450:4001:81c::200e', '::1', '::', 'fe80::1'])
    assert.deepEqual(embeddedIn(address), { addresses: [], isTranslated: false }, address)
})
