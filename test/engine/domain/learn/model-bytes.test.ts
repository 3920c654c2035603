import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindOf, ModelReader, ModelWriter } from '../../../../engine/domain/learn/model-bytes.js'

function sample(): Uint8Array {
  const to = new ModelWriter('sample/1')
  to.u8(200)
  to.u32(4_000_000_000)
  to.f32(0.5)
  to.f64(Math.PI)
  to.u32s([1, -2])
  to.u8s(Uint8Array.of(1, 2, 3))
  to.f32s([1.5])
  to.f64s(Array.from({ length: 1_000 }, (_, i) => i / 3))
  to.text('point.naïve \ud83d\ude00')
  return to.seal()
}

test('what was written is read again', () => {
  const bytes = sample()
  assert.equal(kindOf(bytes), 'sample/1')
  const from = new ModelReader(bytes, 'sample/1')
  assert.equal(from.u8(), 200)
  assert.equal(from.u32(), 4_000_000_000)
  assert.equal(from.f32(), 0.5)
  assert.equal(from.f64(), Math.PI)
  assert.deepEqual([...from.i32s()], [1, -2])
  assert.deepEqual([...from.u8s()], [1, 2, 3])
  assert.deepEqual([...from.f32s()], [1.5])
  assert.equal(from.f64s()[999], 333)
  assert.equal(from.text(), 'point.naïve \ud83d\ude00')
  from.finish()
})

test('every shorter prefix and every changed byte is refused', () => {
  const bytes = sample().slice(0, 9)
  assert.throws(() => new ModelReader(bytes, 'sample/1'), /cut short/)
  const whole = sample()
  for (let length = 0; length < whole.length; length += 97) {
    assert.throws(() => new ModelReader(whole.subarray(0, length), 'sample/1'))
  }
  for (let at = 0; at < whole.length; at += 13) {
    const changed = whole.slice()
    changed[at] = (changed[at] as number) ^ 0x10
    assert.throws(() => new ModelReader(changed, 'sample/1'))
  }
})

test('another kind is refused by name', () => {
  assert.throws(() => new ModelReader(sample(), 'other/2'), /"sample\/1", not other\/2/)
  assert.throws(() => kindOf(new Uint8Array(0)), /not a model/)
})

test('reading past the end, claiming more than there is, and leaving a rest throw', () => {
  const to = new ModelWriter('k/1')
  to.u32(0xffff_ffff)
  const bytes = to.seal()
  assert.throws(() => new ModelReader(bytes, 'k/1').f64s(), /cut short/)
  assert.throws(() => new ModelReader(bytes, 'k/1').f64(), /cut short/)
  assert.throws(() => new ModelReader(bytes, 'k/1').finish(), /too many/)
})
