import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ModelReader, ModelWriter } from '../../../../../engine/domain/learn/model-bytes.js'
import { OutlierTail } from '../../../../../engine/domain/learn/outlier/outlier-tail.js'
import { SeededRandom } from '../../../../../engine/rng.js'

describe('the tail of known numbers', () => {
  const random = new SeededRandom(1)
  const known = Float64Array.from({ length: 2_000 }, () => random.nextFloat())
  const tail = OutlierTail.of(known)

  it('says minus the logarithm of the share that is at least as large', () => {
    for (const value of [0.1, 0.5, 0.9, 0.98]) {
      const share = known.filter((one) => one >= value).length / known.length
      assert.ok(Math.abs(tail.surprise(value) + Math.log(share)) < 0.1, `${value}: ${tail.surprise(value)}`)
    }
  })

  it('never falls, and goes on growing past the largest', () => {
    let before = -1
    for (let value = -1; value < 5; value += 0.01) {
      const surprise = tail.surprise(value)
      assert.ok(surprise >= before)
      before = surprise
    }
    assert.ok(tail.surprise(3) > tail.surprise(2))
  })

  it('of one number, or of equal ones, is sound', () => {
    for (const numbers of [[0], [1, 1, 1, 1]]) {
      const flat = OutlierTail.of(Float64Array.from(numbers))
      for (const value of [-1, 0, 1, 2]) assert.ok(Number.isFinite(flat.surprise(value)) && flat.surprise(value) >= 0)
    }
  })

  it('comes back from its bytes', () => {
    const to = new ModelWriter('k')
    tail.write(to)
    const back = OutlierTail.read(new ModelReader(to.seal(), 'k'))
    for (const value of [0, 0.3, 0.99, 1.4]) assert.equal(back.surprise(value), tail.surprise(value))
  })
})
