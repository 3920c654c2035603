/**
 * What a question costs inside of single events. Between events a scan looks at the time (query/event-scan.ts); whoever goes over
 * long texts again and again, for a pattern or a phrase, says so here, so that one event takes no longer than a question may.
 */
const CHARACTERS_PER_LOOK = 2 ** 20

export class TextBudget {
  readonly #look: () => void
  #characters = 0

  /** `look` is told now and then; it throws where the question's time is over. */
  constructor(look: () => void) {
    this.#look = look
  }

  /** So many characters were looked at. */
  spend(characters: number): void {
    this.#characters += characters
    if (this.#characters < CHARACTERS_PER_LOOK) return
    this.#characters = 0
    this.#look()
  }
}
