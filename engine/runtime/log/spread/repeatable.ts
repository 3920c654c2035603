/**
 * Which turns may be run twice, where nobody knows whether they were run once.
 *
 * 1. An event with an id of its sender is the same event each time, and counted once (S6).
 * 2. Nothing else is recognised: an event without an id would be stored twice, and a vote may come behind that of
 *    somebody who has voted meanwhile.
 */
import { parseEnvelope } from '../../../domain/event/envelope.js'
import { nextMessage, readMessage, type Message } from '../../../actor/message.js'
import type { TurnTask } from '../../../actor/turn-task.js'

/** True where each message of the turn is an event with an id of its sender. */
export function isRepeatable({ memory, count }: Pick<TurnTask, 'memory' | 'count'>): boolean {
  const messages = Buffer.from(memory)
  for (let i = 0, at = 0; i < count; i++, at = nextMessage(messages, at))
    if (!isRecognised(readMessage(messages, at, 0))) return false
  return true
}

function isRecognised({ kind, eventId, idInBody, body }: Message): boolean {
  if (kind !== 'ingest') return false
  if (eventId !== null) return true
  if (!idInBody) return false
  try {
    return parseEnvelope(body.toString('utf8'), []).eventId !== null
  } catch {
    // It is refused, or read in another way than here.
    return false
  }
}
