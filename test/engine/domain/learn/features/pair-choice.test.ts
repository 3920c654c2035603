import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choosePairs, type AtomRows } from '../../../../../engine/domain/learn/features/pair-choice.js'
import { SeededRandom } from '../../../../../engine/rng.js'

const stage = { at: (): void => {} }

function rowsOf(count: number, row: (random: SeededRandom) => { atoms: number[]; label: number }): AtomRows {
  const random = new SeededRandom(8)
  const rows = Array.from({ length: count }, () => row(random))
  return {
    pointCount: rows[0]?.atoms.length ?? 0,
    atoms: Int32Array.from(rows.flatMap(({ atoms }) => atoms)),
    classes: Int32Array.from(rows, ({ label }) => label),
    classCount: 2,
  }
}

test('points that tell the label only together are a pair', () => {
  const rows = rowsOf(500, (random) => {
    const [a, b] = [random.below(3), random.below(3)]
    return { atoms: [random.below(5), a + 1, random.below(5), b + 1], label: (a + b) % 2 }
  })
  const pairs = choosePairs(rows, stage)
  assert.deepEqual([...pairs.slice(0, 2)].sort(), [1, 3])
})

test('points that tell it alone, or not at all, make no pair', () => {
  const rows = rowsOf(1_000, (random) => {
    const a = random.below(4)
    return { atoms: [a + 1, random.nextUint32() | 0, random.below(3)], label: a % 2 }
  })
  assert.equal(choosePairs(rows, stage).length, 0)
})

test('few rows and single points have no pairs', () => {
  assert.equal(
    choosePairs(
      rowsOf(10, () => ({ atoms: [1, 2], label: 0 })),
      stage,
    ).length,
    0,
  )
  assert.equal(
    choosePairs(
      rowsOf(100, (random) => ({ atoms: [1], label: random.below(2) })),
      stage,
    ).length,
    0,
  )
})
