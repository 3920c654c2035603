/** The sleep of a loop. A loop with nothing to do sleeps until it is woken; after a failure it sleeps the full time. */
export class LoopSleep {
  readonly #stopped: AbortSignal
  #wake: (() => void) | null = null
  #end: (() => void) | null = null
  #woken = false

  constructor(stopped: AbortSignal) {
    this.#stopped = stopped
  }

  /** True while the loop sleeps. */
  get isSleeping(): boolean {
    return this.#wake !== null
  }

  /** Call when there may be something to do. */
  wake(): void {
    this.#woken = true
    this.#wake?.()
  }

  /** Ends any sleep, the pause after a failure too. */
  interrupt(): void {
    this.#woken = true
    this.#end?.()
  }

  /** Call before looking for work: a later `wake` prevents the next idle sleep. */
  beginPass(): void {
    this.#woken = false
  }

  /** Sleeps. `wake` ends an idle sleep early, but not the pause after a failure. */
  async sleep(ms: number, isIdle: boolean): Promise<void> {
    if (this.#stopped.aborted || (isIdle && this.#woken)) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#end = () => {
        clearTimeout(timer)
        resolve()
      }
      this.#wake = () => {
        if (isIdle || this.#stopped.aborted) this.#end?.()
      }
    })
    this.#wake = null
    this.#end = null
  }
}
