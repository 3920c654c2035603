import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  bucketStates,
  isEventReply,
  messageBytes,
  messageKinds,
  nextMessage,
  readEventReply,
  readMessage,
  replyExtra,
  writeEventReply,
  writeExtraReply,
  writeMessage,
  REPLY_BYTES,
} from '../../../engine/actor/message.js'
import { limits } from '../../../engine/limits.js'
import { SeededRandom } from '../../../engine/random.js'

describe('messages', () => {
  it('come back as they were written, one behind the other', () => {
    const random = new SeededRandom(1)
    const memory = Buffer.alloc(200_000, 0xaa)
    const written = Array.from({ length: 300 }, () => ({
      kind: random.pick(messageKinds),
      jobId: random.pick([1, 2 ** 32 - 1, random.nextUint32()]),
      micros: random.pick([0, Number.MAX_SAFE_INTEGER, 1_700_000_000_000_001]),
      eventId: random.pick([null, '', 'x', '日本語', 'y'.repeat(limits.eventIdBytesMax)]),
      idInBody: random.below(2) === 0,
      body: Buffer.from(random.bytes(random.below(300))),
    }))
    let end = 0
    for (const { kind, jobId, micros, eventId, idInBody, body } of written) {
      const id = eventId === null ? null : Buffer.from(eventId)
      const next = writeMessage(memory, end, kind, jobId, micros, id, idInBody, body)
      assert.equal(next, end + messageBytes(id === null ? 0 : id.length, body.length))
      end = next
    }
    let at = 0
    for (const message of written) {
      const appliedThrough = message.micros - 1 + random.below(3)
      const read = readMessage(memory, at, appliedThrough)
      const { kind, jobId, micros, eventId, idInBody, applied } = read
      const body = Buffer.from(read.body)
      assert.deepEqual(
        { kind, jobId, micros, eventId, idInBody, body, applied },
        { ...message, applied: message.micros <= appliedThrough },
      )
      at = nextMessage(memory, at)
    }
    assert.equal(at, end)
  })

  it('replies come back as they were written, over whatever was there', () => {
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
})
