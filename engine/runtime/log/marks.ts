/** Marks of messages (message.ts): this process gives none twice in four billion, and others begin elsewhere. */
import { randomInt } from 'node:crypto'

const MARKS = 2 ** 32
let next = randomInt(MARKS)

export function takeMark(): number {
  next = (next + 1) % MARKS
  return next
}
