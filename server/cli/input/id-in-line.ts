/** Whether a line has an id, without parsing it: a few percent of the cost. */

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const SPACE = 0x20
const EVENT_ID = Uint8Array.from('event_id', (character) => character.charCodeAt(0))

/** The first byte from `start` on that is no blank; `end` without one. */
export function afterBlanks(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && bytes[at]! <= SPACE) at++
  return at
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
