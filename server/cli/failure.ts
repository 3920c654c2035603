/** How a command ends. Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 75 try again later, 130 interrupted. */
import { ApiError, isTransient, ServiceError } from '../client/index.js'

export const exitCodes = { done: 0, failed: 1, usage: 2, tryAgain: 75, interrupted: 130 } as const

/** A command that cannot go on, as a sentence for people. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError'
  readonly exitCode: number

  constructor(sentence: string, exitCode: number = exitCodes.failed) {
    super(sentence)
    this.exitCode = exitCode
  }
}

/** What was typed cannot be meant. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError'

  constructor(sentence: string) {
    super(sentence, exitCodes.usage)
  }
}

/** True for what a file system or a socket says. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string' && 'syscall' in error
}

/** The error of a signal that ended the command. */
function isInterrupt(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode
  if (isInterrupt(error)) return exitCodes.interrupted
  return isTransient(error) ? exitCodes.tryAgain : exitCodes.failed
}

const hints: Readonly<Record<number, string>> = {
  401: 'run "decide init" with a valid key',
  403: 'the key lacks the scope for this; use another one',
}

/** One sentence, or the stack of an error that nobody expected. */
export function sentenceOf(error: unknown): string {
  if (isInterrupt(error)) return 'Interrupted.'
  if (error instanceof ServiceError) {
    const hint = error instanceof ApiError && error.status !== null ? hints[error.status] : undefined
    const request = error.requestId === null ? '' : ` (request ${error.requestId})`
    return `${error.message.replace(/\.$/, '')}${hint === undefined ? '' : `: ${hint}`}${request}.`
  }
  if (error instanceof CommandError || isSystemError(error) || isRefusal(error)) {
    return /[.!?]$/.test(error.message) ? error.message : `${error.message}.`
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** A refusal of the engine, which only commands on a data directory load. */
function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === 'Refusal'
}
