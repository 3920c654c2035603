import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ThreadDoor } from '../../../engine/actor/thread-door.js'
import { limits } from '../../../engine/limits.js'

/** A door with all places taken. */
function fullDoor(): ThreadDoor {
  const door = new ThreadDoor()
  for (let i = 0; i < limits.turnsUnderWayMax; i++) assert.ok(door.take(() => assert.fail('nobody waits')))
  return door
}

test('places are given in the order of asking, one for each that is left', () => {
  const door = fullDoor()
  const entered: string[] = []
  for (const name of ['a', 'b', 'c'])
    assert.equal(
      door.take(() => entered.push(name) > 0),
      false,
    )
  door.leave()
  assert.deepEqual(entered, ['a'])
  assert.equal(
    door.take(() => entered.push('d') > 0),
    false,
    'others came first',
  )
  for (let i = 0; i < 3; i++) door.leave()
  assert.deepEqual(entered, ['a', 'b', 'c', 'd'])
})

test("a place that is not wanted any more is the next one's", () => {
  const door = fullDoor()
  let entered = false
  door.take(() => false)
  door.take(() => (entered = true))
  door.leave()
  assert.ok(entered)
  door.leave()
  assert.equal(
    door.take(() => true),
    true,
  )
  assert.equal(
    door.take(() => true),
    false,
  )
})

test('who entered may ask again, and comes behind those who wait', () => {
  const door = fullDoor()
  const entered: string[] = []
  const again = (): boolean => {
    entered.push('a')
    if (entered.length < 3) door.take(again)
    return true
  }
  door.take(again)
  door.take(() => entered.push('b') > 0)
  for (let i = 0; i < 3; i++) door.leave()
  assert.deepEqual(entered, ['a', 'b', 'a'])
})
