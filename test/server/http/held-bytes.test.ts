import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isRefusal, limits } from '../../../engine/index.js'
import { HeldBytes, whileHeld } from '../../../server/http/held-bytes.js'

const LARGE = limits.largeAnswerBytesMin

describe('what waits to be read', () => {
  it('has a bound together: what is over it is refused before it begins, until others are over', async () => {
    const room = new HeldBytes(2 * LARGE)
    let end = (): void => {}
    const first = whileHeld(LARGE + 1, () => new Promise<void>((resolve) => (end = resolve)), room)
    const refused = whileHeld(LARGE, () => assert.fail('it began'), room)
    await assert.rejects(refused, (error) => isRefusal(error, 'answers_busy') && error.retryable)
    assert.equal(await whileHeld(LARGE - 1, async () => 'small', room), 'small')
    end()
    await first
    await assert.rejects(
      whileHeld(2 * LARGE, () => Promise.reject(new Error('failed')), room),
      /failed/,
    )
    assert.equal(room.held, 0)
  })
})
