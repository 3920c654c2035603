import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeededRandom } from '../../../../engine/rng.js'
import { isSealed, Sealer, SEALING_KEY_BYTES } from '../../../../engine/resource/access/sealing.js'

const random = new SeededRandom(1)
const sealer = new Sealer(random.bytes(SEALING_KEY_BYTES), random)

test('what is sealed opens again, looks different each time, and shows nothing', () => {
  for (const text of ['', 'hush', '✓ ünï '.repeat(500)]) {
    const [one, two] = [sealer.seal(text), sealer.seal(text)]
    assert.deepEqual([sealer.open(one), sealer.open(two)], [text, text])
    assert.notEqual(one.sealed, two.sealed)
    if (text !== '') assert.ok(!Buffer.from(one.sealed, 'base64url').includes(text))
  }
})

test('another key, or a changed byte, opens nothing', () => {
  const sealed = sealer.seal('hush')
  assert.equal(new Sealer(random.bytes(SEALING_KEY_BYTES), random).open(sealed), null)
  const bytes = Buffer.from(sealed.sealed, 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] as number) ^ 1
    assert.equal(sealer.open({ sealed: changed.toString('base64url') }), null, `byte ${at}`)
  }
  for (const broken of ['', 'AQ', bytes.subarray(0, 20).toString('base64url')])
    assert.equal(sealer.open({ sealed: broken }), null)
  assert.throws(() => new Sealer(new Uint8Array(5), random))
})

test('only a sealed value is one', () => {
  assert.ok(isSealed(sealer.seal('x')))
  for (const value of [null, 'x', 5, {}, { sealed: 1 }]) assert.ok(!isSealed(value))
})
