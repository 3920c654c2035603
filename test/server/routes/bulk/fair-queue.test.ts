import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue } from '../../../../server/routes/bulk/fair-queue.js'

function all(queue: FairQueue<string>): string[] {
  const out: string[] = []
  for (let next = queue.next(); next !== null; next = queue.next()) out.push(next)
  return out
}

test('owners take turns, however many wait for one of them', () => {
  const queue = new FairQueue<string>()
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(name[0] as string, name)
  assert.equal(queue.size, 6)
  assert.deepEqual(all(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  assert.equal(queue.size, 0)
})

test('one that waits is not added twice, and one that was removed does not come', () => {
  const queue = new FairQueue<string>()
  queue.add('a', 'a1')
  queue.add('a', 'a1')
  queue.add('a', 'a2')
  queue.add('b', 'b1')
  queue.delete('a', 'a1')
  queue.delete('b', 'b1')
  queue.delete('b', 'b1')
  queue.delete('c', 'c1')
  assert.equal(queue.size, 1)
  assert.deepEqual(all(queue), ['a2'])
})
