/** Asks the person at the terminal. A secret is not shown. Without a terminal, answers are lines of standard input. */
import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { UsageError } from '../failure.js'
import type { World } from '../world.js'

export class Prompt {
  readonly #interface: Interface
  readonly #lines: AsyncIterator<string>
  readonly #world: World
  #isSecret = false

  constructor(world: World) {
    this.#world = world
    const isTerminal = world.stdin.isTTY === true
    const output = new Writable({
      write: (bytes: Buffer, _encoding, done) => {
        if (!this.#isSecret) world.stderr.write(bytes.toString())
        done()
      },
    })
    this.#interface = createInterface({ input: world.stdin, output, terminal: isTerminal })
    this.#lines = this.#interface[Symbol.asyncIterator]()
  }

  async ask(text: string, fallback?: string): Promise<string> {
    if (this.#world.stdin.isTTY === true)
      this.#world.stderr.write(fallback === undefined ? `${text}: ` : `${text} [${fallback}]: `)
    return (await this.#next()) || (fallback ?? '')
  }

  async askSecret(text: string): Promise<string> {
    if (this.#world.stdin.isTTY === true) this.#world.stderr.write(`${text} (not shown): `)
    this.#isSecret = true
    try {
      return await this.#next()
    } finally {
      this.#isSecret = false
      if (this.#world.stdin.isTTY === true) this.#world.stderr.write('\n')
    }
  }

  close(): void {
    this.#interface.close()
  }

  async #next(): Promise<string> {
    const next = await this.#lines.next()
    if (next.done === true) throw new UsageError('the input ended before every answer was given')
    return next.value.trim()
  }
}
