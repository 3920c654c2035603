/**
 * A process of tests ends when its tests have; to be imported for that.
 *
 * What a test left open, a service above all, would hold the process until the bound of the whole run, and whoever reads its
 * output would see neither which test that was nor what it left.
 */
import { after } from 'node:test'

/** Milliseconds. */
const GRACE = 20_000

after(() => {
  setTimeout(() => {
    console.error(
      `This process of tests still runs ${GRACE / 1_000} s after its last test. What holds it: ${process.getActiveResourcesInfo().join(', ')}.`,
    )
    process.exit(1)
  }, GRACE).unref()
})
