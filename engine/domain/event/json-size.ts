/**
 * Counts the values in a JSON text before it is parsed.
 *
 * JSON.parse costs time and memory for each value, not for each byte, and a small compressed body can hold very many
 * values. So a client's text is counted before it is parsed. Leaves out: whether the text is JSON, names
 * (json-names.ts).
 */
import { limits } from '../../limits.js'
import { endOfText } from './json.js'

export const QUOTE = 0x22
const COMMA = 0x2c
const BRACKET = 0x5b
const BRACE = 0x7b
/** Difference between the codes of a closing and an opening bracket, and of braces. */
const TO_CLOSING = 2

export interface JsonSize {
  /** Number of values, or one more than there are. Counting stops one above `valuesMax`. */
  readonly values: number
  /** Greatest depth of nested objects and arrays. */
  readonly depth: number
}

/** The most values for a text of `bytesMax` bytes at most. */
export function valuesMaxOf(bytesMax: number): number {
  return bytesMax / limits.bytesPerValueMin
}

/** True for a text with more than `valuesMax` values. A text without more characters than that is not read. */
export function hasMoreValues(text: string, valuesMax: number): boolean {
  return text.length > valuesMax && jsonSize(text, valuesMax).values > valuesMax
}

/** Reads the text once, at most up to the value that is one too many. */
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
