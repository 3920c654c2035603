/** What must hold or the program is wrong. A failed assertion ends the turn it is in; nobody catches it to go on. */

/** Throws an Error when `condition` is false. */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${what}`)
}

/** The value, or an Error when it is null or undefined. `which` by itself: a text that is put together costs more than the look. */
export function must<T>(value: T | null | undefined, what: string, which: string | number = ''): T {
  if (value === null || value === undefined)
    throw new Error(`assertion failed: ${what}${which === '' ? '' : ` ${which}`} is missing`)
  return value
}
