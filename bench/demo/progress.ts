/** Shows the demo's progress: one moving line on a terminal, one line a phase elsewhere. */

const barWidth = 28

export class Progress {
  readonly #out: NodeJS.WriteStream
  readonly #startedAt = performance.now()
  #what = ''
  #shownAt = 0

  constructor(out: NodeJS.WriteStream = process.stderr) {
    this.#out = out
  }

  /** Begins a phase and ends the one before. */
  phase(what: string): void {
    this.#what = what
    this.update(0, '', true)
  }

  /** `share` 0 to 1. */
  update(share: number, remark: string, force = false): void {
    if (!this.#out.isTTY) return
    const now = performance.now()
    if (!force && now - this.#shownAt < 80) return
    this.#shownAt = now
    const filled = Math.round(Math.min(1, share) * barWidth)
    const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled)
    this.#out.write(`\r\x1b[K${this.#clock()}  ${bar}  ${this.#what}  ${remark}`)
  }

  done(remark: string): void {
    this.#out.write(`${this.#out.isTTY ? '\r\x1b[K' : ''}${this.#clock()}  ${this.#what}: ${remark}\n`)
  }

  #clock(): string {
    return `${((performance.now() - this.#startedAt) / 1000).toFixed(1).padStart(5)} s`
  }
}
