import assert from 'node:assert/strict'
import { test } from 'node:test'
import { separatingFields, type SeparatedEvent } from '../../../../engine/domain/metrics/separating-fields.js'
import { SeededRandom } from '../../../../engine/rng.js'

function events(count: number): SeparatedEvent[] {
  const random = new SeededRandom(3)
  return Array.from({ length: count }, (_, i) => {
    const label = random.below(2)
    return {
      bucket: `b${i % 3}`,
      label,
      values: new Map([
        ['country', label === 0 ? 'de' : 'xx'],
        ['country and dice', `${label === 0 ? 'de' : 'xx'} ${random.below(4)}`],
        ['dice', String(random.below(6))],
        ['id', `event ${i}`],
        ['product', 'same'],
      ]),
    }
  })
}

test('the field that tells the labels apart with the fewest buckets is the first', () => {
  const found = separatingFields(events(120), 3, 10)
  assert.deepEqual(
    found.map(({ field }) => field),
    ['country', 'country and dice'],
  )
  assert.deepEqual([found[0]?.values, found[0]?.buckets], [2, 6])
  assert.ok((found[0]?.gain as number) > (found[1]?.gain as number))
})

test('chance, a value for each event, and a single value gain nothing', () => {
  const found = separatingFields(events(120), 3, 10).map(({ field }) => field)
  for (const field of ['dice', 'id', 'product']) assert.ok(!found.includes(field), field)
})

test('too few events tell nothing', () => {
  assert.deepEqual(separatingFields(events(4), 3, 10), [])
  assert.deepEqual(separatingFields([], 3, 10), [])
})
