/** Runs one command line, and says with which code the process should end. */
import { ExitCode, proposeCompletions, run } from '@stricli/core'
import { makeApp } from './app.js'
import { Context } from './context.js'
import { exitCodes } from './failure.js'
import { withJobFirst } from './job-first.js'
import { cleanLine } from './terminal/clean.js'
import type { World } from './world.js'

/** What scripts of shells ask with. */
const COMPLETE = '__complete'

function codeOf(code: unknown): number {
  if (code === ExitCode.InvalidArgument || code === ExitCode.UnknownCommand) return exitCodes.usage
  const value = Number(code ?? 0)
  return value < 0 ? exitCodes.failed : value
}

export async function runCommand(args: readonly string[], world: World, version: string): Promise<number> {
  const app = makeApp(version)
  const context = new Context(world)
  const [first, ...words] = args
  if (first === COMPLETE) {
    for (const { completion, brief } of await proposeCompletions(app, words, context))
      world.stdout.write(`${completion}\t${cleanLine(brief)}\n`)
    return exitCodes.done
  }
  // Without a command: what there is.
  await run(app, args.length === 0 ? ['--help'] : withJobFirst(args), context)
  return codeOf(context.process.exitCode)
}
