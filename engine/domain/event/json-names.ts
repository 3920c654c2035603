/**
 * Counts the different names of fields in a JSON text before it is parsed.
 *
 * JSON.parse keeps each name that it meets for the first time, and a shape for each new list of them. That takes
 * microseconds a name, where a value takes a tenth of one. A body whose names are data would hold its thread for a
 * second. Leaves out: counting values (json-size.ts), whether the text is JSON.
 *
 * 1. A name that is spelled with different escapes counts once for each spelling.
 */
import { endOfText } from './json.js'
import { QUOTE } from './json-size.js'

const COLON = 0x3a
const SPACE = 0x20
/** A field whose name differs from very many others takes as many characters: `"abc":1,`. */
const CHARS_MIN = 6

/** True for a text with more than `namesMax` different names. They are compared only where it has as many fields. */
export function hasMoreNames(text: string, namesMax: number): boolean {
  if (text.length <= CHARS_MIN * namesMax || countFields(text, namesMax) <= namesMax) return false
  const names = new Set<string>()
  eachName(text, (from, to) => names.add(text.slice(from, to)).size <= namesMax)
  return names.size > namesMax
}

/** Counting stops one above `most`. */
function countFields(text: string, most: number): number {
  let fields = 0
  eachName(text, () => ++fields <= most)
  return fields
}

/** Calls `visit` with the place of each name, without its quotes, until it returns false. */
function eachName(text: string, visit: (from: number, to: number) => boolean): void {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) !== QUOTE) continue
    const from = at + 1
    at = endOfText(text, from)
    if (isBeforeColon(text, at + 1) && !visit(from, at)) return
  }
}

/** True where nothing but white space is between `at` and a colon. */
function isBeforeColon(text: string, at: number): boolean {
  while (at < text.length && text.charCodeAt(at) <= SPACE) at++
  return text.charCodeAt(at) === COLON
}
