import assert from 'node:assert/strict'
import { test } from 'node:test'
import { once } from 'node:events'
import { setImmediate as later } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { collectAtRest, collectGarbage } from '../../../../engine/runtime/threads/collect-garbage.js'
import { childFile } from '../../../child-files.js'

const MIB = 2 ** 20

/** Old objects, of which one in eight lives on. */
function scattered(): object[] {
  return Array.from({ length: 400_000 }, (_, i) => ({ i, pair: [i, i + 1] })).filter((_, i) => i % 8 === 0)
}

test('what lives is moved together, and the memory around it and for young objects is given back', async () => {
  // A thread of its own: what other tests keep is not in its heap.
  const thread = new Worker(childFile('scattering-thread'))
  type Posted = Record<'before' | 'after' | 'kept' | 'youngBefore' | 'youngAfter', number>
  const [{ before, after, kept, youngBefore, youngAfter }] = (await once(thread, 'message')) as [Posted]
  await thread.terminate()
  assert.equal(kept, 50_002)
  assert.ok(before > 35 * MIB)
  assert.ok(after < before - 20 * MIB, `${before / MIB} to ${after / MIB}`)
  assert.ok(youngBefore > 4 * MIB, `${youngBefore / MIB}`)
  assert.ok(youngAfter <= youngBefore / 2, `${youngBefore / MIB} to ${youngAfter / MIB}`)
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
