/** Runs `decide` in this process. */
import { Readable } from 'node:stream'
import { runCommand } from '../../../server/cli/run.js'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Buffer
  /** The width of the terminal; without it there is none. */
  readonly columns?: number
  readonly signal?: AbortSignal
  /** Is called with all that was written so far. */
  readonly onOutput?: (out: string) => void
}

export async function decide(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { env = {}, input = '', columns, signal = new AbortController().signal, onOutput } = options
  const written = { out: '', err: '' }
  const stream = (name: 'out' | 'err') => ({
    isTTY: columns !== undefined,
    columns,
    write(text: string) {
      written[name] += text
      if (name === 'out') onOutput?.(written.out)
    },
  })
  const stdin = Readable.from([Buffer.from(input)])
  const world = { stdin, stdout: stream('out'), stderr: stream('err'), env, signal }
  const code = await runCommand(args, world, '1.2.3')
  return { code, ...written }
}
