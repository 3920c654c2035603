import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Action, History, type Operation, unexplained } from './history.js'

const post: Action = { kind: 'post' }
const vote = (label: string): Action => ({ kind: 'vote', label })
const read = (state: string): Action => ({ kind: 'read', state })

function history(...operations: readonly (readonly [Action, number, number?])[]): Operation[] {
  return operations.map(([action, beganMs, endedMs = Number.POSITIVE_INFINITY], at) => ({
    key: 'k',
    client: `c${at}`,
    action,
    beganMs,
    endedMs,
  }))
}

describe('a history of one key', () => {
  it('is explained where each read sees what was written before it', () => {
    assert.equal(unexplained(history([read('absent'), 0, 1], [post, 2, 3], [read('unvoted'), 4, 5])), null)
    assert.equal(unexplained(history([post, 0, 1], [vote('A'), 2, 3], [vote('B'), 4, 5], [read('B'), 6, 7])), null)
  })

  it('is not where a read misses what was acknowledged', () => {
    assert.ok(unexplained(history([post, 0, 1], [read('absent'), 2, 3])))
    assert.ok(unexplained(history([post, 0, 1], [vote('A'), 2, 3], [vote('B'), 4, 5], [read('A'), 6, 7])))
  })

  it('is explained by either order of writes at the same time, and by one of them only', () => {
    const both = [
      [post, 0, 1],
      [vote('A'), 2, 6],
      [vote('B'), 3, 7],
    ] as const
    assert.equal(unexplained(history(...both, [read('A'), 8, 9])), null)
    assert.equal(unexplained(history(...both, [read('B'), 8, 9])), null)
    assert.ok(unexplained(history(...both, [read('A'), 8, 9], [read('B'), 10, 11])))
    assert.ok(unexplained(history(...both, [read('unvoted'), 8, 9])))
  })

  it('lets a write without a clear answer take effect late, or never, but not twice', () => {
    const unclear = [
      [post, 0, 1],
      [vote('A'), 2, 3],
      [vote('B'), 4],
    ] as const
    assert.equal(unexplained(history(...unclear, [read('A'), 8, 9], [read('B'), 10, 11])), null)
    assert.equal(unexplained(history(...unclear, [read('A'), 8, 9])), null)
    assert.ok(unexplained(history(...unclear, [read('B'), 8, 9], [read('A'), 10, 11])))
    const twice = [read('B'), 6, 7] as const
    assert.ok(unexplained(history(...unclear, twice, [vote('C'), 8, 9], [read('B'), 10, 11])))
  })

  it('is not explained by a value that nobody wrote', () => {
    assert.ok(unexplained(history([post, 0, 1], [read('C'), 2, 3])))
    assert.ok(unexplained(history([vote('A'), 0, 1])))
  })

  it('may have reads that do not agree on a write, as long as that is not acknowledged', () => {
    const voted = [
      [post, 0, 1],
      [vote('A'), 2, 10],
    ] as const
    const apart = history(...voted, [read('A'), 3, 4], [read('unvoted'), 5, 6], [read('A'), 11, 12])
    assert.ok(unexplained(apart))
    assert.equal(unexplained(apart, true), null)
    assert.ok(unexplained(history(...voted, [read('unvoted'), 11, 12]), true), 'it was acknowledged before')
    assert.ok(unexplained(history(...voted, [read('A'), 1.2, 1.5]), true), 'it had not begun')
    assert.ok(unexplained(history(...voted, [read('B'), 3, 4]), true), 'nobody wrote it')
    assert.ok(unexplained(history([post, 0, 1], [read('absent'), 2, 3], [post, 4, 5]), true))
    const lost = [vote('A'), 2] as const
    assert.equal(unexplained(history([post, 0, 1], lost, [read('A'), 3, 4], [read('unvoted'), 5, 6]), true), null)
  })

  it('is checked where hundreds of operations overlap', () => {
    const busy = Array.from({ length: 300 }, (_, at) => [vote('ABC'.charAt(at % 3)), at, at + 5] as const)
    assert.equal(unexplained(history([post, -2, -1], ...busy, [read('C'), 400, 401])), null)
    assert.ok(unexplained(history([post, -2, -1], ...busy, [read('A'), 400, 401], [read('B'), 402, 403])))
    assert.throws(() => unexplained(history(...Array.from({ length: 401 }, () => [post, 0, 1] as const))), RangeError)
  })
})

describe('a history of many keys', () => {
  it('names each key that is not explained, with its operations', () => {
    const all = new History()
    for (const one of history([post, 0, 1], [read('unvoted'), 2, 3])) all.add({ ...one, key: 'good' })
    for (const one of history([post, 0, 1], [read('absent'), 2.25, 3], [vote('A'), 4])) all.add({ ...one, key: 'bad' })
    assert.equal(all.operations, 5)
    assert.deepEqual(all.keys, ['good', 'bad'])
    assert.deepEqual(all.faults(), [
      'bad:\n  0.0 to 1.0: c0 post \n  2.3 to 3.0: c1 read absent\n  4.0 to no clear answer: c2 vote A',
    ])
  })
})
