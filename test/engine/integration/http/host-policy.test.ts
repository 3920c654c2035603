import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { test } from 'node:test'
import { HostPolicy, HostRefused, isPublic } from '../../../../engine/integration/http/host-policy.js'

const closed = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '192.0.2.1',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:a9fe:a9fe',
  '0:0:0:0:0:ffff:10.0.0.1',
  '::127.0.0.1',
  '64:ff9b::10.0.0.1',
  // Below 64:ff9b:1::/48, with prefixes of 48, 56, 64 and 96 bits, whatever follows.
  '64:ff9b:1:a00:0:100::',
  '64:ff9b:1:a00:0:100:808:808',
  '64:ff9b:1:ff0a:0:1::',
  '64:ff9b:1:8:a:0:100:0',
  '64:ff9b:1::10.0.0.1',
  '64:ff9b:1:2::192.168.0.1',
  '64:ff9b:1::',
  '64:ff9b:2::808:808',
  // With a network's own prefix of 32, 40, 48, 56, 64 and 96 bits.
  '2a00:1098:a00:1::',
  '2a00:1098:70a:0:1::',
  '2a00:1098:7:a9fe:a9:fe00::',
  '2a00:1098:7:5c0:a8:100::',
  '2a00:1098:7:5:7f:0:100:0',
  '2a00:1098:7:5::172.16.0.1',
  '2002:7f00:1::',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd12:3456::1',
  'ff02::1',
  '2001:db8::1',
  '2001::1',
  'fec0::1',
  '100::1',
]
const open = [
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '1.1.1.1',
  '2606:4700:4700::1111',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
  '64:ff9b:1::808:808',
  '64:ff9b:1:808:8:800::',
  '2a00:1098:808:808::',
  '2a00:1098:a00:1::5',
  '2a00:1098:7:5:1::10.0.0.1',
  '2a00:1098:7:5::face:b00c',
  '2606:4700::6810:84e5',
  '2600:9000:24d5:7c00:5:45d:9f40:a01',
  '2002:808:808::1',
]

test('private, loopback, link-local and reserved addresses are not public, in any spelling', () => {
  for (const address of closed) assert.equal(isPublic(address), false, address)
  for (const address of open) assert.equal(isPublic(address), true, address)
})

function policy(allowed: readonly string[], found: readonly LookupAddress[] = []): HostPolicy {
  return new HostPolicy(allowed, ((
    _: string,
    __: unknown,
    callback: (error: null, found: readonly LookupAddress[]) => void,
  ) => callback(null, found)) as never)
}

function resolve(one: HostPolicy, name: string, all = true): Promise<unknown> {
  return new Promise((done, reject) =>
    one.lookup(name, { all }, (error, found) => (error === null ? done(found) : reject(error))),
  )
}

test('the setting can allow an address, a network or a name', () => {
  const one = policy(['10.0.0.0/8', 'fd00::/8', '127.0.0.1', 'search.internal'])
  for (const host of ['10.9.9.9', '[fd00::5]', '127.0.0.1', '::ffff:10.0.0.1', 'search.internal', 'example.org'])
    assert.doesNotThrow(() => one.check(host), host)
  for (const host of ['127.0.0.2', '192.168.0.1', '[::1]', '']) assert.throws(() => one.check(host), HostRefused, host)
})

test('a name is checked by its addresses, and only allowed ones are connected to', async () => {
  const both = [
    { address: '10.0.0.1', family: 4 },
    { address: '8.8.8.8', family: 4 },
  ]
  assert.deepEqual(await resolve(policy([], both), 'two.example'), [both[1]])
  assert.deepEqual(await resolve(policy(['Two.example'], both), 'two.example.'), both)
  assert.equal(await resolve(policy([], both), 'two.example', false), '8.8.8.8')
  await assert.rejects(
    resolve(policy([], [{ address: '::ffff:192.168.0.1', family: 6 }]), 'inside.example'),
    HostRefused,
  )
})

test('an entry that is not a host, address or network is refused', () => {
  for (const entry of ['10.0.0.0/33', 'fd00::/129', 'a b', 'name/8', '10.0.0.0/x'])
    assert.throws(() => policy([entry]), entry)
})

test('an IPv4 address that may be reached may be reached through every prefix of a translator', () => {
  const one = policy(['10.0.0.0/8'])
  for (const address of ['64:ff9b::10.0.0.1', '64:ff9b:1::10.0.0.1', '2a00:1098:7:5::10.0.0.1', '2002:a00:1::'])
    assert.doesNotThrow(() => one.check(address), address)
  for (const address of ['64:ff9b:1::192.168.0.1', 'fd00::10.0.0.1', '2001:db8::10.0.0.1'])
    assert.throws(() => one.check(address), HostRefused, address)
})
