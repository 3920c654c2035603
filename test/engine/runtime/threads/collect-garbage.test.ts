import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getHeapStatistics } from 'node:v8'
import { setImmediate as later } from 'node:timers/promises'
import { collectAtRest, collectGarbage } from '../../../../engine/runtime/threads/collect-garbage.js'

const MIB = 2 ** 20
const total = (): number => getHeapStatistics().total_heap_size

/** Old objects, of which one in eight lives on. */
function scattered(): object[] {
  return Array.from({ length: 400_000 }, (_, i) => ({ i, pair: [i, i + 1] })).filter((_, i) => i % 8 === 0)
}

test('what lives is moved together, and the memory around it is given back', async () => {
  const kept = scattered()
  // What the last function has left on the stack is gone then.
  await later()
  const before = total()
  assert.ok(before > 35 * MIB)
  collectGarbage()
  assert.ok(total() < before - 20 * MIB, `${before / MIB} to ${total() / MIB}`)
  assert.equal(kept.length, 50_000)
})

test('a thread at rest that has made little is not collected', async () => {
  collectGarbage()
  const dropped = new WeakRef({ some: 'object' })
  await later()
  collectAtRest()
  assert.ok(dropped.deref() !== undefined)
  const kept = scattered()
  await later()
  collectAtRest()
  assert.equal(dropped.deref(), undefined)
  assert.equal(kept.length, 50_000)
})
