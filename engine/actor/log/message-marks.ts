/**
 * Marks of messages, by which they are recognised in a log where another node has given them other times.
 *
 * Owns: marks in the memory of a turn. Leaves out: the layout of messages (message.ts), which marks are given
 * (runtime/log/marks.ts).
 */
import { HAS_MARK, MARK_AT, MESSAGE_HEADER_BYTES, nextMessage, putMark, TIME_AT } from '../message.js'
import { fourBytesAt, twoBytesAt } from '../../store/number-bytes.js'

/** The mark of the message at `at`; undefined for none. */
export function markOf(memory: Buffer, at: number): number | undefined {
  return ((memory[at + 1] as number) & HAS_MARK) === 0 ? undefined : memory.readUInt32LE(at + MARK_AT)
}

/** Marks those of the first `count` messages in a turn's memory that have no mark yet. */
export function markMessages(memory: Buffer, count: number, take: () => number): void {
  for (let i = 0, at = 0; i < count; i++, at = nextMessage(memory, at))
    if (markOf(memory, at) === undefined) putMark(memory, at, take())
}

/** True where all but the times of two messages is equal. */
export function isSameMessage(one: Buffer, at: number, other: Buffer, otherAt: number): boolean {
  const bytes = nextMessage(one, at) - at
  if (nextMessage(other, otherAt) - otherAt !== bytes) return false
  const [head, body] = [(from: number) => from + TIME_AT, (from: number) => from + MESSAGE_HEADER_BYTES]
  const end = (memory: Buffer, from: number): number =>
    body(from) + twoBytesAt(memory, from + 2) + fourBytesAt(memory, from + 8)
  return (
    one.subarray(at, head(at)).equals(other.subarray(otherAt, head(otherAt))) &&
    one.subarray(body(at), end(one, at)).equals(other.subarray(body(otherAt), end(other, otherAt)))
  )
}

/** Gives the message at `at` another time. */
export function putTime(memory: Buffer, at: number, micros: number): void {
  memory.writeDoubleLE(micros, at + TIME_AT)
}
