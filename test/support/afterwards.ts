/** What a test opened is closed in the reverse order. */
import type { TestContext } from 'node:test'

/** Of what a test has to undo only this is asked for. */
export type Ending = Pick<TestContext, 'after'>

const closings = new WeakMap<Ending, (() => unknown)[]>()

/**
 * Does this once the test has ended, before all that was asked for earlier, and whatever fails of the rest.
 *
 * Node.js itself goes from the first to the last, so that a directory is removed while its service still writes, and leaves
 * out what comes after a failure: the service then holds the process of the tests for ever.
 */
export function afterwards(test: Ending, close: () => unknown): void {
  const known = closings.get(test)
  if (known !== undefined) return void known.push(close)
  const mine = [close]
  closings.set(test, mine)
  test.after(async () => {
    const failures: unknown[] = []
    for (const one of mine.reverse())
      await new Promise((resolve) => resolve(one())).catch((error) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  })
}
