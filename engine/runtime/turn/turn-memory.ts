/**
 * The memory of a turn as a row of messages: some of them are taken out, or copied.
 *
 * Owns: where messages begin and end in it. Leaves out: who waits for them (turn.ts), their layout (actor/message.ts).
 */
import { nextMessage } from '../../actor/message.js'

/** Where each of the first `count` messages begins, and where the last one ends. */
export function startsOf(memory: Buffer, count: number): number[] {
  const starts = [0]
  for (let i = 0; i < count; i++) starts.push(nextMessage(memory, starts[i] as number))
  return starts
}

/** Moves the messages that stay together. `stays`: by place. Returns where the last one ends. */
export function keepMessages(memory: Buffer, stays: readonly boolean[]): number {
  const starts = startsOf(memory, stays.length)
  let end = 0
  for (const [place, isKept] of stays.entries()) {
    const [from, to] = [starts[place] as number, starts[place + 1] as number]
    if (!isKept) continue
    memory.copyWithin(end, from, to)
    end += to - from
  }
  return end
}

/** The messages at these places, one behind the other. */
export function copyMessages(memory: Buffer, count: number, places: readonly number[]): Buffer {
  const starts = startsOf(memory, count)
  return Buffer.concat(places.map((place) => memory.subarray(starts[place], starts[place + 1])))
}
