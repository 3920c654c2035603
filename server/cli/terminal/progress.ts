/** A line on standard error that says how far a command is. It is drawn on a terminal only. */
import type { Stream } from '../world.js'

const REDRAW_MS = 100
const BAR = 24

export interface Step {
  /** Done so far. */
  readonly done: number
  /** Of what is known to be there, from 0 to 1; null if nobody knows. */
  readonly share: number | null
}

export class Progress {
  readonly #stream: Stream
  readonly #unit: string
  readonly #startedAt = performance.now()
  #drawnAt = 0
  #isDrawn = false

  constructor(stream: Stream, unit: string) {
    this.#stream = stream
    this.#unit = unit
  }

  /** Draws at most ten times a second. */
  show({ done, share }: Step): void {
    const now = performance.now()
    if (this.#stream.isTTY !== true || now - this.#drawnAt < REDRAW_MS) return
    this.#drawnAt = now
    this.#isDrawn = true
    const seconds = (now - this.#startedAt) / 1000
    const rate = seconds > 0 ? Math.round(done / seconds) : 0
    const full = share === null ? 0 : Math.round(Math.min(1, share) * BAR)
    const bar = share === null ? '' : `[${'#'.repeat(full)}${' '.repeat(BAR - full)}] ${Math.floor(share * 100)} %  `
    const text = `${bar}${done.toLocaleString('en')} ${this.#unit}  ${rate.toLocaleString('en')}/s`
    this.#stream.write(`\r\u001b[K${text.slice(0, (this.#stream.columns ?? 80) - 1)}`)
  }

  /** Removes the line. */
  clear(): void {
    if (this.#isDrawn) this.#stream.write('\r\u001b[K')
    this.#isDrawn = false
  }
}
