import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TurnStore } from '../../../engine/actor/turn-store.js'
import { MemoryEnvironment } from '../../../engine/store/memory-store.js'
import { jobKey, shardTables } from '../../../engine/store/tables.js'

const bytes = (text: string): Buffer => Buffer.from(text)
const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString()

describe('the store of a turn', () => {
  it('shows what the turn wrote, table by table, and what is committed below it', () => {
    const environment = new MemoryEnvironment(shardTables)
    const store = new TurnStore(environment)
    store.put('stats', jobKey(1), bytes('a'))
    environment.commit(store.batch)
    store.begin()
    assert.equal(text(store.get('stats', jobKey(1))), 'a')
    store.put('stats', jobKey(2), bytes('b'))
    store.put('events', jobKey(2), bytes('c'))
    store.delete('stats', jobKey(1))
    assert.deepEqual(
      [store.get('stats', jobKey(1)), text(store.get('stats', jobKey(2))), text(store.get('events', jobKey(2)))],
      [undefined, 'b', 'c'],
    )
  })

  it('writes what is replaced once', () => {
    const environment = new MemoryEnvironment(shardTables)
    const store = new TurnStore(environment)
    store.put('events', jobKey(1), bytes('a'))
    store.replace('events', jobKey(1), bytes('b'))
    store.replace('events', jobKey(2), bytes('c'))
    store.replace('stats', jobKey(1), bytes('d'))
    assert.deepEqual(
      [store.batch.size, text(store.get('events', jobKey(1))), text(store.get('stats', jobKey(1)))],
      [3, 'b', 'd'],
    )
    store.delete('events', jobKey(1))
    store.replace('events', jobKey(1), bytes('e'))
    environment.commit(store.batch)
    store.begin()
    assert.deepEqual(
      [1, 2].map((job) => text(store.get('events', jobKey(job)))),
      ['e', 'c'],
    )
  })

  it('shows what the turn before wrote while another thread commits it, and walks only behind that', () => {
    const environment = new MemoryEnvironment(shardTables)
    const store = new TurnStore(environment)
    store.put('events', jobKey(1), bytes('old'))
    environment.commit(store.batch)
    store.begin()
    store.put('events', jobKey(2), bytes('a'))
    store.put('events', jobKey(3), bytes('b'))
    store.delete('events', jobKey(1))
    const before = store.batch
    let over = false
    store.handOver({
      isOver: () => over,
      settle: () => {
        environment.commit(before)
        over = true
      },
    })
    store.begin()
    store.put('events', jobKey(3), bytes('c'))
    assert.deepEqual(
      [1, 2, 3].map((job) => text(store.get('events', jobKey(job)))),
      ['', 'a', 'c'],
    )
    assert.deepEqual([over, environment.get('events', jobKey(2))], [false, undefined])
    const walk = (): string[] => [...store.range('events', {})].map(({ value }) => text(value))
    assert.deepEqual([walk(), over], [['a', 'b'], true])
    environment.commit(store.batch)
    store.begin()
    assert.deepEqual(walk(), ['a', 'c'])
  })

  it('forgets a turn before that is over, and says so where it was not committed', () => {
    const environment = new MemoryEnvironment(shardTables)
    const store = new TurnStore(environment)
    store.put('events', jobKey(1), bytes('a'))
    store.handOver({
      isOver: () => true,
      settle: () => {
        throw new Error('not committed')
      },
    })
    assert.throws(() => store.begin(), /not committed/)
    store.forget()
    store.begin()
    assert.equal(store.get('events', jobKey(1)), undefined)
  })
})
