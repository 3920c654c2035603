/**
 * Which examples have the values of an earlier one.
 *
 * Events of a bucket share their values in memory, and so do most single events. So an example is known without a look
 * at its values, and a training codes each of them once. Equal values that are not shared are coded again, to the same
 * result.
 */
import type { Example } from '../classifier.js'

/** For each example the first one that shares its values, which may be the example itself. */
export function firstsOf(examples: readonly Pick<Example, 'values'>[]): Int32Array {
  const firsts = new Map<Example['values'], number>()
  return Int32Array.from(examples, ({ values }, i) => {
    const first = firsts.get(values)
    if (first === undefined) firsts.set(values, i)
    return first ?? i
  })
}
