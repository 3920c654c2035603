/**
 * The end of the process by an error that nobody has caught: one sentence, the trace in the log, and an exit.
 *
 * 1. It happens once. Whatever fails meanwhile, such as writing the log, ends the process at once.
 * 2. Nothing that was acknowledged is lost: it is on disk. So the process may end when its state is unknown.
 */
import { writeSync } from 'node:fs'
import { isRefusal, type Log } from '../../engine/index.js'

const STANDARD_ERROR = 2

/** Where the trace is written; known once the engine is open. */
let log: Pick<Log, 'error'> | null = null

export function traceIn(of: Pick<Log, 'error'>): void {
  log = of
}

let isEnding = false

function sentenceOf(error: unknown, reason: string): string {
  // A damaged page is damaged after another start, too.
  if (isRefusal(error, 'data_dir_invalid')) return `The service ends: ${reason}.`
  const advice = 'What was acknowledged is on disk; start it again.'
  return `The service ends by an error that it did not expect: ${reason}. ${advice}`
}

function end(error: unknown): void {
  if (isEnding) process.exit(1)
  isEnding = true
  try {
    const message = error instanceof Error ? error.message : String(error)
    const reason = message.split('\n')[0]?.replace(/\.$/, '') || 'it has no message'
    writeSync(STANDARD_ERROR, `${sentenceOf(error, reason)}\n`)
    log?.error('an error that nobody caught ends the process', { err: error })
  } finally {
    process.exit(1)
  }
}

/** From now on. Promises that nobody handles count, too. */
export function endOnUncaught(): void {
  process.on('uncaughtException', end)
}
