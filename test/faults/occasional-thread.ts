/** A thread for work that comes now and then; it cannot start while there is a file that the environment names, and may be told to die. */
import { existsSync } from 'node:fs'

export const NO_START = 'TEST_OCCASIONAL_NO_START'

const file = process.env[NO_START]
if (file !== undefined && existsSync(file)) throw new Error('the thread cannot start')

export default function work(task: string): string {
  if (task === 'die') process.exit(1)
  return `did ${task}`
}
