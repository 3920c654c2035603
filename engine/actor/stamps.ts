/**
 * Times of messages that were overtaken (mailbox.ts, 6).
 *
 * Owns: giving them later ones. Leaves out: where a message's time lies (message.ts), who overtakes whom (lanes.ts).
 */
import { lastStampOf } from './historic.js'
import { nextMessage, readStamp, writeStamp } from './message.js'

/** Gives the first of `count` times that are the caller's alone, in microseconds. */
export type TakeStamps = (count: number) => number

/** Makes the times of the `count` messages in a turn's memory increase from behind `latest`, and returns the last of them. */
export function stampBehind(memory: Buffer, count: number, latest: number, takeStamps: TakeStamps): number {
  let last = latest
  for (let i = 0, at = 0; i < count; i++, at = nextMessage(memory, at)) {
    const { kind, micros } = readStamp(memory, at)
    const stamps = lastStampOf({ kind, micros }) - micros
    let first = micros
    if (micros <= last) {
      first = takeStamps(stamps + 1)
      writeStamp(memory, at, first)
    }
    last = first + stamps
  }
  return last
}

/** The times of the messages in a turn's memory. */
export function stampsOf(memory: Buffer, count: number): number[] {
  const stamps: number[] = []
  for (let at = 0; stamps.length < count; at = nextMessage(memory, at)) stamps.push(readStamp(memory, at).micros)
  return stamps
}
