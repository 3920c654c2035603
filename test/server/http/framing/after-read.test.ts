import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterRead, keepForRead } from '../../../../server/http/framing/after-read.js'

const nextRound = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('work waits for the end of the round, in order, with its bytes', async () => {
  const seen: string[] = []
  for (const text of ['a', 'b', 'x'.repeat(2_000_000), 'c']) {
    const borrowed = Buffer.from(text)
    const bytes = keepForRead(borrowed)
    assert.ok(bytes !== null)
    borrowed.fill(0)
    afterRead({ afterRead: () => void seen.push(Buffer.from(bytes).toString()) })
  }
  await Promise.resolve()
  assert.equal(seen.length, 0)
  await nextRound()
  assert.deepEqual(
    seen.map((text) => text.slice(0, 9) + text.length),
    ['a1', 'b1', 'xxxxxxxxx2000000', 'c1'],
  )
})

test('what is kept for one round is bounded, and the next round has all the room again', async () => {
  const large = Buffer.alloc(10_000_000)
  for (let round = 0; round < 2; round++) {
    const kept = [1, 2, 3, 4].map(() => keepForRead(large) !== null)
    assert.deepEqual(kept, [true, true, true, false])
    afterRead({ afterRead() {} })
    await nextRound()
  }
})
