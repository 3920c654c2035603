/** Arguments and exit of the commands for operators. */
import { parseArgs, type ParseArgsConfig } from 'node:util'

/** Prints the sentence and exits with 2: the command could not run. */
export function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(2)
}

/** True if the arguments ask for help. */
export function asksForHelp(args: readonly string[]): boolean {
  return args.includes('--help') || args.includes('-h')
}

/** The arguments. Exits with the usage if they are wrong, or if help is requested. */
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
    // Reported below.
  }
  return fail(`Usage: ${usage}`)
}
