import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PointValues } from '../../../../engine/domain/event/point-value.js'
import { pointFaults, type PointFault } from '../../../../engine/domain/metrics/point-faults.js'
import { absentPoints, PointTally, type PointCounts } from '../../../../engine/domain/metrics/point-tally.js'

const FINGERPRINT = 7

function tally(points: number, windowEvents?: number): PointTally {
  return new PointTally({ fingerprint: FINGERPRINT, points, ...(windowEvents ? { windowEvents } : {}) }, null, null)
}

function fill(into: PointTally, events: number, valuesOf: (i: number) => PointValues, idsOnly = false): PointCounts {
  for (let i = 0; i < events; i++) {
    into.see(valuesOf(i), idsOnly)
    into.add(absentPoints(valuesOf(i)), 1)
  }
  return into.counts()
}

function kinds(faults: readonly PointFault[]): string[] {
  return faults.map(({ kind, point }) => `${kind} ${point}`)
}

test('a point that most events lack is found, one that half of them have is not', () => {
  const counts = fill(tally(3), 20, (i) => ['rule', i % 2 === 0 ? 'a' : null, i % 3 === 0 ? 'b' : null])
  const faults = pointFaults(counts, FINGERPRINT)
  assert.deepEqual(faults, [{ kind: 'lacking', point: 2, events: 20, count: 13 }])
  assert.deepEqual(
    pointFaults(
      fill(tally(1), 9, () => [null]),
      FINGERPRINT,
    ),
    [],
    'nine events prove nothing',
  )
  assert.deepEqual(pointFaults(counts, FINGERPRINT + 1), [], 'counts of other points say nothing')
})

test('a point that is new with nearly every event is found, one whose values come again is not', () => {
  const counts = fill(tally(3), 600, (i) => [`id-${i}`, `host-${i % 250}`, i % 5])
  assert.deepEqual(kinds(pointFaults(counts, FINGERPRINT)), ['unique 0'])
})

test('without buckets, numbers and texts may be new with each event, words may not', () => {
  const counts = fill(tally(3), 600, (i) => [i, `it took ${i} seconds`, `id-${i}`], true)
  assert.deepEqual(kinds(pointFaults(counts, FINGERPRINT)), ['unique 2'])
})

test('a fault that is mended is forgotten after two windows', () => {
  const counted = tally(1, 50)
  assert.deepEqual(
    kinds(
      pointFaults(
        fill(counted, 50, () => [null]),
        FINGERPRINT,
      ),
    ),
    ['lacking 0'],
  )
  assert.deepEqual(
    kinds(
      pointFaults(
        fill(counted, 49, () => ['a']),
        FINGERPRINT,
      ),
    ),
    ['lacking 0'],
  )
  assert.deepEqual(
    kinds(
      pointFaults(
        fill(counted, 1, () => ['a']),
        FINGERPRINT,
      ),
    ),
    [],
  )
})

test('a tally that goes on from what was stored counts as one that never stopped', () => {
  const values = (i: number): PointValues => [`id-${i}`, i % 4 === 0 ? 'a' : null]
  const whole = tally(2, 100)
  const all = fill(whole, 330, values)
  const first = tally(2, 100)
  for (let i = 0; i < 170; i++) {
    first.see(values(i), false)
    first.add(absentPoints(values(i)), 1)
  }
  const registers = Uint8Array.from(first.changedRegisters!)
  const settings = { fingerprint: FINGERPRINT, points: 2, windowEvents: 100 }
  const second = new PointTally(settings, first.counts(), registers)
  for (let i = 170; i < 330; i++) {
    second.see(values(i), false)
    second.add(absentPoints(values(i)), 1)
  }
  assert.deepEqual(second.counts(), all)
})

test('a tally that is cleared has counted nothing', () => {
  const counted = tally(1)
  fill(counted, 400, (i) => [`id-${i}`])
  counted.clear()
  assert.deepEqual(counted.counts(), tally(1).counts())
})

test('values that are told once in each window count as those that are told with each event', () => {
  const valuesOf = (i: number): PointValues => [`rule ${i % 7}`, i % 3 === 0 ? null : `host ${i % 5}`]
  const each = fill(tally(2, 50), 400, valuesOf)
  const once = tally(2, 50)
  const told = new Map<string, number>()
  for (let i = 0; i < 400; i++) {
    const values = valuesOf(i)
    const key = JSON.stringify(values)
    if (told.get(key) !== once.window) once.see(values, false)
    told.set(key, once.window)
    once.add(absentPoints(values), 1)
  }
  assert.deepEqual(once.counts(), each)
  const before = once.window
  once.clear()
  assert.notEqual(once.window, before)
})
