import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoMicros, ManualClock } from '../../../../engine/clock.js'
import type { EventsQuery } from '../../../../engine/api/query-service.js'
import { jobFedBySearch } from '../../../support/resource-store.js'
import { openParts } from '../../../support/engine/wired.js'
import { testAuthor } from '../../../support/author.js'

test('queries up to now find what was acknowledged, though the clock was set forward and back', async (context) => {
  const clock = new ManualClock()
  const parts = await openParts(context, clock)
  parts.resources.apply(jobFedBySearch(false), true, testAuthor)
  const job = parts.resources.jobByTitle('a job')!
  let sent = 0
  const send = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const body = Buffer.from(JSON.stringify({ raw_body: { number: sent++ } }))
      await new Promise((resolve, reject) =>
        parts.shards.post({
          job,
          kind: 'ingest',
          eventId: `e${sent}`,
          idInBody: false,
          body,
          receiver: { ingested: resolve, refused: reject },
        }),
      )
      clock.advanceMs(10)
    }
  }
  const found = async (query: EventsQuery): Promise<number> => {
    const answer = await parts.queries.events(testAuthor as never, { countOnly: true, ...query })
    return (JSON.parse(Buffer.from(answer).toString()) as { total_count: number }).total_count
  }
  await send(4)
  const early = isoMicros(clock.nowMicros())
  clock.advanceMs(60_000)
  await send(1)
  clock.advanceMs(3_600_000)
  await send(5)
  clock.advanceMs(-3_600_000)
  await send(6)
  for (const dateField of ['timestamp_inference', '@timestamp'])
    for (const endDate of ['now', 'now+1m', isoMicros(clock.nowMicros()), isoMicros(clock.nowMicros() - 1e6)])
      assert.equal(await found({ endDate, dateField }), 16, `${dateField} ${endDate}`)
  assert.equal(await found({ endDate: early }), 4)
  assert.equal(await found({ startDate: early, endDate: 'now' }), 12)
  assert.ok(parts.shards.clockBehindSeconds > 3_500)
  clock.advanceMs(7_200_000)
  assert.equal(parts.shards.clockBehindSeconds, 0)
  await send(1)
  assert.equal(await found({ endDate: 'now' }), 17)
  assert.equal(await found({ endDate: 'now-1h' }), 16)
})
