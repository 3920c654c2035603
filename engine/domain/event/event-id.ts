/**
 * Event ids made by the service (S9): the ingest time in microseconds, as 13 characters of Crockford's base 32 in lower
 * case. No two events of a service share a time. Text order is time order.
 */

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const LENGTH = 13

/** By character code: the digit's value, -1 for other characters. */
const values = new Int8Array(0x80).fill(-1)
for (let value = 0; value < DIGITS.length; value++) values[DIGITS.charCodeAt(value)] = value

const codes = Uint8Array.from(DIGITS, (digit) => digit.charCodeAt(0))
/** Six digits hold this many values. */
const HALF = 2 ** 30

/** The id of an event with this ingest time. Written out for speed, as every event has one. */
export function eventIdOf(micros: number): string {
  const high = Math.floor(micros / HALF)
  const low = micros % HALF
  // Below 2^60 the first digit is 0.
  return String.fromCharCode(
    codes[0] as number,
    codeAt(high, 25),
    codeAt(high, 20),
    codeAt(high, 15),
    codeAt(high, 10),
    codeAt(high, 5),
    codeAt(high, 0),
    codeAt(low, 25),
    codeAt(low, 20),
    codeAt(low, 15),
    codeAt(low, 10),
    codeAt(low, 5),
    codeAt(low, 0),
  )
}

/** Bytes of an id: all are ASCII. */
export const eventIdBytes = LENGTH

/**
 * Writes the bytes of `eventIdOf(micros)` as big-endian words to `at`, `at + step` and so on: three whole words, and
 * the last byte as the highest of a fourth.
 */
export function layEventId(micros: number, words: Int32Array, at: number, step: number): void {
  const high = Math.floor(micros / HALF)
  const low = micros % HALF
  words[at] = wordOf(codes[0] as number, codeAt(high, 25), codeAt(high, 20), codeAt(high, 15))
  words[at + step] = wordOf(codeAt(high, 10), codeAt(high, 5), codeAt(high, 0), codeAt(low, 25))
  words[at + 2 * step] = wordOf(codeAt(low, 20), codeAt(low, 15), codeAt(low, 10), codeAt(low, 5))
  words[at + 3 * step] = codeAt(low, 0) << 24
}

function wordOf(a: number, b: number, c: number, d: number): number {
  return (a << 24) | (b << 16) | (c << 8) | d
}

/** The digit of five bits. */
function codeAt(bits: number, shift: number): number {
  return codes[(bits >>> shift) & 31] as number
}

/** The time in an id made by eventIdOf, or null for any other text. */
export function microsOfEventId(id: string): number | null {
  if (id.length !== LENGTH) return null
  let micros = 0
  for (let i = 0; i < LENGTH; i++) {
    const value = values[id.charCodeAt(i)] ?? -1
    if (value < 0) return null
    micros = micros * 32 + value
  }
  return Number.isSafeInteger(micros) ? micros : null
}
