/**
 * Importing this file keeps a process of tests alive until its last test, and ends it soon afterwards.
 *
 * A test may wait for a timer or a promise that does not keep a process alive. Without this file such a test would
 * depend on its neighbours. A test may also leave something open, above all a service. That would hold the process
 * until its timeout, and the output would not show what it is.
 */
import { after } from 'node:test'

/** Milliseconds. */
const GRACE = 20_000

const hold = setInterval(() => {}, GRACE)

after(() => {
  clearInterval(hold)
  setTimeout(() => {
    const holding = process.getActiveResourcesInfo().join(', ')
    console.error(`This process of tests still runs ${GRACE / 1_000} s after its last test. What holds it: ${holding}.`)
    process.exit(1)
  }, GRACE).unref()
})
