/** Commands for operators: how they read their arguments, and how they end. */
import { parseArgs, type ParseArgsConfig } from 'node:util'

/** Ends with 2: it could not do its work. */
export function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(2)
}

/** The arguments; ends with how to use the command where they are others. */
export function readCommand<O extends NonNullable<ParseArgsConfig['options']>>(usage: string, places: number, options: O) {
  try {
    const read = parseArgs({ options, allowPositionals: true })
    if (read.positionals.length === places) return read
  } catch {
    // Said below.
  }
  return fail(`Usage: ${usage}`)
}
