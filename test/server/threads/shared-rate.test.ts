import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Principal } from '../../../engine/index.js'
import { RateLimit } from '../../../server/http/rate-limit.js'
import { SharedRate } from '../../../server/threads/shared-rate.js'
import { SharedState } from '../../../server/threads/shared-state.js'
import { SeededRandom } from '../../../engine/rng.js'

const ann: Principal = { kind: 'user', name: 'ann', scopes: new Set() }

test('two threads together admit what one token bucket admits', () => {
  const main = new SharedState()
  const other = new SharedState(main.memory)
  other.put('user ann', main.placeOf('user ann'))
  let nanoseconds = 1_000_000_000n
  const now = (): bigint => nanoseconds
  const threads = [main, other].map((state) => new SharedRate(state, 10, 5, now))
  const bucket = new RateLimit(10, 5, () => Number(nanoseconds) / 1e6)
  const random = new SeededRandom(3)
  for (let i = 0; i < 2_000; i++) {
    nanoseconds += BigInt(random.below(200)) * 1_000_000n
    assert.equal(threads[i % 2]!.tryTake(ann), bucket.tryTake(ann), `request ${i}`)
  }
})

test('a caller over the rate is told when to come again', () => {
  const rate = new SharedRate(new SharedState(), 0.5, 1, () => 5n)
  rate.take(ann)
  assert.throws(() => rate.take(ann), { code: 'rate_limited', context: { retryAfterSeconds: 2 } })
})
