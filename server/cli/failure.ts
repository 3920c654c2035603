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

/** What is wrong with a file, by the code of the system. */
const fileFaults: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be opened by this user',
  EPERM: 'may not be opened by this user',
  EISDIR: 'is a directory; give a file',
  EROFS: 'cannot be written: the file system is read-only',
  ENOSPC: 'cannot be written: the disk is full',
}

/** What the system says of a file, in words; its own message for anything else. */
function systemSentence({ code = '', path, message }: NodeJS.ErrnoException): string {
  const fault = fileFaults[code]
  // Reading a directory fails without its path.
  return fault === undefined ? message : `${path ?? 'the file'} ${fault}`
}

/** One sentence, or the stack of an error that nobody expected. */
export function sentenceOf(error: unknown): string {
  if (isInterrupt(error)) return 'Interrupted.'
  if (error instanceof ServiceError) {
    const hint = error instanceof ApiError && error.status !== null ? hints[error.status] : undefined
    const request = error.requestId === null ? '' : ` (request ${error.requestId})`
    // The client puts the name of the operation first, which says nothing to people.
    const said = error.message.replace(/^[a-z]\w+: /, '').replace(/\.$/, '')
    return `${said}${hint === undefined ? '' : `: ${hint}`}${request}.`
  }
  if (error instanceof CommandError || isSystemError(error) || isNamed(error, 'Refusal', 'FileError')) {
    const sentence = isSystemError(error) ? systemSentence(error) : error.message
    return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** A refusal of the engine, which only commands on a data directory load, or a file that cannot be read. */
function isNamed(error: unknown, ...names: readonly string[]): error is Error {
  return error instanceof Error && names.includes(error.name)
}
