import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { BucketIndex } from '../../../../engine/actor/buckets/bucket-index.js'
import { IndexedIds } from '../../../../engine/actor/buckets/indexed-ids.js'
import { TurnStore } from '../../../../engine/actor/turn-store.js'
import { encodeBucketNumber } from '../../../../engine/store/bucket-table.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { bucketKey, shardTables } from '../../../../engine/store/tables.js'

function idOf(number: number): Buffer {
  return createHash('sha256').update(String(number)).digest().subarray(0, 16)
}

/** A store whose index has the ids of these numbers, each of job `number % 3`. */
function storeWith(numbers: readonly number[]): TurnStore {
  const environment = new MemoryEnvironment(shardTables)
  const store = new TurnStore(environment)
  store.begin()
  for (const number of numbers) store.put('bucket_ids', bucketKey(number % 3, idOf(number)), encodeBucketNumber(number))
  environment.commit(store.batch)
  store.begin()
  return store
}

const upTo = (end: number, from = 0): number[] => Array.from({ length: end - from }, (_, i) => from + i)

const denied = (ids: IndexedIds, numbers: readonly number[]): number[] =>
  numbers.filter((number) => !ids.mayHave(number % 3, idOf(number)))

describe('the filter of indexed ids', () => {
  it('denies nothing until all committed entries have been read', () => {
    const store = storeWith(upTo(1_000))
    const ids = new IndexedIds()
    for (let read = 0; read < 1_000; read += 100) {
      assert.deepEqual(denied(ids, upTo(2_000)), [])
      ids.read(store, 100)
    }
    assert.deepEqual(denied(ids, upTo(2_000)), [], 'the last part was full, so there may be more')
    ids.read(store, 100)
    assert.deepEqual(denied(ids, upTo(1_000)), [])
    assert.ok(denied(ids, upTo(2_000, 1_000)).length > 900)
  })

  it('denies hardly any id that it does not have, and none that it has, when it grows', () => {
    const store = storeWith(upTo(6_000))
    const ids = new IndexedIds()
    let reads = 0
    do {
      ids.read(store, 512)
      assert.deepEqual(denied(ids, upTo(6_000)), [])
    } while (denied(ids, upTo(7_000, 6_000)).length === 0 && ++reads < 100)
    // What is added now may make it too small, so that the next read begins anew.
    for (const number of upTo(9_000, 6_000)) ids.add(number % 3, idOf(number))
    assert.deepEqual(denied(ids, upTo(9_000)), [])
    assert.ok(denied(ids, upTo(40_000, 9_000)).length > 0.97 * 31_000)
  })

  it('tells jobs apart', () => {
    const ids = new IndexedIds()
    ids.read(storeWith([]), 10)
    ids.add(1, idOf(7))
    assert.equal(ids.mayHave(1, idOf(7)), true)
    assert.equal(ids.mayHave(2, idOf(7)), false)
  })

  it('denies nothing again once it was forgotten', () => {
    const ids = new IndexedIds()
    ids.read(storeWith([]), 10)
    assert.equal(ids.mayHave(0, idOf(1)), false)
    ids.forget()
    assert.equal(ids.mayHave(0, idOf(1)), true)
  })

  it('keeps an index from looking up ids that are new, and from none that it has', () => {
    const store = storeWith(upTo(500))
    const sought: string[] = []
    const watched = Object.assign(Object.create(store) as TurnStore, {
      committed: (table: 'bucket_ids', key: Uint8Array) => {
        sought.push(Buffer.from(key).toString('hex'))
        return store.committed(table, key)
      },
      put: () => undefined,
      range: store.range.bind(store),
      delete: () => undefined,
    })
    const index = new BucketIndex(1 << 20)
    assert.equal(index.numberOf(watched, 0, idOf(501)), null)
    assert.equal(sought.length, 1, 'nothing has been read')
    index.add(
      watched,
      0,
      upTo(600, 501).map((number) => ({ id: idOf(number), number })),
    )
    index.write(watched)
    sought.length = 0
    for (const number of upTo(500)) assert.equal(index.numberOf(watched, number % 3, idOf(number)), number)
    assert.equal(sought.length, 500)
    sought.length = 0
    for (const number of upTo(2_000, 1_000)) assert.equal(index.numberOf(watched, number % 3, idOf(number)), null)
    assert.ok(sought.length < 50, `${sought.length} of 1,000 new ids were sought`)
  })
})
