/** Assertions: a failed one is a bug in the program. It ends its turn, and no code catches it to continue. */

/** Throws an Error where `condition` is false. */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${what}`)
}

/**
 * Returns the value, or throws an Error where it is null or undefined. The message is `what` and `which`; they are
 * joined only then, because joining costs more than the check.
 */
export function must<T>(value: T | null | undefined, what: string, which: string | number = ''): T {
  if (value === null || value === undefined)
    throw new Error(`assertion failed: ${what}${which === '' ? '' : ` ${which}`} is missing`)
  return value
}
