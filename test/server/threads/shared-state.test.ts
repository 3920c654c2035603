import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeldBytes } from '../../../server/http/held-bytes.js'
import { FairWindow } from '../../../server/routes/bulk/fair-window.js'
import { SharedState } from '../../../server/threads/shared-state.js'

/** The state as two threads see it. */
function twoThreads(callers: readonly string[]): [SharedState, SharedState] {
  const main = new SharedState()
  const other = new SharedState(main.memory)
  for (const caller of callers) other.put(caller, main.placeOf(caller))
  return [main, other]
}

test('callers share the window over all threads, however many streams and threads each uses', () => {
  const [main, other] = twoThreads(['key ann', 'key bob'])
  const [here, there] = [new FairWindow(1, main), new FairWindow(1, other)]
  const whole = here.share('key ann')
  here.join('key ann')
  there.join('key ann')
  assert.equal(here.share('key ann'), whole / 2)
  assert.equal(there.share('key bob'), whole / 2)
  there.join('key bob')
  assert.deepEqual([here.share('key ann'), there.share('key bob')], [whole / 4, whole / 2])
  here.leave('key ann')
  there.leave('key ann')
  assert.equal(there.share('key bob'), whole)
})

test('bytes of several threads have one bound', () => {
  const [main, other] = twoThreads(['key ann'])
  const held = (state: SharedState): HeldBytes =>
    new HeldBytes(100, new HeldBytes(150, null, undefined, state.held), undefined, state.heldOf('key ann'))
  const [here, there] = [held(main), held(other)]
  assert.ok(here.take(60))
  assert.equal(there.take(60), false)
  assert.ok(there.take(40))
  here.giveBack(60)
  assert.ok(there.take(60))
  assert.deepEqual([here.held, there.held], [100, 100])
})
