import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoMicros, ManualClock } from '../../../../engine/clock.js'
import { LastUse } from '../../../../engine/resource/access/last-use.js'
import { catalogTables } from '../../../../engine/resource/records.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'

function setUp() {
  const environment = new MemoryEnvironment(catalogTables)
  const clock = new ManualClock()
  const open = (known: (id: string) => boolean = () => true): LastUse => new LastUse(environment, clock, known)
  return { environment, clock, open, rows: () => [...environment.range('uses', {})].length }
}

test('a use is known at once and written later, once for many', () => {
  const { clock, open, rows } = setUp()
  const uses = open()
  const by = { used: false }
  uses.note('a', by)
  assert.equal(by.used, true)
  assert.equal(uses.at('a'), isoMicros(clock.nowMicros()))
  assert.equal(uses.at('b'), null)
  assert.equal(rows(), 0)
  uses.write()
  assert.deepEqual([rows(), by.used], [1, false])
  assert.equal(open().at('a'), uses.at('a'))
})

test('a write that fails is made up for by the next', () => {
  const { environment, open, rows } = setUp()
  const uses = open()
  uses.note('a')
  environment.failNextCommit = new Error('disk')
  uses.write()
  assert.equal(rows(), 0)
  uses.write()
  assert.equal(rows(), 1)
})

test('what is gone is forgotten, in memory and in the store', () => {
  const { open, rows } = setUp()
  const uses = open()
  uses.note('a')
  uses.note('b')
  uses.write()
  uses.forget('a')
  assert.equal(uses.at('a'), null)
  uses.write()
  assert.equal(rows(), 1)
  const later = open(() => false)
  assert.equal(later.at('b'), null)
  later.write()
  assert.equal(rows(), 0)
})
