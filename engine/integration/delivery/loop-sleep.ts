/** The rests of a loop: a step with nothing to do sleeps until it is woken, one whose counterpart failed sleeps its time. */
export class Rest {
  readonly #stopped: AbortSignal
  #wake: (() => void) | null = null
  #woken = false

  constructor(stopped: AbortSignal) {
    this.#stopped = stopped
  }

  /** True while it sleeps. */
  get isSleeping(): boolean {
    return this.#wake !== null
  }

  /** There may be something to do. */
  wake(): void {
    this.#woken = true
    this.#wake?.()
  }

  /** A look for something to do begins: who wakes from here on means the next one. */
  look(): void {
    this.#woken = false
  }

  /** Waking cuts short the rest of who has nothing to do, never the wait for a counterpart that failed. */
  async sleep(ms: number, isIdle: boolean): Promise<void> {
    if (this.#stopped.aborted || (isIdle && this.#woken)) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        if (!isIdle && !this.#stopped.aborted) return
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = null
  }
}
