/**
 * How much there is to parse in a JSON text, told before it is parsed.
 *
 * JSON.parse costs time and memory for each value, not for each byte, and a small compressed body can hold very many
 * values. So whoever parses what a client sent looks here first. Leaves out: whether the text is JSON.
 */
import { limits } from '../../limits.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const BRACKET = 0x5b
const BRACE = 0x7b
/** From an opening bracket or brace to the closing one. */
const TO_CLOSING = 2

export interface JsonSize {
  /** Objects, arrays and what is in them; at most one more than there are. Counted to one beyond `valuesMax`. */
  readonly values: number
  /** Objects and arrays that are inside each other, at most. */
  readonly depth: number
}

/** How many values a text may have that may have so many bytes. */
export function valuesMaxOf(bytesMax: number): number {
  return bytesMax / limits.bytesPerValueMin
}

/** True for a text with more values than that; what is no longer than so many characters need not be looked through. */
export function hasMoreValues(text: string, valuesMax: number): boolean {
  return text.length > valuesMax && jsonSize(text, valuesMax).values > valuesMax
}

/** Walks over the text once, and no further than to where it has too many values. */
export function jsonSize(text: string, valuesMax: number): JsonSize {
  let [values, open, depth] = [1, 0, 0]
  for (let at = 0; at < text.length && values <= valuesMax; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfText(text, at + 1)
        break
      case COMMA:
        values++
        break
      case BRACKET:
      case BRACE:
        values++
        if (++open > depth) depth = open
        break
      case BRACKET + TO_CLOSING:
      case BRACE + TO_CLOSING:
        open--
    }
  }
  return { values, depth }
}

/** Where the quote stands that closes a text, or the end of all where none does. */
function endOfText(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  return text.length
}
