/**
 * Event ids of the service's own making (S9): the ingest time in microseconds, which no two events of a service share,
 * as 13 characters of Crockford's base 32 in lower case. Text order is time order.
 */

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const LENGTH = 13

const values = new Map([...DIGITS].map((digit, value) => [digit, value]))

/** The id of the event that came in at `micros`. */
export function eventIdOf(micros: number): string {
  let id = ''
  let rest = micros
  for (let i = 0; i < LENGTH; i++) {
    id = DIGITS[rest % 32] + id
    rest = Math.floor(rest / 32)
  }
  return id
}

/** The time in an id of eventIdOf, or null for any other text. */
export function microsOfEventId(id: string): number | null {
  if (id.length !== LENGTH) return null
  let micros = 0
  for (const digit of id) {
    const value = values.get(digit)
    if (value === undefined) return null
    micros = micros * 32 + value
  }
  return Number.isSafeInteger(micros) ? micros : null
}
