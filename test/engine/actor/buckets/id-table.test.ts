import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IdTable, NO_NUMBER } from '../../../../engine/actor/buckets/id-table.js'
import { SeededRandom } from '../../../../engine/rng.js'

/** Ids as in a map of texts, the first `shared` bytes of which are equal. */
function ids(count: number, shared: number, seed: number): Buffer[] {
  const random = new SeededRandom(seed)
  const start = Buffer.from(random.bytes(shared))
  return Array.from({ length: count }, () => Buffer.concat([start, random.bytes(16 - shared)]))
}

function sorted(table: IdTable): [string, number][] {
  const id = Buffer.alloc(16)
  return [...table.sortedPlaces()].map((place) => {
    table.copyId(place, id)
    return [id.toString('hex'), table.numberAt(place)]
  })
}

for (const shared of [0, 4, 15]) {
  test(`it does what a map does, also with ids that begin with ${shared} equal bytes`, () => {
    const table = new IdTable()
    const map = new Map<string, number>()
    const random = new SeededRandom(7)
    const all = ids(200, shared, 1 + shared)
    for (let step = 0; step < 20_000; step++) {
      const id = all[random.nextUint32() % all.length]!
      const name = id.toString('hex')
      assert.equal(table.get(id), map.get(name) ?? NO_NUMBER)
      assert.equal(table.has(id), map.has(name))
      if (random.nextUint32() % 3 === 0) assert.equal(table.delete(id), map.delete(name))
      else {
        const number = random.nextUint32() % (2 ** 31 - 1)
        table.set(id, number)
        map.set(name, number)
      }
      assert.equal(table.size, map.size)
    }
    assert.deepEqual(
      sorted(table),
      [...map].sort(([a], [b]) => (a < b ? -1 : 1)),
    )
  })
}

test('a place stands while ids are deleted, and then has no number', () => {
  const table = new IdTable()
  const all = ids(1_000, 0, 3)
  for (const [number, id] of all.entries()) table.set(id, number)
  const places = table.sortedPlaces()
  const numbers = [...places].map((place) => table.numberAt(place))
  for (const id of all.slice(0, 500)) table.delete(id)
  assert.deepEqual(
    [...places].map((place) => table.numberAt(place)),
    numbers.map((number) => (number < 500 ? NO_NUMBER : number)),
  )
})
