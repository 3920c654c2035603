/**
 * Finds `job_id` in an event's bytes without parsing the rest.
 *
 * Owns: a scan over the top level of a JSON object, byte by byte. Leaves out: whether the rest is valid JSON (the
 * engine parses it on the job's thread), the error if nothing is found (routes/job-reference.ts).
 *
 * 1. Only keys of the outermost object count; strings, nesting and escapes inside values are skipped correctly.
 * 2. The result is a positive integer, or 0 for "not found this way"; the caller then parses the whole body. The scan
 *    may give up but never guesses: it gives up at a key with an escape, at a number with a dot, and so on.
 * 3. If the key occurs twice, the first one counts.
 * 4. The scan is a loop without recursion, linear in the bytes up to the end of the value.
 */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const ZERO = 0x30
const NINE = 0x39

/** Digits that always fit into a safe integer. */
const DIGITS_MAX = 15

/** `job_id` */
const J = 0x6a
const O = 0x6f
const B = 0x62
const UNDERSCORE = 0x5f
const I = 0x69
const D = 0x64

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from
  while (isSpace(bytes[at])) at++
  return at
}

/** The position after the closing quote of a string whose first character is at `from`; -1 if it does not end. */
function skipString(bytes: Uint8Array, from: number): number {
  const length = bytes.length
  let at = from
  while (at < length) {
    const byte = bytes[at]
    if (byte === QUOTE) return at + 1
    at += byte === BACKSLASH ? 2 : 1
  }
  return -1
}

/** The position after the object or array that opens at `from`; -1 if it does not end. */
function skipNested(bytes: Uint8Array, from: number): number {
  const length = bytes.length
  let depth = 0
  let at = from
  while (at < length) {
    const byte = bytes[at]!
    if (byte === QUOTE) {
      at = skipString(bytes, at + 1)
      if (at < 0) return -1
      continue
    }
    at++
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return at
  }
  return -1
}

/** The position after the value that begins at `from`; -1 if it does not end. */
function skipValue(bytes: Uint8Array, from: number): number {
  const first = bytes[from]
  if (first === QUOTE) return skipString(bytes, from + 1)
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipNested(bytes, from)
  let at = from
  while (at < bytes.length) {
    const byte = bytes[at]
    if (byte === COMMA || byte === CLOSE_BRACE || isSpace(byte)) return at
    at++
  }
  return -1
}

/** The positive integer at `from`, bare or in quotes; 0 for anything else. */
function integerAt(bytes: Uint8Array, from: number): number {
  const quoted = bytes[from] === QUOTE
  const start = quoted ? from + 1 : from
  let at = start
  let value = 0
  while (at < bytes.length) {
    const byte = bytes[at]!
    if (byte < ZERO || byte > NINE) break
    value = value * 10 + (byte - ZERO)
    at++
  }
  const digits = at - start
  if (digits === 0 || digits > DIGITS_MAX || (bytes[start] === ZERO && digits > 1)) return 0
  const end = bytes[at]
  if (quoted) return end === QUOTE ? value : 0
  return end === COMMA || end === CLOSE_BRACE || isSpace(end) ? value : 0
}

function isJobId(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at] === J &&
    bytes[at + 1] === O &&
    bytes[at + 2] === B &&
    bytes[at + 3] === UNDERSCORE &&
    bytes[at + 4] === I &&
    bytes[at + 5] === D &&
    bytes[at + 6] === QUOTE
  )
}

/** The top-level `job_id` of a JSON object, above 0; 0 if this scan does not find a valid one (invariant 2). */
export function skimJobId(bytes: Uint8Array): number {
  let at = skipSpace(bytes, 0)
  if (bytes[at] !== OPEN_BRACE) return 0
  at = skipSpace(bytes, at + 1)
  while (bytes[at] === QUOTE) {
    const key = at + 1
    const found = isJobId(bytes, key)
    at = key
    while (bytes[at] !== QUOTE) {
      // Gives up at an escape, which may stand for any letter, and at the end of the bytes.
      if (at >= bytes.length || bytes[at] === BACKSLASH) return 0
      at++
    }
    at = skipSpace(bytes, at + 1)
    if (bytes[at] !== COLON) return 0
    at = skipSpace(bytes, at + 1)
    if (found) return integerAt(bytes, at)
    at = skipValue(bytes, at)
    if (at < 0) return 0
    at = skipSpace(bytes, at)
    if (bytes[at] !== COMMA) return 0
    at = skipSpace(bytes, at + 1)
  }
  return 0
}
