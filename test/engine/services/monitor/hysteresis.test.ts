import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Hysteresis } from '../../../../engine/services/monitor/hysteresis.js'
import { conditionOf } from '../../../../engine/services/monitor/watchdog-conditions.js'
import type { WatchdogView } from '../../../../engine/api/watchdog-service.js'

const watchdog: WatchdogView = {
  id: '1',
  title: 'queue',
  type: 'queue_length',
  condition: 'messages_waiting',
  jobId: null,
  threshold: 100,
  resolveThreshold: 50,
  windowMinutes: 0,
  integrations: [],
  monitor: null,
  intervalSeconds: 10,
  throttleSeconds: 0,
  reminderSeconds: 0,
  workingHoursOnly: false,
  forSeconds: 20,
  enabled: true,
  state: 'ok',
  sinceMicros: 0,
  value: null,
  createdMicros: 0,
}
const condition = conditionOf('queue_length', 'messages_waiting')!

/** Which checks change the state, with ten seconds between two. */
function changes(values: readonly (number | null)[], start: WatchdogView = watchdog, of = condition): number[] {
  const hysteresis = new Hysteresis()
  let state = start.state
  return values.flatMap((value, at) => {
    if (!hysteresis.mustChange({ ...start, state }, of, value, at * 10e6)) return []
    state = state === 'firing' ? 'ok' : 'firing'
    return [at]
  })
}

test('it fires when its value was bad for the set time, and not at the first bad value', () => {
  assert.deepEqual(changes([101, 101, 101, 101]), [2])
  assert.deepEqual(changes([101, 10, 101, 10, 101]), [])
})

test('between the thresholds it keeps its state', () => {
  assert.deepEqual(changes([200, 200, 200, 75, 75, 75, 75]), [2])
  assert.deepEqual(changes([75, 75, 75, 75]), [])
})

test('it resolves when its value was good for as long', () => {
  assert.deepEqual(changes([200, 200, 200, 50, 50, 50]), [2, 5])
  assert.deepEqual(changes([200, 200, 200, 50, 75, 50, 50]), [2])
})

test('a value that cannot be measured changes nothing, and starts the time anew', () => {
  assert.deepEqual(changes([null, null, null]), [])
  assert.deepEqual(changes([200, 200, null, 200, 200, 200]), [5])
})

test('a condition that is bad below its threshold works the other way round', () => {
  const disk = { ...watchdog, type: 'disk' as const, condition: 'free_percent', threshold: 10, resolveThreshold: 20 }
  assert.deepEqual(changes([5, 5, 5, 15, 15, 25, 25, 25], disk, conditionOf('disk', 'free_percent')!), [2, 7])
})
