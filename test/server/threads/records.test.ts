import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventAnswer } from '../../../engine/index.js'
import {
  ASK_BYTES,
  asks,
  readAsk,
  readEvent,
  readEventId,
  RECORD_BYTES,
  writeAsk,
  writeEvent,
} from '../../../server/threads/records.js'

test('a request comes out as it went in', () => {
  for (const eventId of [null, '', 'ä-1']) {
    const body = Buffer.from('{"a":1}')
    const ask = {
      kind: asks.line,
      token: 70_000,
      job: 2 ** 40,
      key: 3,
      stream: 4_000_000_000,
      request: 4_000_000_001,
      eventId,
      body,
    }
    const idBytes = Buffer.byteLength(eventId ?? '')
    const out = Buffer.alloc(100)
    const bodyAt = writeAsk(out, 8, ask, idBytes, false)
    out.set(body, bodyAt)
    const found = readAsk(out, 8, ASK_BYTES + idBytes + body.length)
    assert.deepEqual({ ...found, body: found.body.toString() }, { ...ask, body: '{"a":1}', isLarge: false })
  }
})

test('the answer to an event comes out as it went in', () => {
  for (const bucketState of ['new', 'pending', 'in_knowledge_base', 'retrain'] as const)
    for (const autonomy of ['none', 'settled', 'review'] as const)
      for (const label of [-1, 0, 2])
        for (const flag of [false, true]) {
          for (const stored of ['new', 'replaced', 'same'] as const) {
            const answer: EventAnswer = {
              micros: 1_769_850_300_000_123,
              pending: flag,
              label,
              confidence: 9_725,
              outlier: !flag,
              bucketState,
              autonomy,
              stored,
            }
            const out = Buffer.alloc(100)
            const id = flag ? 'alert-1' : null
            writeEvent(out, 8, 5, answer, id)
            assert.deepEqual(readEvent(out, 8), answer)
            assert.equal(readEventId(out, 8, RECORD_BYTES + (id?.length ?? 0)), id)
          }
        }
})
