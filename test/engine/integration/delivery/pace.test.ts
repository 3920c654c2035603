import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Circuit, standardPace, waitMs } from '../../../../engine/integration/delivery/pace.js'

test('pauses double up to a ceiling; half of each is fixed, half is random', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 60].map((failures) => waitMs(failures, 100, 1_000, 0)),
    [50, 100, 200, 400, 500, 500],
  )
  assert.equal(waitMs(3, 100, 1_000, 0.999_999), 400)
})

test('a breaker opens after some failures in a row, passes one request after its pause, and closes after a success', () => {
  const circuit = new Circuit(standardPace, () => 0)
  let now = 1_000_000
  for (let i = 0; i < 5; i++) {
    assert.equal(circuit.enter(now), 0)
    circuit.failed(now, 'away')
    assert.ok(circuit.enter(now) > 0)
    now += 60_000
  }
  assert.equal(circuit.state(now), 'half_open')
  assert.equal(circuit.enter(now), 0)
  assert.ok(circuit.enter(now) > 0, 'one at a time')
  circuit.failed(now, 'still away')
  assert.deepEqual([circuit.state(now), circuit.reason], ['open', 'still away'])
  now += 60_000
  circuit.enter(now)
  circuit.succeeded()
  assert.deepEqual([circuit.state(now), circuit.enter(now), circuit.enter(now), circuit.reason], ['closed', 0, 0, ''])
})

test('a counterpart may ask for a pause of ten minutes at most', () => {
  const circuit = new Circuit(standardPace, () => 0)
  circuit.failed(0, 'busy', 90_000)
  assert.equal(circuit.enter(0), 90_000)
  circuit.failed(0, 'busy', 1e9)
  assert.equal(circuit.enter(0), 600_000)
  circuit.succeeded()
  circuit.pause(0, 2_000)
  assert.deepEqual([circuit.enter(0), circuit.enter(2_000)], [2_000, 0])
})

test('a pause ends if the clock is set back to before its start', () => {
  const circuit = new Circuit(standardPace, () => 0)
  circuit.failed(3_600_000, 'busy', 90_000)
  assert.deepEqual([circuit.enter(3_600_000), circuit.enter(0)], [90_000, 0])
})
