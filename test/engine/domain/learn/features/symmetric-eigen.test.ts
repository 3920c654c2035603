import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sfc32 } from '../../../../../engine/domain/learn/sfc32.js'
import { eigen } from '../../../../../engine/domain/learn/features/symmetric-eigen.js'

const close = (a: number, b: number): void => assert.ok(Math.abs(a - b) < 1e-9, `${a} is ${b}`)

test('a matrix is the sum of its eigenvectors, each with its eigenvalue, which fall', () => {
  const size = 12
  const random = new Sfc32(3, 1)
  const matrix = new Float64Array(size * size)
  for (let i = 0; i < size; i++)
    for (let j = i; j < size; j++) matrix[i * size + j] = matrix[j * size + i] = random.below(2_000) / 1_000 - 1
  const { values, vectors } = eigen(matrix.slice(), size)
  for (let k = 1; k < size; k++) assert.ok(values[k]! <= values[k - 1]!)
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      let sum = 0
      let product = 0
      for (let k = 0; k < size; k++) {
        sum += values[k]! * vectors[k * size + i]! * vectors[k * size + j]!
        product += vectors[i * size + k]! * vectors[j * size + k]!
      }
      close(sum, matrix[i * size + j]!)
      close(product, i === j ? 1 : 0)
    }
  }
})

test('equal eigenvalues and zeros are no trouble', () => {
  assert.deepEqual([...eigen(new Float64Array(9), 3).values], [0, 0, 0])
  const { values, vectors } = eigen(Float64Array.from([2, 0, 0, 0, 5, 0, 0, 0, 2]), 3)
  assert.deepEqual([...values], [5, 2, 2])
  assert.deepEqual([...vectors], [0, 1, 0, 1, 0, 0, 0, 0, 1])
})
