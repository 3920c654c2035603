import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { IndicatorIndex } from '../../../../engine/integration/taxii/indicator-index.js'
import { bitsOf, observablesIn } from '../../../../engine/integration/enrichment/observable.js'
import { simplePattern } from '../../../../engine/integration/taxii/stix-pattern.js'

const MD5 = 'd41d8cd98f00b204e9800998ecf8427e'
const SHA256 = 'aec070645fe53ee3b3763059376134f058cc337247c978add178b6ccdfb0019f'

describe('a STIX pattern', () => {
  const understood: readonly (readonly [string, readonly string[], number])[] = [
    ["[ipv4-addr:value = '198.51.100.1']", [], 1],
    ["[ipv4-addr:value = '198.51.100.0/24']", [], 1],
    ["[ipv4-addr:value ISSUBSET '198.51.100.0/24' OR ipv6-addr:value ISSUBSET '2001:db8::/32']", [], 2],
    ["[domain-name:value = 'Bad.Example.']", ['domain-name|bad.example'], 0],
    ["[url:value = 'HTTP://Bad.Example/a b']", ['url|http://bad.example/a%20b'], 0],
    ["[email-addr:value = 'A@Bad.example']", ['email-addr|a@bad.example'], 0],
    [`[file:hashes.MD5 = '${MD5.toUpperCase()}']`, [`file|${MD5}`], 0],
    [
      `[file:hashes.'SHA-256' = '${SHA256}' OR file:hashes."SHA-1" = '${'a'.repeat(40)}']`,
      [`file|${SHA256}`, `file|${'a'.repeat(40)}`],
      0,
    ],
    [
      "[domain-name:value = 'a.example'] OR [domain-name:value IN ('b.example', 'c.example')]",
      ['domain-name|a.example', 'domain-name|b.example', 'domain-name|c.example'],
      0,
    ],
    ["  [ url:value='http://x.example/it\\'s\\\\' ]  ", ["url|http://x.example/it's/"], 0],
  ]
  for (const [pattern, keys, networks] of understood) {
    it(`is supported: ${pattern}`, () => {
      const read = simplePattern(pattern)
      assert.deepEqual([read?.keys, read?.networks.length], [keys, networks])
    })
  }

  const not = [
    '',
    '[',
    '[]',
    "ipv4-addr:value = '1.2.3.4'",
    "[ipv4-addr:value = '1.2.3.4'",
    "[ipv4-addr:value = 'no address']",
    "[ipv4-addr:value = '1.2.3.4/33']",
    "[ipv4-addr:value != '1.2.3.4']",
    "[NOT ipv4-addr:value = '1.2.3.4']",
    "[ipv4-addr:value NOT IN ('1.2.3.4')]",
    "[domain-name:value LIKE '%.example']",
    `[file:hashes.MD5 = '${MD5}' AND file:name = 'x']`,
    "[file:name = 'x']",
    "[domain-name:value = 'a.example'] AND [domain-name:value = 'b.example']",
    "[domain-name:value = 'a.example'] FOLLOWEDBY [domain-name:value = 'b.example']",
    "[domain-name:value = 'a.example'] WITHIN 5 SECONDS",
    "[domain-name:value = 'a.example' OR process:name = 'x']",
    "[network-traffic:dst_ref.value = '1.2.3.4']",
    '[domain-name:value = a.example]',
    `[${"domain-name:value = 'a.example' OR ".repeat(2_000)}domain-name:value = 'b.example']`,
    "[domain-name:value = 'a.example']]",
    "[domain-name:value = '']",
  ]
  it('is supported as a whole or not at all', () => {
    for (const pattern of not) assert.equal(simplePattern(pattern), null, pattern.slice(0, 100))
  })
})

describe('observables', () => {
  it('are recognised by their form', () => {
    const types = (text: string): string[] => observablesIn(text).map(([type, value]) => `${type} ${value}`)
    assert.deepEqual(types(' 192.0.2.1 '), ['ipv4-addr 192.0.2.1'])
    assert.deepEqual(types('2001:DB8::1'), ['ipv6-addr 2001:DB8::1'])
    assert.deepEqual(types('::FFFF:192.0.2.1'), ['ipv4-addr 192.0.2.1'])
    assert.deepEqual(types('https://User.Example:8443/A?b#c'), [
      'url https://user.example:8443/A?b#c',
      'domain-name user.example',
    ])
    assert.deepEqual(types('http://[2001:db8::1]/'), ['url http://[2001:db8::1]/', 'ipv6-addr 2001:db8::1'])
    assert.deepEqual(types(MD5.toUpperCase()), [`file ${MD5}`])
    assert.deepEqual(types('A@B.example'), ['email-addr a@b.example'])
    assert.deepEqual(types('Mail.B.Example.'), ['domain-name mail.b.example'])
    for (const none of ['', 'host', 'a b.example', '1.2.3', 'x'.repeat(3_000), 'zz'.repeat(16), 'C:\\x.exe'])
      assert.deepEqual(types(none), [], none.slice(0, 20))
  })

  it('of the same address are equal in any spelling', () => {
    assert.equal(bitsOf('2001:db8:0:0:0:0:0:1'), bitsOf('2001:DB8::1'))
    assert.equal(bitsOf('::ffff:192.0.2.1'), 0xffffc0000201n)
    assert.equal(bitsOf('::'), 0n)
    assert.equal(bitsOf('255.255.255.255'), 0xffffffffn)
    assert.equal(bitsOf('host'), null)
  })
})

describe('an index of indicators', () => {
  const base = { type: 'indicator', pattern_type: 'stix', modified: '2026-01-01T00:00:00Z' }
  const ids = (index: IndicatorIndex, value: string, nowMs = 0): string[] =>
    observablesIn(value).flatMap(([type, text]) => index.find(type, text, nowMs).map(({ id }) => id))

  it('finds indicators by value and by network', () => {
    const index = new IndicatorIndex(100)
    index.take({ ...base, id: 'one', pattern: "[ipv4-addr:value = '192.0.2.1']" }, 0)
    index.take(
      { ...base, id: 'net', pattern: "[ipv4-addr:value = '192.0.2.0/24' OR ipv6-addr:value = '2001:db8::/32']" },
      0,
    )
    index.take({ ...base, id: 'all', pattern: "[ipv4-addr:value ISSUBSET '0.0.0.0/0']" }, 0)
    assert.deepEqual(ids(index, '192.0.2.1').sort(), ['all', 'net', 'one'])
    assert.deepEqual(ids(index, '192.0.3.1'), ['all'])
    assert.deepEqual(ids(index, '2001:db8:ffff::1'), ['net'])
    assert.deepEqual(ids(index, '2001:db9::1'), [])
  })

  it('uses the latest version, and ignores revoked indicators, in any order of arrival', () => {
    const index = new IndicatorIndex(100)
    const version = (modified: string, host: string, more: object = {}) => ({
      ...base,
      id: 'x',
      modified,
      pattern: `[domain-name:value = '${host}']`,
      ...more,
    })
    index.take(version('2026-02-01T00:00:00Z', 'new.example'), 0)
    index.take(version('2026-01-01T00:00:00Z', 'old.example'), 0)
    assert.deepEqual([ids(index, 'new.example'), ids(index, 'old.example')], [['x'], []])
    index.take(version('2026-03-01T00:00:00Z', 'new.example', { revoked: true }), 0)
    index.take(version('2026-02-02T00:00:00Z', 'new.example'), 0)
    assert.deepEqual(ids(index, 'new.example'), [])
  })

  it('finds an indicator only while it is valid', () => {
    const index = new IndicatorIndex(100)
    index.take(
      {
        ...base,
        id: 'x',
        pattern: "[domain-name:value = 'a.example']",
        valid_from: '1970-01-01T00:00:01Z',
        valid_until: '1970-01-01T00:00:02Z',
      },
      0,
    )
    assert.deepEqual(
      [999, 1_000, 1_999, 2_000].map((nowMs) => ids(index, 'a.example', nowMs).length),
      [0, 1, 1, 0],
    )
  })

  it('is limited: expired indicators are removed first; those without room and unsupported ones are counted', () => {
    const index = new IndicatorIndex(3)
    const take = (id: string, more: object = {}): void =>
      index.take({ ...base, id, pattern: `[domain-name:value = '${id}.example']`, ...more }, 10_000)
    take('a', { valid_until: '1970-01-01T00:00:01Z' })
    for (const id of ['b', 'c', 'd', 'e']) take(id)
    take('f', { pattern: "[process:name = 'x']" })
    take('g', { pattern_type: 'snort', pattern: 'alert tcp' })
    for (const odd of [null, 7, {}, { type: 'malware', id: 'm' }, { type: 'indicator' }]) index.take(odd, 0)
    assert.deepEqual(index.counts, { indicators: 3, unread: 2, leftOut: 1 })
    assert.deepEqual(
      ['a', 'b', 'c', 'd', 'e'].map((id) => ids(index, `${id}.example`).length),
      [0, 1, 1, 1, 0],
    )
  })
})
