import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  compileSelection,
  searchEvents,
  parseSelection,
  type EventSearchTask,
} from '../../../../engine/services/reprocess/event-search.js'
import type { ReprocessRequest } from '../../../../engine/api/reprocess-service.js'
import { isoMicros } from '../../../../engine/clock.js'
import { limits } from '../../../../engine/limits.js'
import { assertRefused } from '../../../support/engine/refusal.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const job = jobSettings()

function taskOf(
  request: ReprocessRequest,
  requestedMicros: number,
  more: Partial<EventSearchTask> = {},
): EventSearchTask {
  return {
    dataDir: '',
    job,
    serviceNames: ['arcanna', 'service'],
    selection: parseSelection(request),
    requestedMicros,
    after: 0,
    countOnly: false,
    ...more,
  }
}

/** Events on the first ten days of a January, of which even ones are decided. */
async function filled(): Promise<{ shard: TestShard; found: (request: ReprocessRequest) => number[] }> {
  const shard = new TestShard()
  const days = new Map<number, number>()
  for (let day = 1; day <= 10; day++) {
    const body = {
      host: day % 2 === 0 ? 'even' : 'odd',
      day,
      '@timestamp': `2026-01-${String(day).padStart(2, '0')}T12:00:00Z`,
    }
    days.set((await shard.ingest(job, body, `e${day}`)).ingestMicros, day)
  }
  await shard.ingest(jobSettings({ id: 2 }), { host: 'odd', day: 99 }, 'other')
  const found = (request: ReprocessRequest): number[] => {
    const result = searchEvents(shard.environment, taskOf(request, shard.take()))
    assert.ok(result.last)
    assert.equal(result.count, result.times.length)
    return result.times.map((time) => days.get(time) as number)
  }
  return { shard, found }
}

describe('looking for the events of a task', () => {
  it('finds all of its job without dates and filters', async () => {
    const { found } = await filled()
    assert.deepEqual(found({}), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  it('finds by dates, both counted in, and by the time of ingest', async () => {
    const { shard, found } = await filled()
    assert.deepEqual(found({ startDate: '2026-01-03', endDate: '2026-01-05' }), [3, 4, 5])
    assert.deepEqual(found({ startDate: '2026-01-09T12:00:00.000001Z' }), [10])
    assert.deepEqual(found({ endDate: '1969-01-01' }), [])
    const third = isoMicros(shard.view(job, 'e3').ingestMicros)
    assert.deepEqual(found({ dateField: 'timestamp_inference', endDate: third }), [1, 2, 3])
    assert.deepEqual(found({ dateField: 'timestamp_inference', startDate: third, endDate: third }), [3])
    assert.deepEqual(found({ dateField: 'day', startDate: '2026-01-01' }), [])
  })

  it('finds by filters, all of which hold, under either name of the service', async () => {
    const { shard, found } = await filled()
    await shard.post({ job, kind: 'reprocess', eventId: 'e4' })
    assert.deepEqual(
      found({
        filters: [
          { field: 'host', operator: 'is', value: 'even' },
          { field: 'day', operator: 'gt', value: 5 },
        ],
      }),
      [6, 8, 10],
    )
    for (const name of ['arcanna', 'service']) {
      assert.deepEqual(found({ filters: [{ field: `${name}.previous_result`, operator: 'is', value: '' }] }), [4])
    }
    assert.deepEqual(
      found({ startDate: '2026-01-09', filters: [{ field: 'host', operator: 'is not', value: 'even' }] }),
      [9],
    )
  })

  it('leaves out what came in after the task was asked for', async () => {
    const { shard } = await filled()
    const query = shard.view(job, 'e4').ingestMicros
    assert.equal(searchEvents(shard.environment, taskOf({}, query)).times.length, 4)
  })

  it('stops at its bounds, says where, and goes on from there', async () => {
    const shard = new TestShard()
    const count = limits.reprocessFoundPerLook + 10
    await Promise.all(Array.from({ length: count }, (_, i) => shard.ingest(job, { host: `h${i}` })))
    const query = shard.take()
    const first = searchEvents(shard.environment, taskOf({}, query))
    assert.deepEqual(
      [first.times.length, first.last, first.through],
      [limits.reprocessFoundPerLook, false, first.times.at(-1)],
    )
    const second = searchEvents(shard.environment, taskOf({}, query, { after: first.through }))
    assert.deepEqual([second.times.length, second.last, second.through], [10, true, query])
    assert.equal(new Set([...first.times, ...second.times]).size, count)
    const counted = searchEvents(shard.environment, taskOf({}, query, { countOnly: true }))
    assert.deepEqual([counted.count, counted.times.length, counted.last], [count, 0, true])
  })
})

describe('a selection', () => {
  it('that cannot be understood is refused with its place', () => {
    const wrong: readonly [ReprocessRequest, readonly (string | number)[]][] = [
      [{ startDate: 'yesterday' }, ['body', 'start_date']],
      [{ endDate: {} }, ['body', 'end_date']],
      [{ filters: [{ field: 'a', operator: 'like', value: 1 }] }, ['body', 'filters', 0, 'operator']],
    ]
    for (const [request, place] of wrong) {
      const { context } = assertRefused('invalid_body', () => compileSelection(parseSelection(request), 0, ['service']))
      assert.deepEqual(context.issues?.[0]?.loc, place)
    }
  })

  it('reads its dates as of the time of the request', () => {
    const selection = parseSelection({ startDate: 'now-1d', endDate: '' })
    assert.deepEqual([selection.dateField, selection.startDate, selection.endDate], ['@timestamp', 'now-1d', null])
    compileSelection(selection, 1_700_000_000_000_000, ['service'])
  })
})
