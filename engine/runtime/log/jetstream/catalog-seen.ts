/**
 * How far the copies of the catalog are, told by the nodes that follow it. Its owner waits for them before it answers a
 * change of resources: then the change is in force on every node.
 *
 * Owns: telling, hearing and waiting. Leaves out: which changes wait (catalog-writer.ts).
 *
 * 1. A node that does not follow in time is not waited for again, until it does. So one that hangs costs one wait.
 * 2. Nothing is lost where nobody hears: a copy has the change soon after.
 */
import type { NatsConnection } from '@nats-io/transport-node'

/** Milliseconds between two tellings without a change; until a silent node is gone; until nobody is waited for. */
const [TELL_MS, SILENT_MS, WAIT_MS] = [1_000, 2_500, 250]

interface Told {
  readonly process: string
  readonly sequence: number
}

function subjectOf(name: string): string {
  return `${name}.catalog.seen`
}

export interface TellerDeps {
  readonly connection: NatsConnection
  /** Of the streams. */
  readonly name: string
  readonly process: string
  /** Sequence of the last record that is applied here. */
  applied(): number
}

/** Tells how far the copy here is, each time it is called and every second, until `end`. */
export class CatalogTeller {
  readonly #deps: TellerDeps
  readonly #timer: NodeJS.Timeout

  constructor(deps: TellerDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => this.tell(), TELL_MS).unref()
  }

  tell(): void {
    const { connection, name, process, applied } = this.#deps
    if (connection.isClosed()) return
    connection.publish(subjectOf(name), JSON.stringify({ process, sequence: applied() } satisfies Told))
  }

  end(): void {
    clearInterval(this.#timer)
  }
}

/** Hears how far the copies are. */
export class CatalogHearer {
  readonly #nodes = new Map<string, { sequence: number; heardMs: number; isLate: boolean }>()
  #heard = (): void => {}

  constructor(connection: NatsConnection, name: string) {
    connection.subscribe(subjectOf(name), {
      callback: (_error, message) => this.#hear(JSON.parse(Buffer.from(message.data).toString('utf8')) as Told),
    })
  }

  /** Resolves when all copies have this record, or have not in time. */
  async reached(sequence: number): Promise<void> {
    const end = performance.now() + WAIT_MS
    while (this.#behind(sequence).length > 0) {
      const leftMs = end - performance.now()
      if (leftMs <= 0) {
        for (const node of this.#behind(sequence)) node.isLate = true
        return
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs)
        this.#heard = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  #behind(sequence: number) {
    const since = performance.now() - SILENT_MS
    return [...this.#nodes.values()].filter((one) => one.sequence < sequence && !one.isLate && one.heardMs > since)
  }

  #hear({ process, sequence }: Told): void {
    const isLate = this.#nodes.get(process)?.isLate === true && sequence <= (this.#nodes.get(process)?.sequence ?? 0)
    this.#nodes.set(process, { sequence, heardMs: performance.now(), isLate })
    this.#heard()
  }
}
