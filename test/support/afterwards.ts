/** Closes what a test opened, in reverse order. */
import type { TestContext } from 'node:test'

/** The only method of a test that this file needs. */
export type Ending = Pick<TestContext, 'after'>

const closings = new WeakMap<Ending, (() => unknown)[]>()

/**
 * Runs this after the test, before everything that was registered earlier, even if others fail.
 *
 * Node.js runs these hooks from first to last: it would remove a directory while its service still writes. It also
 * skips the hooks after a failure: the service would then keep the process of the tests alive for ever.
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
