/**
 * Whether bytes can be one JSON object and nothing beside it, without parsing them: a few percent of the cost.
 *
 * 1. Where it says yes, and the bytes are valid JSON inside of other JSON, then they are one object there: nothing in
 *    them reaches outside. That is all that an envelope needs. The service says what else is wrong.
 */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const SPACE = 0x20

/** Blanks before and after the object do not count. */
export function isOneObject(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start
  let last = end - 1
  while (at < end && bytes[at]! <= SPACE) at++
  while (last > at && bytes[last]! <= SPACE) last--
  if (last <= at || bytes[at] !== OPEN_BRACE || bytes[last] !== CLOSE_BRACE) return false
  let depth = 0
  for (; at <= last; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) at = endOfText(bytes, at, last)
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--
      if (depth === 0) return at === last
    }
  }
  return false
}

/** The place of the quote that ends the text begun at `at`; behind `last` if none does. */
function endOfText(bytes: Uint8Array, at: number, last: number): number {
  let end = at + 1
  for (; end <= last && bytes[end] !== QUOTE; end++) if (bytes[end] === BACKSLASH) end++
  return end
}
