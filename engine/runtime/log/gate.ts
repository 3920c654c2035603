/** A gate through which one piece of work goes at a time. Who closes it waits for the work that is in it. */
export class WorkGate {
  #inside: Promise<unknown> = Promise.resolve()
  #closed: Promise<void> = Promise.resolve()

  /** Does the work when the gate is open. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    await this.#closed
    const done = work()
    this.#inside = done.catch(() => {})
    return await done
  }

  /** Closes it behind whoever closed it before. Resolves when nothing is inside, with what opens it again. */
  async close(): Promise<() => void> {
    const before = this.#closed
    let open = (): void => {}
    this.#closed = new Promise((resolve) => (open = resolve))
    await before
    await this.#inside
    return open
  }
}
