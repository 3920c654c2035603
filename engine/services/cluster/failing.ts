/**
 * Whether following has stopped for good, of a shard or of the catalog: then what is open has to be opened again.
 *
 * Owns: the first failure, and telling it. Leaves out: what follows (cluster-node.ts), which failures end a node
 * (fatal.ts).
 */
export class Failing {
  /** Why; null while all is well. */
  failure: unknown = null
  #settle: (how: 'failing') => void = () => {}
  readonly over = new Promise<'failing'>((resolve) => (this.#settle = resolve))
  readonly #wake: () => void

  constructor(wake: () => void) {
    this.#wake = wake
  }

  readonly stopped = (error: unknown): void => {
    this.failure ??= error
    this.#settle('failing')
    this.#wake()
  }
}
