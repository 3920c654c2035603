import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bucketStates,
  isEventReply,
  readEventReply,
  replyExtra,
  writeEventReply,
  writeExtraReply,
  REPLY_BYTES,
} from '../../../engine/actor/reply.js'
import { SeededRandom } from '../../../engine/rng.js'

test('replies come back as they were written, over whatever was there', () => {
  const random = new SeededRandom(2)
  const memory = Buffer.alloc(REPLY_BYTES * 2, 0xff)
  for (let i = 0; i < 500; i++) {
    const reply = {
      micros: random.pick([0, Number.MAX_SAFE_INTEGER, 1_700_000_000_000_001]),
      pending: random.below(2) === 0,
      label: random.below(4) - 1,
      confidence: random.below(10_001),
      outlier: random.below(2) === 0,
      bucketState: random.pick(bucketStates),
      autonomy: random.pick(['none', 'settled', 'review'] as const),
      stored: random.pick(['new', 'replaced', 'same'] as const),
    }
    const extra = random.below(3) - 1
    writeEventReply(memory, REPLY_BYTES, reply, extra)
    assert.ok(isEventReply(memory, REPLY_BYTES))
    assert.deepEqual(readEventReply(memory, REPLY_BYTES), reply)
    assert.equal(replyExtra(memory, REPLY_BYTES), extra)
    writeExtraReply(memory, REPLY_BYTES, 7)
    assert.ok(!isEventReply(memory, REPLY_BYTES))
    assert.equal(replyExtra(memory, REPLY_BYTES), 7)
  }
  assert.deepEqual(memory.subarray(0, REPLY_BYTES), Buffer.alloc(REPLY_BYTES, 0xff))
})
