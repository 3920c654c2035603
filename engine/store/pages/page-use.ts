/** What a walk through a file finds: which pages are in use, which are free, and what is wrong. */
import { META_PAGES, PageDamage } from './page-file.js'

const PROBLEMS_MAX = 100
const USED = 1
const FREE = 2

/** What is wrong with a file; `page` is null if no single page is. `what` ends a sentence that begins with the page. */
export interface PageProblem {
  readonly page: number | null
  readonly what: string
}

export class PageUse {
  /** Up to a hundred. */
  readonly problems: PageProblem[] = []
  readonly #state: Uint8Array

  constructor(lastPage: number) {
    this.#state = new Uint8Array(lastPage + 1)
    this.#state.fill(USED, 0, META_PAGES)
  }

  note(page: number | null, what: string): void {
    if (this.problems.length < PROBLEMS_MAX) this.problems.push({ page, what })
  }

  /** Pages of a tree. @throws PageDamage if one of them is outside the file or already in use. */
  take(page: number, count: number): void {
    for (let each = page; each < page + count; each++) {
      if (!(each >= META_PAGES && each < this.#state.length))
        throw new PageDamage(`page ${each} is not a page of the file`)
      if (this.#state[each] !== 0) throw new PageDamage(`page ${each} is in use twice`)
      this.#state[each] = USED
    }
  }

  /** Pages on the list of free ones. */
  free(pages: readonly number[]): void {
    for (const page of pages) {
      if (page < META_PAGES || page >= this.#state.length)
        this.note(page, 'is listed as free and is not a page of the file')
      else if (this.#state[page] !== 0)
        this.note(page, this.#state[page] === USED ? 'is listed as free and is in use' : 'is listed as free twice')
      else this.#state[page] = FREE
    }
  }

  /** The first page that is neither in use nor free, or -1. */
  lost(): number {
    return this.#state.indexOf(0)
  }

  used(): number[] {
    return Array.from(this.#state.keys()).filter((page) => this.#state[page] === USED)
  }
}
