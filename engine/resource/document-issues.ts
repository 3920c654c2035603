/** Collects everything that is wrong in a document, so that one answer shows it all. */
import { cutText } from '../domain/event/input/cut-text.js'
import { Refusal, type Issue, type RefusalCode } from '../errors.js'
import { limits } from '../limits.js'

/** Steps into a document: names and array positions. */
export type DocumentPlace = readonly (string | number)[]

const ISSUES_SHOWN_MAX = 100

/** A name of the document as an answer shows it: in a hundred issues, a long one would be as many megabytes. */
export function shownName(name: string): string {
  const { nameCharsMax } = limits
  return cutText(name, nameCharsMax)
}

/** A place for people: `resources.job1.properties.title`. */
export function placeText(place: DocumentPlace): string {
  return place.join('.')
}

export class Issues {
  readonly #issues: Issue[] = []
  #count = 0

  add(loc: DocumentPlace, msg: string, type: string): void {
    this.#count++
    if (this.#issues.length >= ISSUES_SHOWN_MAX) return
    this.#issues.push({ loc: loc.map((step) => (typeof step === 'string' ? shownName(step) : step)), msg, type })
  }

  /** Returns a function that adds issues whose places are inside `prefix`. */
  under(prefix: DocumentPlace): (issue: Issue) => void {
    return ({ loc, msg, type }) => this.add([...prefix, ...loc], msg, type)
  }

  /** @throws Refusal with that code when anything was added. */
  refuse(code: RefusalCode): void {
    const first = this.#issues[0]
    if (first === undefined) return
    const more = this.#count > 1 ? ` (and ${this.#count - 1} more)` : ''
    const where = first.loc.length === 0 ? '' : `${placeText(first.loc)}: `
    throw new Refusal(code, `${where}${first.msg}${more}`, { issues: this.#issues })
  }
}
