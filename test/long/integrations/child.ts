/** A real counterpart as a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'

const START_MS = 120_000

export class Child {
  readonly #process: ChildProcess
  #output = ''

  private constructor(process: ChildProcess) {
    this.#process = process
    for (const stream of [process.stdout, process.stderr])
      stream?.on('data', (bytes: Buffer) => (this.#output = `${this.#output}${bytes.toString()}`.slice(-20_000)))
  }

  /** Starts it; resolves when `isUp` is true. @throws Error with its last output if it ends first or takes too long. */
  static async start(
    command: string,
    args: readonly string[],
    isUp: (output: string) => Promise<boolean> | boolean,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Child> {
    const child = new Child(
      spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } }),
    )
    const end = performance.now() + START_MS
    let error: Error | null = null
    child.#process.once('error', (failure) => (error = failure))
    while (!(await isUp(child.#output))) {
      if (error !== null || child.hasEnded || performance.now() > end) {
        await child.kill()
        throw new Error(
          `${command} did not start: ${(error as Error | null)?.message ?? ''} ${child.#output.slice(-2_000)}`,
        )
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return child
  }

  get hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null
  }

  get pid(): number {
    return this.#process.pid as number
  }

  /** Ends it at once, as a power cut would. */
  async kill(): Promise<void> {
    if (this.hasEnded || this.#process.pid === undefined) return
    this.#process.kill('SIGKILL')
    await once(this.#process, 'exit')
  }
}

/** True if something listens there. */
export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (yes: boolean): void => {
      socket.destroy()
      resolve(yes)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}
