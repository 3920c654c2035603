/**
 * Compares single values of events with those of a query.
 *
 * 1. A number equals a text that spells it: `5` equals `"5"` and `"5.0"`. Two texts are equal if they are the same.
 * 2. A boolean equals the text `true` or `false`.
 * 3. Case counts.
 * 4. A whole number beyond 53 bits is the text of its digits, in events and in queries: doubles do not tell it from its
 *    neighbours.
 */
import type { WrittenNumber } from '../event/json.js'
import { plainNumber } from '../event/plain-value.js'
import type { ScalarValue } from '../event/point-value.js'

/** Larger whole numbers are doubles that nobody compares by their digits. */
const DIGITS_END = 1e38

/** What a number of a body or of a query is compared as. */
export function comparedNumber(given: number | WrittenNumber): string | number {
  const number = typeof given === 'number' ? given : given.value
  return Math.abs(number) < DIGITS_END ? plainNumber(given, 'kept') : number
}

const NUMERIC = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const NUMERIC_CHARS_MAX = 40

/** The number that a value is or spells, or null. */
export function numberOf(value: ScalarValue): number | null {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean' || value.length > NUMERIC_CHARS_MAX || !NUMERIC.test(value)) return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}

/** A test for values equal to `wanted`. */
export function equalTo(wanted: ScalarValue): (value: ScalarValue) => boolean {
  if (typeof wanted === 'number' && typeof comparedNumber(wanted) === 'string') return equalTo(comparedNumber(wanted))
  const text = String(wanted)
  if (typeof wanted === 'string') {
    const number = numberOf(wanted)
    return (value) =>
      typeof value === 'number' ? value === number : typeof value === 'string' ? value === text : String(value) === text
  }
  if (typeof wanted === 'number') {
    return (value) =>
      typeof value === 'number'
        ? value === wanted
        : typeof value === 'string' && (value === text || numberOf(value) === wanted)
  }
  return (value) => value === wanted || value === text
}

/** A test for values equal to one of these. */
export function equalToOneOf(wanted: readonly ScalarValue[]): (value: ScalarValue) => boolean {
  const texts = new Set<ScalarValue>()
  const tests: ((value: ScalarValue) => boolean)[] = []
  for (const one of wanted) {
    if (typeof one === 'string' && numberOf(one) === null && one !== 'true' && one !== 'false') texts.add(one)
    else tests.push(equalTo(one))
  }
  return (value) => texts.has(value) || tests.some((test) => test(value))
}

/** The digits of a whole number beyond 53 bits, which bodies give as a text (body-fields.ts). */
const LONG_WHOLE = /^-?[1-9]\d{15,38}$/

/** The order of values: numbers first, then texts and booleans by their text in UTF-16 units. */
export function compareScalars(a: ScalarValue, b: ScalarValue): number {
  const [first, second] = [placeOf(a), placeOf(b)]
  if (first !== null && second !== null && first !== second) return first - second
  if (first === null || second === null) {
    if (first !== null) return -1
    if (second !== null) return 1
  }
  const [left, right] = [String(a), String(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

/** The number by which a value is sorted, or null. */
function placeOf(value: ScalarValue): number | null {
  if (typeof value === 'number') return value
  return typeof value === 'string' && value.length > 15 && LONG_WHOLE.test(value) ? Number(value) : null
}
