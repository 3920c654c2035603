import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SampleStore, samplesTable } from '../../../../engine/services/monitor/sample-store.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'

const SECOND = 1e6

function filled(samples: number): { environment: MemoryEnvironment; now: number } {
  const environment = new MemoryEnvironment([samplesTable])
  const store = new SampleStore(environment)
  let now = 1_700_000_000 * SECOND
  for (let at = 0; at < samples; at++) {
    now += 10 * SECOND
    store.add(now, { 'actor/0': [at % 2 === 0 ? 20 : 40, at] })
    if (at % 6 === 5) store.flush(now)
  }
  store.flush(now)
  return { environment, now }
}

test('each selector shows its time, and the coarser the longer', () => {
  const { environment, now } = filled(8_640 + 6)
  const store = new SampleStore(environment)
  const length = (selector: '5m' | '1h' | '24h' | '7d'): number => store.series('actor/0', 'cpu', selector, now).length
  assert.ok(length('5m') >= 29 && length('5m') <= 31)
  assert.ok(length('1h') >= 359 && length('1h') <= 361)
  assert.ok(length('24h') > 1_300 && length('24h') < 1_700)
  assert.ok(length('7d') > 130 && length('7d') < 170)
})

test('a coarser row has the mean of the processor and the most of the memory', () => {
  const { environment, now } = filled(360)
  const store = new SampleStore(environment)
  const cpu = store.series('actor/0', 'cpu', '6h', now)
  assert.ok(
    cpu.every(({ value }) => value > 20 && value < 40),
    JSON.stringify(cpu),
  )
  const memory = store.series('actor/0', 'memory', '6h', now)
  assert.equal(memory.at(-1)?.value, 359)
})

test('what is older than the longest question is dropped', () => {
  const { environment } = filled(2_000)
  const fine = [...environment.range(samplesTable, { to: Buffer.of(1) })]
  assert.ok(fine.length <= 361, String(fine.length))
})

test('coarser rows go on where the clock was set back', () => {
  const environment = new MemoryEnvironment([samplesTable])
  const store = new SampleStore(environment)
  const now = 1_700_000_000 * SECOND
  store.add(now + 3_600 * SECOND, { 'actor/0': [10, 1] })
  for (let at = 0; at < 30; at++) store.add(now + at * 10 * SECOND, { 'actor/0': [10, 1] })
  store.flush(now + 300 * SECOND)
  assert.ok(store.series('actor/0', 'cpu', '6h', now + 300 * SECOND).length >= 4)
})

test('what is not written yet is shown, and unknown containers have nothing', () => {
  const store = new SampleStore(new MemoryEnvironment([samplesTable]))
  store.add(SECOND, { 'api/main': [null, 5] })
  assert.deepEqual(store.series('api/main', 'memory', '5m', SECOND), [{ atMicros: SECOND, value: 5 }])
  assert.deepEqual(store.series('api/main', 'cpu', '5m', SECOND), [])
  assert.deepEqual(store.series('nothing/0', 'memory', '5m', SECOND), [])
  assert.deepEqual(store.latest('api/main'), [null, 5])
})
