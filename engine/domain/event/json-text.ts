/**
 * JSON strings as bytes (RFC 8259, section 7): where they end, and what their escapes mean.
 *
 * 1. Bytes beyond ASCII are copied unchanged. The caller makes sure that they are UTF-8.
 */
export const QUOTE = 0x22
export const BACKSLASH = 0x5c
/** Bytes below it are control characters, which no JSON string contains. */
export const SPACE = 0x20

/** The highest bit of each of four bytes. */
export const HIGH_BITS = 0x80808080 | 0
const LOW_BITS = 0x01010101
const QUOTES = 0x22222222
const BACKSLASHES = 0x5c5c5c5c
const SPACES = 0x20202020

/**
 * Not 0 if one of the four bytes is a quote, a backslash or a control character. A byte is less than n if subtracting n
 * borrows its highest bit (Anderson, Bit Twiddling Hacks).
 */
export function hasTextEnd(word: number): number {
  const quote = word ^ QUOTES
  const backslash = word ^ BACKSLASHES
  return (((quote - LOW_BITS) & ~quote) | ((backslash - LOW_BITS) & ~backslash) | ((word - SPACES) & ~word)) & HIGH_BITS
}

/** Position of the closing quote of a text with escapes, from `at` on; -1 if there is none before `end`. */
export function closingQuote(input: Uint8Array, at: number, end: number): number {
  for (let pos = at; pos < end; pos++) {
    const byte = input[pos] as number
    if (byte === QUOTE) return pos
    if (byte < SPACE) return -1
    if (byte === BACKSLASH) pos++
  }
  return -1
}

/** By the byte after the backslash: the byte that the escape stands for. */
const escapes = new Uint8Array(128)
for (const [symbol, character] of Object.entries({
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
})) {
  escapes[symbol.charCodeAt(0)] = character.charCodeAt(0)
}
const CODE_U = 0x75

/**
 * Writes a text between quotes as UTF-8 without escapes. Returns its length, or -1 for an invalid escape or one of half
 * a surrogate pair. `out` has room for `end - start` bytes.
 */
export function unescapeText(input: Uint8Array, start: number, end: number, out: Uint8Array): number {
  let length = 0
  for (let pos = start; pos < end; ) {
    const byte = input[pos++] as number
    if (byte !== BACKSLASH) {
      out[length++] = byte
      continue
    }
    const symbol = input[pos++] as number
    const character = escapes[symbol] ?? 0
    if (character !== 0) {
      out[length++] = character
      continue
    }
    if (symbol !== CODE_U) return -1
    let point = hex4(input, pos, end)
    pos += 4
    if (point >= 0xd800 && point < 0xdc00 && input[pos] === BACKSLASH && input[pos + 1] === CODE_U) {
      const low = hex4(input, pos + 2, end)
      if (low < 0xdc00 || low > 0xdfff) return -1
      point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00)
      pos += 6
    }
    if (point < 0 || (point >= 0xd800 && point < 0xe000)) return -1
    length = putPoint(out, length, point)
  }
  return length
}

/** Four hexadecimal digits, or -1. */
function hex4(input: Uint8Array, at: number, end: number): number {
  if (at + 4 > end) return -1
  let value = 0
  for (let i = at; i < at + 4; i++) {
    const byte = input[i] as number
    const lower = byte | 0x20
    if (byte >= 0x30 && byte <= 0x39) value = value * 16 + byte - 0x30
    else if (lower >= 0x61 && lower <= 0x66) value = value * 16 + lower - 0x61 + 10
    else return -1
  }
  return value
}

/** Writes a code point as UTF-8. Returns where it ends. */
function putPoint(out: Uint8Array, at: number, point: number): number {
  if (point < 0x80) {
    out[at] = point
    return at + 1
  }
  if (point < 0x800) {
    out[at] = 0xc0 | (point >> 6)
    out[at + 1] = 0x80 | (point & 0x3f)
    return at + 2
  }
  if (point < 0x10000) {
    out[at] = 0xe0 | (point >> 12)
    out[at + 1] = 0x80 | ((point >> 6) & 0x3f)
    out[at + 2] = 0x80 | (point & 0x3f)
    return at + 3
  }
  out[at] = 0xf0 | (point >> 18)
  out[at + 1] = 0x80 | ((point >> 12) & 0x3f)
  out[at + 2] = 0x80 | ((point >> 6) & 0x3f)
  out[at + 3] = 0x80 | (point & 0x3f)
  return at + 4
}
