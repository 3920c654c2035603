import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TurnSlots } from '../../../../engine/runtime/mailbox/turn-slots.js'
import { limits } from '../../../../engine/limits.js'

/** All slots are taken. */
function fullSlots(): TurnSlots {
  const slots = new TurnSlots()
  for (let i = 0; i < limits.turnsUnderWayMax; i++) assert.ok(slots.acquire(() => assert.fail('nobody waits')))
  return slots
}

test('slots are given in the order of asking, one for each that is given back', () => {
  const slots = fullSlots()
  const entered: string[] = []
  for (const name of ['a', 'b', 'c'])
    assert.equal(
      slots.acquire(() => entered.push(name) > 0),
      false,
    )
  slots.release()
  assert.deepEqual(entered, ['a'])
  assert.equal(
    slots.acquire(() => entered.push('d') > 0),
    false,
    'others came first',
  )
  for (let i = 0; i < 3; i++) slots.release()
  assert.deepEqual(entered, ['a', 'b', 'c', 'd'])
})

test('a slot that is not wanted any more goes to the next one', () => {
  const slots = fullSlots()
  let entered = false
  slots.acquire(() => false)
  slots.acquire(() => (entered = true))
  slots.release()
  assert.ok(entered)
  slots.release()
  assert.equal(
    slots.acquire(() => true),
    true,
  )
  assert.equal(
    slots.acquire(() => true),
    false,
  )
})

test('who got a slot may ask again, and comes behind those who wait', () => {
  const slots = fullSlots()
  const entered: string[] = []
  const again = (): boolean => {
    entered.push('a')
    if (entered.length < 3) slots.acquire(again)
    return true
  }
  slots.acquire(again)
  slots.acquire(() => entered.push('b') > 0)
  for (let i = 0; i < 3; i++) slots.release()
  assert.deepEqual(entered, ['a', 'b', 'a'])
})
