import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minimise } from '../../../../../engine/domain/learn/linear/lbfgs.js'

const options = { iterationsMax: 200, tolerance: 1e-12, onIteration: () => {} }

test('the least point of a stretched bowl is found', () => {
  const stretch = Float64Array.from({ length: 20 }, (_, i) => 10 ** (i / 10))
  const x = new Float64Array(20)
  minimise(
    (at, gradient) => {
      let value = 0
      for (let i = 0; i < at.length; i++) {
        const off = (at[i] as number) - i
        value += 0.5 * (stretch[i] as number) * off * off
        gradient[i] = (stretch[i] as number) * off
      }
      return value
    },
    x,
    { ...options, curvature: new Float64Array(20).fill(1) },
  )
  for (let i = 0; i < x.length; i++) assert.ok(Math.abs((x[i] as number) - i) < 1e-3, `${x[i]} is ${i}`)
})

test('a good guess of the curvature makes a very stretched bowl easy', () => {
  const stretch = Float64Array.from({ length: 20 }, (_, i) => 10 ** (i / 2))
  const x = new Float64Array(20)
  let iterations = 0
  minimise(
    (at, gradient) => {
      let value = 0
      for (let i = 0; i < at.length; i++) {
        const off = (at[i] as number) - 1
        value += (stretch[i] as number) * Math.log(Math.cosh(off))
        gradient[i] = (stretch[i] as number) * Math.tanh(off)
      }
      return value
    },
    x,
    { ...options, curvature: stretch, onIteration: (done) => (iterations = done) },
  )
  for (const value of x) assert.ok(Math.abs(value - 1) < 1e-3, `${value} is 1`)
  assert.ok(iterations < 30, `${iterations} iterations`)
})

test('it ends at the bound of its iterations, and each is told', () => {
  const told: number[] = []
  minimise(
    (at, gradient) => {
      gradient[0] = Math.exp(at[0] as number)
      return Math.exp(at[0] as number)
    },
    Float64Array.of(0),
    { iterationsMax: 3, tolerance: 0, curvature: Float64Array.of(1), onIteration: (done) => told.push(done) },
  )
  assert.deepEqual(told, [1, 2, 3])
})

test('at the least point nothing moves', () => {
  const x = Float64Array.of(2)
  minimise((_, gradient) => (gradient[0] = 0), x, { ...options, curvature: Float64Array.of(1) })
  assert.equal(x[0], 2)
})
