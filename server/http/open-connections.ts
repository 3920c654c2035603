/**
 * The open connections of a port, and how many there may be.
 *
 * A connection takes a file of the process, whether or not it ever says anything. Without files left the process could
 * start no thread and read nothing. So what comes beyond a bound is closed as it comes.
 *
 * Owns: the bound, and what one address may take of it. Leaves out: the limit of the process (start/open-files.ts), how
 * long a connection may be silent (about ten seconds: the library, node-http/connections.ts).
 *
 * 1. While more than half of the bound are open, one address may bring a quarter of it in twelve seconds. A connection
 *    that says nothing is closed after that time. So no single address keeps others out with such connections.
 * 2. Connections that are open are never closed here.
 */
import type { Log } from '../../engine/index.js'

/** How long a connection may say nothing, and the time in which the connections of an address are counted. */
const WINDOW_MS = 12_000
/** The share of the bound from which addresses are told apart, and what one of them may bring then. */
const [CROWDED_SHARE, SHARE_OF_ADDRESS] = [0.5, 0.25]
/** A word about refused connections comes at most so often. */
const TOLD_MS = 60_000

export interface OpenConnectionsOptions {
  readonly max: number
  /** Milliseconds that only grow. */
  readonly nowMs?: () => number
  /** Told that connections are refused, once a minute at most. */
  refused?(open: number): void
  /** Two numbers, which other threads may share: open connections, refused ones. */
  readonly words?: Int32Array
}

const [OPEN, REFUSED] = [0, 1] as const

export class OpenConnections {
  readonly max: number
  readonly #nowMs: () => number
  readonly #tell: (open: number) => void
  readonly #words: Int32Array
  #windowMs = Number.NEGATIVE_INFINITY
  readonly #byAddress = new Map<string, number>()
  #toldMs = Number.NEGATIVE_INFINITY

  constructor({ max, nowMs = () => performance.now(), refused = () => {}, words }: OpenConnectionsOptions) {
    this.max = max
    this.#nowMs = nowMs
    this.#tell = refused
    this.#words = words ?? new Int32Array(2)
  }

  get open(): number {
    return Atomics.load(this.#words, OPEN)
  }

  /** Connections that were refused since the start. */
  get refused(): number {
    return Atomics.load(this.#words, REFUSED)
  }

  /** A connection was opened. False if it is to be closed; it counts until `closed` is called for it in any case. */
  opened(address: Uint8Array): boolean {
    const open = Atomics.add(this.#words, OPEN, 1) + 1
    const now = this.#nowMs()
    if (now - this.#windowMs >= WINDOW_MS) {
      this.#windowMs = now
      this.#byAddress.clear()
    }
    const name = Buffer.from(address).toString('latin1')
    const brought = (this.#byAddress.get(name) ?? 0) + 1
    const isCrowded = open > this.max * CROWDED_SHARE
    if (open <= this.max && !(isCrowded && brought > Math.max(1, this.max * SHARE_OF_ADDRESS))) {
      this.#byAddress.set(name, brought)
      return true
    }
    Atomics.add(this.#words, REFUSED, 1)
    if (now - this.#toldMs >= TOLD_MS) {
      this.#toldMs = now
      this.#tell(open)
    }
    return false
  }

  /** A connection was closed. */
  closed(): void {
    Atomics.sub(this.#words, OPEN, 1)
  }
}

/** Connections of the port for operators at once. They are not of the others': it is asked when those are too many. */
export const OPS_CONNECTIONS_MAX = 32

export function opsConnections(): OpenConnections {
  return new OpenConnections({ max: OPS_CONNECTIONS_MAX })
}

/** What the log says of refused connections. */
export function connectionsRefused(log: Pick<Log, 'warn'>, open: number): void {
  const why = 'too many are open, or one address brings too many'
  log.warn(`connections are refused: ${why} (SERVICE_CONNECTIONS_MAX)`, { open })
}
