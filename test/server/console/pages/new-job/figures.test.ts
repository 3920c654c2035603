import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SampledField } from '../../../../../server/client/index.js'
import { bucketsOf, mixingOf } from '../../../../../server/console/pages/new-job/figures.js'

const field = (codes: readonly number[] | null) => ({ codes }) as unknown as SampledField

test('buckets of ticked fields are counted, with the share of the largest', () => {
  assert.deepEqual(bucketsOf([field([0, 0, 1, 1]), field([0, 1, 0, 0])]), { buckets: 3, largest: 1 })
  assert.deepEqual(bucketsOf([]), { buckets: 0, largest: 0 })
})

test('answers that are not the commonest of their bucket are mixed; events without an answer do not count', () => {
  const answers = field([0, 0, 1, 1, -1, 1])
  assert.deepEqual(mixingOf([field([0, 0, 0, 1, 1, 1])], answers), { answered: 5, mixed: 1 })
  assert.deepEqual(mixingOf([field([0, 0, 0, 1, 1, 1]), field([0, 0, 1, 0, 0, 0])], answers), { answered: 5, mixed: 0 })
  assert.deepEqual(mixingOf([field([0, 0, 0, 0, 0, 0])], null), { answered: 0, mixed: 0 })
})
