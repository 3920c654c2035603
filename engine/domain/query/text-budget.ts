/**
 * Bounds the time of a query inside one event. A scan checks the time between events (query/event-scan.ts). Patterns
 * and phrases may read long texts many times, so they count the characters here, and the time is checked as well.
 */
const CHARACTERS_PER_CHECK = 2 ** 20

export class TextBudget {
  readonly #checkTime: () => void
  #characters = 0

  /** `checkTime` throws if the query's time is over. */
  constructor(checkTime: () => void) {
    this.#checkTime = checkTime
  }

  /** Counts characters that were read. */
  spend(characters: number): void {
    this.#characters += characters
    if (this.#characters < CHARACTERS_PER_CHECK) return
    this.#characters = 0
    this.#checkTime()
  }
}
