import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bytesOf, messageKinds, nextMessage, readMessage, writeMessage } from '../../../engine/actor/message.js'
import { limits } from '../../../engine/limits.js'
import { SeededRandom } from '../../../engine/rng.js'

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
    for (const { jobId, micros, ...content } of written) {
      const next = writeMessage(memory, end, { ...content, job: { id: jobId } }, micros)
      assert.equal(next, end + bytesOf(content))
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
})
