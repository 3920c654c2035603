/** A whole engine in a process of its own, seen from the test that kills it. */
import { fork, spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { childFile } from '../child-files.js'
import { shortLived } from '../support/short-lived.js'

type Command =
  | { readonly ask: 'ingest'; readonly eventId: string | null; readonly body: Readonly<Record<string, unknown>> }
  | { readonly ask: 'ingest many'; readonly bodies: readonly Readonly<Record<string, unknown>>[] }
  | { readonly ask: 'feedback'; readonly eventId: string; readonly analyst: string; readonly label: string }
  | { readonly ask: 'override'; readonly eventId: string; readonly label: string | null; readonly by: string }
  | { readonly ask: 'event' | 'reprocess event'; readonly eventId: string }
  | { readonly ask: 'note'; readonly eventId: string; readonly text: string }
  | { readonly ask: 'historic'; readonly events: readonly object[] }
  | { readonly ask: 'train' | 'stop' | 'start' | 'job' | 'reprocess' | 'tasks' | 'close' }

export type ChildRequest = Command & { readonly number: number }

export interface ChildAnswer {
  readonly number: number
  readonly result?: unknown
  /** Code of the refusal. */
  readonly refused?: string
  /** Turns and threads that failed since the last answer. */
  readonly failures: readonly string[]
}

export type Ready =
  | { readonly ready: true; readonly jobId: number }
  | { readonly ready: false; readonly code: string; readonly message: string }

/** The outcome of a request: a result, a refusal, or null if the process died first. */
export type Outcome = { readonly result: unknown } | { readonly refused: string } | null

const program = fileURLToPath(childFile('engine-child'))

export class EngineChild {
  readonly process: ChildProcess
  /** How the start went; null if the process died in it. */
  readonly ready: Promise<Ready | null>
  readonly exited: Promise<void>
  readonly failures: string[] = []
  /** Its standard error, to which LMDB writes. */
  errorText = ''
  readonly #waiting = new Map<number, (outcome: Outcome) => void>()
  #numbers = 0

  /**
   * `limitKib`: no file may grow beyond it, until the limit is raised. `searchPort`: the port of a search engine for
   * enrichment.
   */
  constructor(dataDir: string, limitKib?: number, searchPort?: number) {
    const args = [program, dataDir]
    // Unless this signal is ignored, the first write over the limit kills the process.
    this.process =
      limitKib === undefined
        ? fork(program, [dataDir, '2', ...(searchPort === undefined ? [] : [String(searchPort)])], {
            execArgv: [...shortLived],
            stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
          })
        : spawn(
            'bash',
            ['-c', `trap "" XFSZ; ulimit -S -f ${limitKib}; exec "$@"`, 'bash', process.execPath, ...args],
            {
              stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
            },
          )
    this.process.stderr?.on('data', (text) => (this.errorText += String(text)))
    this.exited = new Promise((resolve) => this.process.once('exit', () => resolve()))
    this.ready = new Promise((resolve) => {
      this.process.once('message', (message: Ready) => {
        this.process.on('message', (answer: ChildAnswer) => this.#answered(answer))
        resolve(message)
      })
      this.process.once('exit', () => {
        resolve(null)
        for (const tell of this.#waiting.values()) tell(null)
      })
    })
  }

  ask(command: Command): Promise<Outcome> {
    const number = this.#numbers++
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve)
      if (!this.process.connected) return resolve(null)
      // A dying process may not take it; its exit answers then.
      this.process.send({ ...command, number }, () => {})
    })
  }

  /** Sends SIGKILL and waits for the exit. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL')
    await this.exited
  }

  async close(): Promise<void> {
    await this.ask({ ask: 'close' })
    this.process.disconnect()
    await this.exited
  }

  #answered({ number, result, refused, failures }: ChildAnswer): void {
    this.failures.push(...failures)
    const tell = this.#waiting.get(number)
    this.#waiting.delete(number)
    tell?.(refused === undefined ? { result } : { refused })
  }
}
