/** A real nats-server: built from the Go module proxy, or of Debian. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Child, listens } from './child.js'
import { debianOf, firstOf, goProgram, isShort } from './counterparts.js'
import { freePort } from '../../../bench/harness/free-port.js'

const VERSION = 'v2.12.1'

/**
 * The program. The short setting tries the older one of Debian first, which needs no build. @throws NotHere if there is
 * none.
 */
export function natsProgram(): string {
  const go = (): string =>
    join(goProgram(`nats-server-${VERSION}`, `github.com/nats-io/nats-server/v2@${VERSION}`), 'nats-server')
  const debian = (): string => join(debianOf('nats-server-debian', ['nats-server']), 'usr/sbin/nats-server')
  return isShort ? firstOf(debian, go) : firstOf(go, debian)
}

export class NatsNode {
  readonly port: number
  readonly #program: string
  readonly #home: string
  #child: Child | null = null

  private constructor(program: string, port: number, home: string, configuration: string) {
    this.#program = program
    this.port = port
    this.#home = home
    writeFileSync(
      join(home, 'nats.conf'),
      `listen: 127.0.0.1:${port}\njetstream { store_dir: "${home}/store" }\n${configuration}\n`,
    )
  }

  /**
   * `configuration` is added to the lines that make it listen and keep streams. `{home}` in it is a folder with these
   * files.
   */
  static async open(
    program: string,
    configuration = '',
    files: Readonly<Record<string, string>> = {},
  ): Promise<NatsNode> {
    const home = mkdtempSync(join(tmpdir(), 'nats-'))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
    const node = new NatsNode(program, await freePort(), home, configuration.replaceAll('{home}', home))
    await node.start()
    return node
  }

  async start(): Promise<void> {
    this.#child = await Child.start(this.#program, ['-c', join(this.#home, 'nats.conf')], () => listens(this.port))
  }

  /** As a power cut would. */
  async kill(): Promise<void> {
    await this.#child?.kill()
  }

  async close(): Promise<void> {
    await this.kill()
    rmSync(this.#home, { recursive: true, force: true })
  }
}
