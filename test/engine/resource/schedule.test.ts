import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../engine/clock.js'
import type { AutoRetrain, JobSettings, JobStatus } from '../../../engine/domain/job/job.js'
import { RetrainSchedule, nextRetrainMicros } from '../../../engine/resource/schedule.js'
import { job, openResourceStore } from '../../support/resource-store.js'
import { testAuthor } from '../../support/author.js'

const HOUR_MS = 3_600_000
const start = Date.parse('2026-01-31T00:00:00Z') * 1000
const at = (text: string): number => Date.parse(text) * 1000

const { resources } = openResourceStore()
resources.apply({ a: job('a') }, true, testAuthor)
const plain = resources.jobByTitle('a') as JobSettings

function scheduled(id: number, cron: string, enabled = true, status: JobStatus = 'STARTED'): JobSettings {
  const autoRetrain = { enabled, cron, blockers: {} } as unknown as AutoRetrain
  return { ...plain, id, status, autoRetrain }
}

function bench(): { clock: ManualClock; calls: number[]; schedule: RetrainSchedule } {
  const clock = new ManualClock(start)
  const calls: number[] = []
  return { clock, calls, schedule: new RetrainSchedule(clock, 'UTC', (id) => calls.push(id)) }
}

test('a job without an enabled schedule, or stopped, has no next time', () => {
  assert.equal(nextRetrainMicros(plain, start, 'UTC'), null)
  assert.equal(nextRetrainMicros(scheduled(1, '0 3 * * *', false), start, 'UTC'), null)
  assert.equal(nextRetrainMicros(scheduled(1, '0 3 * * *', true, 'STOPPED'), start, 'UTC'), null)
  assert.equal(nextRetrainMicros(scheduled(1, '', false), start, 'UTC'), null)
  assert.equal(nextRetrainMicros(scheduled(1, '0 3 * * *'), start, 'UTC'), at('2026-01-31T03:00:00Z'))
})

test('a due job is called back once and waits for its next time', () => {
  const { clock, calls, schedule } = bench()
  schedule.put(scheduled(1, '0 3 * * *'))
  schedule.put(scheduled(2, '0 4 * * *'))
  clock.advanceMs(3 * HOUR_MS - 1)
  schedule.tick()
  assert.deepEqual(calls, [])
  clock.advanceMs(1)
  schedule.tick()
  schedule.tick()
  assert.deepEqual(calls, [1])
  assert.equal(schedule.dueMicros(1), at('2026-02-01T03:00:00Z'))
  clock.advanceMs(72 * HOUR_MS)
  schedule.tick()
  assert.deepEqual(calls, [1, 1, 2])
  schedule.close()
})

test('a clock that was set back by far brings the next times back with it, and one that was set back a little repeats none', () => {
  const { clock, calls, schedule } = bench()
  schedule.put(scheduled(1, '0 3 * * *'))
  clock.advanceMs(3 * HOUR_MS)
  schedule.tick()
  clock.advanceMs(-60_000)
  schedule.tick()
  assert.equal(schedule.dueMicros(1), at('2026-02-01T03:00:00Z'))
  clock.advanceMs(-365 * 24 * HOUR_MS)
  schedule.tick()
  assert.equal(schedule.dueMicros(1), at('2025-01-31T03:00:00Z'))
  clock.advanceMs(60_000)
  schedule.tick()
  assert.deepEqual(calls, [1, 1])
  schedule.close()
})

test('a change of something else keeps a job that is due', () => {
  const { clock, calls, schedule } = bench()
  schedule.put(scheduled(1, '0 3 * * *'))
  clock.advanceMs(4 * HOUR_MS)
  schedule.put({ ...scheduled(1, '0 3 * * *'), description: 'changed' })
  schedule.tick()
  assert.deepEqual(calls, [1])
  schedule.close()
})

test('a job that is stopped, disabled, removed or given another time is not called at the old one', () => {
  const { clock, calls, schedule } = bench()
  for (const id of [1, 2, 3, 4]) schedule.put(scheduled(id, '0 3 * * *'))
  schedule.put(scheduled(1, '0 3 * * *', true, 'STOPPED'))
  schedule.put(scheduled(2, '0 3 * * *', false))
  schedule.remove(3)
  schedule.put(scheduled(4, '0 5 * * *'))
  clock.advanceMs(4 * HOUR_MS)
  schedule.tick()
  assert.deepEqual(calls, [])
  clock.advanceMs(HOUR_MS)
  schedule.tick()
  assert.deepEqual(calls, [4])
  schedule.close()
})

test('the timer calls back by itself', async () => {
  const clock = new ManualClock(start + 990_000)
  const called = new Promise<number>((resolve) => {
    const schedule = new RetrainSchedule(clock, 'UTC', (id) => {
      schedule.close()
      resolve(id)
    })
    schedule.put(scheduled(9, '* * * * * *'))
    clock.advanceMs(2_000)
  })
  const alive = setInterval(() => {}, 1_000)
  assert.equal(await called, 9)
  clearInterval(alive)
})

test('a closed schedule takes nothing in and calls nobody', () => {
  const { clock, calls, schedule } = bench()
  schedule.put(scheduled(1, '0 3 * * *'))
  schedule.close()
  schedule.put(scheduled(2, '0 3 * * *'))
  clock.advanceMs(24 * HOUR_MS)
  schedule.tick()
  assert.deepEqual(calls, [])
  assert.equal(schedule.dueMicros(2), null)
})
