/**
 * What can be said of the bytes of a line without parsing them: a few percent of the cost.
 *
 * 1. Where `isOneObject` says yes, and the bytes are valid JSON inside of other JSON, then they are one object there:
 *    nothing in them reaches outside. That is all that an envelope needs. The service says what else is wrong.
 */

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const SPACE = 0x20
const EVENT_ID = Buffer.from('event_id')

/** `start` and `end` are those of the object: blanks around it are left out. */
export function isOneObject(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < 2 || bytes[start] !== OPEN_BRACE || bytes[end - 1] !== CLOSE_BRACE) return false
  return endOfNested(bytes, start, end) === end - 1
}

/** The first byte from `start` on that is no blank; `end` without one. */
export function afterBlanks(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && bytes[at]! <= SPACE) at++
  return at
}

/** The end of what stands from `start` on, without the blanks behind it. */
export function beforeBlanks(bytes: Uint8Array, start: number, end: number): number {
  let at = end
  while (at > start && bytes[at - 1]! <= SPACE) at--
  return at
}

/** The position of the brace that closes what opens at `start`; -1 without one. */
function endOfNested(bytes: Uint8Array, start: number, end: number): number {
  let depth = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) {
      for (at++; at < end && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return at
  }
  return -1
}

/**
 * Whether one object has a text as its `event_id`: it has, it has no such field, or nobody knows without parsing it.
 */
export function eventIdIn(bytes: Uint8Array, start: number, end: number): 'text' | 'none' | 'unknown' {
  let depth = 0
  let found: 'text' | 'none' = 'none'
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--
    if (byte !== QUOTE) continue
    const from = at + 1
    let isEscaped = false
    for (at++; at < end && bytes[at] !== QUOTE; at++) {
      if (bytes[at] !== BACKSLASH) continue
      isEscaped = true
      at++
    }
    if (depth !== 1) continue
    const colon = afterBlanks(bytes, at + 1, end)
    if (bytes[colon] !== COLON) continue
    if (isEscaped) return 'unknown'
    if (!isEventId(bytes, from, at)) continue
    if (bytes[afterBlanks(bytes, colon + 1, end)] !== QUOTE) return 'unknown'
    found = 'text'
  }
  return found
}

function isEventId(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from !== EVENT_ID.length) return false
  for (let at = 0; at < EVENT_ID.length; at++) if (bytes[from + at] !== EVENT_ID[at]) return false
  return true
}
