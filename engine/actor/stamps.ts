/**
 * Times of messages that were overtaken (mailbox.ts, 6).
 *
 * Owns: giving them later ones. Leaves out: where a message's time lies (message.ts), who overtakes whom (lanes.ts).
 */
import { eventIdOf } from '../event/event-id.js'
import { lastStampOf } from './historic.js'
import { nextMessage, readStamp, writeStamp } from './message.js'

/** Gives the first of `count` times that are the caller's alone, in microseconds. */
export type TakeStamps = (count: number) => number

/**
 * Makes the times of the messages in a turn's memory increase from behind `latest`, and returns the last of them; `ids`, by
 * place, are those of the events, and change where they spell the time.
 */
export function stampBehind(memory: Buffer, ids: (string | null)[], latest: number, takeStamps: TakeStamps): number {
  let last = latest
  for (let i = 0, at = 0; i < ids.length; i++, at = nextMessage(memory, at)) {
    const { kind, micros, hasId } = readStamp(memory, at)
    const stamps = lastStampOf({ kind, micros }) - micros
    let first = micros
    if (micros <= last) {
      first = takeStamps(stamps + 1)
      writeStamp(memory, at, first)
      if (!hasId) ids[i] = eventIdOf(first)
    }
    last = first + stamps
  }
  return last
}
