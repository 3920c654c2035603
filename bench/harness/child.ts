/** Child processes of a benchmark: started, awaited until they listen, and always ended. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mallocVariables, youngGeneration } from '../../server/memory-settings.js'

const children = new Set<ChildProcess>()

process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

export interface Child {
  readonly process: ChildProcess
  readonly pid: number
  /** The end of its standard error and output. */
  tail(): string
  /** Null while it runs. */
  exitCode(): number | null
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Starts `node file ...args`. */
export function startNode(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Child {
  return startProgram(process.execPath, ['--enable-source-maps', file, ...args], env)
}

/** Starts the service as `npm start` does. */
export function startMain(file: string, env: NodeJS.ProcessEnv): Child {
  return startProgram(process.execPath, [youngGeneration, file], { ...mallocVariables, ...env })
}

/** Starts a program. */
export function startProgram(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Child {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  let tail = ''
  const keep = (chunk: Buffer): void => {
    tail = (tail + chunk.toString('utf8')).slice(-4_000)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const exited = once(child, 'exit').then(() => children.delete(child))
  return {
    process: child,
    pid: child.pid ?? 0,
    tail: () => tail,
    exitCode: () => child.exitCode ?? (child.signalCode === null ? null : -1),
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      await exited
    },
  }
}

/** Runs `node file ...args` to its end and parses its last line as JSON. */
export async function runNode(file: string, args: readonly string[]): Promise<unknown> {
  const { code, out, err } = await run(process.execPath, ['--enable-source-maps', file, ...args])
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${err.slice(-1_000)}`)
  return JSON.parse(out.trim().split('\n').at(-1) ?? '')
}

/** Runs a program to its end. */
export async function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(program, args, {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString('utf8')))
  const [code] = (await once(child, 'close')) as [number | null]
  children.delete(child)
  return { code: code ?? -1, out, err }
}
