import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeldBytes } from '../../../server/http/held-bytes.js'
import { keptAnswer, LargeAnswer } from '../../../server/http/large-answer.js'
import type { HttpResponse } from '../../../server/http/native.js'

// Nothing is sent: what is looked at here is only what is counted.
const nobody = {} as HttpResponse

test('large answers have a bound together, and one that is over makes room', () => {
  const room = new HeldBytes(1_000)
  const first = LargeAnswer.of(nobody, Buffer.alloc(600), room)
  assert.equal(LargeAnswer.of(nobody, Buffer.alloc(600), room), null)
  first?.release()
  assert.ok(LargeAnswer.of(nobody, Buffer.alloc(600), room))
})

test('what is kept anyway holds nothing, however many read it', () => {
  const room = new HeldBytes(0)
  const bytes = keptAnswer(Buffer.alloc(600))
  for (let i = 0; i < 3; i++) assert.ok(LargeAnswer.of(nobody, bytes, room))
})
