/**
 * A thread for occasional work. It cannot start while the file exists that the environment names, and a message can
 * make it die.
 */
import { existsSync } from 'node:fs'
import { reportMemory } from '../../engine/runtime/threads/memory-report.js'

export const NO_START = 'TEST_OCCASIONAL_NO_START'

const file = process.env[NO_START]
if (file !== undefined && existsSync(file)) throw new Error('the thread cannot start')

export default function work(task: string): string {
  if (task === 'die') process.exit(1)
  reportMemory()
  return `did ${task}`
}
