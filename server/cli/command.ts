/** A command whose function is loaded when it runs, and gets the context as its first argument. */
import { buildCommand, type Command, type CommandBuilderArguments, type FlagParametersForType } from '@stricli/core'
import type { Context } from './context.js'

type Documentation = Parameters<typeof buildCommand>[0]['docs']

type Run<FLAGS, ARGS extends readonly unknown[]> = (context: Context, flags: FLAGS, ...args: ARGS) => Promise<void>

export interface CommandOptions<FLAGS extends object, ARGS extends readonly unknown[]> {
  readonly load: () => Promise<Run<FLAGS, ARGS>>
  readonly docs: Documentation
  readonly parameters: {
    readonly flags: FlagParametersForType<FLAGS, Context>
    readonly aliases?: Readonly<Partial<Record<string, keyof FLAGS & string>>>
    readonly positional?: unknown
  }
}

export function command<FLAGS extends object, ARGS extends readonly unknown[]>(
  options: CommandOptions<FLAGS, ARGS>,
): Command<Context> {
  const { load, docs, parameters } = options
  return buildCommand({
    loader: async () => {
      const run = await load()
      return function (this: Context, flags: FLAGS, ...args: ARGS) {
        return run(this, flags, ...args)
      }
    },
    parameters,
    docs,
  } as unknown as CommandBuilderArguments<never, never, Context>) as Command<Context>
}
