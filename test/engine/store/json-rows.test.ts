import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Refusal } from '../../../engine/errors.js'
import { WriteBatch } from '../../../engine/store/environment.js'
import { JsonRows } from '../../../engine/store/json-rows.js'
import { MemoryEnvironment } from '../../../engine/store/memory-store.js'
import { timeKey } from '../../../engine/store/tables.js'

interface Row {
  readonly state: string
  readonly count: number
}

const key = timeKey(1, 7)
const fresh: Row = { state: 'running', count: 0 }

function rows(): { store: MemoryEnvironment; table: JsonRows<Row>; stored: () => Row | undefined } {
  const store = new MemoryEnvironment(['rows', 'others'])
  const table = new JsonRows<Row>(store, 'rows')
  return { store, table, stored: () => new JsonRows<Row>(store, 'rows').get(key) }
}

describe('rows of JSON', () => {
  it('are changed by what they are when they are changed, not by what they were when they were read', () => {
    const { table, stored } = rows()
    table.add(key, fresh)
    const read = table.get(key) as Row
    table.change(key, (now) => ({ ...now, state: 'cancelled' }))
    const after = table.change(key, (now) => ({ ...now, count: read.count + 1 }))
    assert.deepEqual(after, { state: 'cancelled', count: 1 })
    assert.deepEqual(stored(), after)
  })

  it('that are gone, or are to stay, are not written, nor is the rest of the batch', () => {
    const { store, table, stored } = rows()
    const batch = (): WriteBatch => {
      const rest = new WriteBatch()
      rest.put('others', Buffer.of(1), Buffer.of(1))
      return rest
    }
    assert.equal(
      table.change(key, (now) => now, batch()),
      undefined,
    )
    table.add(key, fresh)
    assert.equal(
      table.change(key, () => null, batch()),
      undefined,
    )
    assert.equal(store.get('others', Buffer.of(1)), undefined)
    assert.deepEqual(stored(), fresh)
    assert.deepEqual(
      table.change(key, (now) => now, batch()),
      fresh,
    )
    assert.ok(store.get('others', Buffer.of(1)) !== undefined)
    table.delete(key)
    assert.equal(
      table.change(key, (now) => now),
      undefined,
    )
    assert.equal(stored(), undefined)
  })

  it('stay as they are in memory, too, where a commit fails', () => {
    const { store, table, stored } = rows()
    table.add(key, fresh)
    store.failNextCommit = new Refusal('store_full', 'full')
    assert.throws(() => table.change(key, (now) => ({ ...now, count: 1 })), { code: 'store_full' })
    assert.deepEqual([table.get(key), stored()], [fresh, fresh])
    table.remember(key, fresh, (now) => ({ ...now, count: 2 }))
    assert.deepEqual([table.get(key)?.count, stored()?.count], [2, 0])
  })

  it('are found by the number that their keys begin with', () => {
    const { store, table } = rows()
    for (const [job, id] of [
      [2, 5],
      [1, 9],
      [2, 4],
    ] as const)
      table.add(timeKey(job, id), { state: `${job}`, count: id })
    for (const one of [table, new JsonRows<Row>(store, 'rows')]) {
      assert.deepEqual(one.groups().sort(), [1, 2])
      assert.deepEqual(
        one
          .of(2)
          .map(({ count }) => count)
          .sort(),
        [4, 5],
      )
      assert.deepEqual(one.of(3), [])
    }
  })
})
