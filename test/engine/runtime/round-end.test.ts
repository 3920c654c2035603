import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atRoundEnd } from '../../../engine/runtime/round-end.js'

test('work runs at the end of the round, in order, and so does what it adds', async () => {
  const seen: string[] = []
  atRoundEnd(() => {
    seen.push('first')
    atRoundEnd(() => seen.push('added'))
  })
  atRoundEnd(() => seen.push('second'))
  await Promise.resolve()
  assert.equal(seen.length, 0)
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(seen.slice(), ['first', 'second', 'added'])
  atRoundEnd(() => seen.push('next round'))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(seen[3], 'next round')
})
