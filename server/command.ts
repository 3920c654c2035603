/** Commands for operators: how they read their arguments, and how they end. */
import { parseArgs, type ParseArgsConfig } from 'node:util'

/** Ends with 2: it could not do its work. */
export function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(2)
}

/** Asks how a program is used. */
export function asksForHelp(args: readonly string[]): boolean {
  return args.includes('--help') || args.includes('-h')
}

/** The arguments; ends with how to use the command where they are others, and where that is what is asked for. */
export function readCommand<O extends NonNullable<ParseArgsConfig['options']>>(
  usage: string,
  places: number,
  options: O,
) {
  if (asksForHelp(process.argv.slice(2))) {
    process.stdout.write(`Usage: ${usage}\n`)
    process.exit(0)
  }
  try {
    const read = parseArgs({ options, allowPositionals: true })
    if (read.positionals.length === places && !read.positionals.includes('')) return read
  } catch {
    // Said below.
  }
  return fail(`Usage: ${usage}`)
}
