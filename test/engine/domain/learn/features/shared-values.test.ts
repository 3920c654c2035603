import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultClassifier } from '../../../../../engine/domain/learn/registry.js'
import { firstsOf } from '../../../../../engine/domain/learn/features/shared-values.js'
import type { Example, PointValues } from '../../../../../engine/domain/learn/classifier.js'

const points = ['rule', 'port', 'tags']

function valuesOf(i: number): PointValues {
  return [`rule ${i % 7}`, i % 5, i % 3 === 0 ? ['a', 'b'] : null]
}

test('an example has the first one that shares its values', () => {
  const [one, other] = [valuesOf(1), valuesOf(1)]
  assert.deepEqual([...firstsOf([one, other, one, other, one].map((values) => ({ values })))], [0, 1, 0, 1, 0])
  assert.deepEqual([...firstsOf([])], [])
})

test('values that are shared give the same model as equal ones that are not', () => {
  const shared = Array.from({ length: 105 }, (_, i) => valuesOf(i))
  const train = (valuesAt: (i: number) => PointValues): Uint8Array => {
    const examples: Example[] = Array.from({ length: 400 }, (_, i) => {
      return { values: valuesAt(i), label: i % 11 === 0 ? 1 : (i % 7) % 2, weight: 1 + (i % 3) }
    })
    const set = { points, labelCount: 3, examples, background: shared, seed: 5, objective: 'macro_f1' as const }
    return defaultClassifier.train(set, () => true)
  }
  assert.deepEqual(
    train((i) => shared[i % 105] as PointValues),
    train((i) => valuesOf(i % 105)),
  )
})
