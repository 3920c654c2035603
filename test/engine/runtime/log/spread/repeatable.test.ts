/** Which turns may be run twice. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { writeMessage, type MessageContent } from '../../../../../engine/actor/message.js'
import { isRepeatable } from '../../../../../engine/runtime/log/spread/repeatable.js'

const bodyOf = (more: object): Buffer => Buffer.from(JSON.stringify({ job_id: 1, raw_body: { host: 'h' }, ...more }))
const event: MessageContent = { job: { id: 1 }, kind: 'ingest', eventId: null, idInBody: true, body: bodyOf({}) }
const withId = { ...event, eventId: 'a' }

function isRepeatableTurn(...messages: readonly MessageContent[]): boolean {
  const memory = new SharedArrayBuffer(4096)
  let at = 0
  for (const message of messages) at = writeMessage(Buffer.from(memory), at, message, 1)
  return isRepeatable({ memory, count: messages.length })
}

describe('a turn may be run twice', () => {
  it('where all its events have an id of their sender, in the path or in the body', () => {
    assert.equal(isRepeatableTurn(withId, { ...event, body: bodyOf({ event_id: 'b' }) }), true)
    assert.equal(isRepeatableTurn({ ...event, body: bodyOf({ event_id: 7 }) }), true)
  })

  it('not where one has none, or an id that does not count', () => {
    assert.equal(isRepeatableTurn(withId, event), false)
    assert.equal(isRepeatableTurn({ ...event, body: bodyOf({ event_id: '' }) }), false)
    assert.equal(isRepeatableTurn({ ...event, idInBody: false, body: bodyOf({ event_id: 'b' }) }), false)
    assert.equal(isRepeatableTurn({ ...event, body: Buffer.from('{"event_id":"b"') }), false)
  })

  it('not where it has a vote', () => {
    assert.equal(isRepeatableTurn(withId, { ...withId, kind: 'feedback' }), false)
  })
})
