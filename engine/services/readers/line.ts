/** Does things of one kind one after another, in the order in which they came. */
export class Line {
  #last: Promise<unknown> = Promise.resolve()

  /** Does `work` when what came before is over. */
  after<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }
}
