import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ManualClock } from '../../../../engine/clock.js'
import { IngestClock } from '../../../../engine/runtime/ingest-clock.js'
import { EnrichmentDeadlines } from '../../../../engine/services/integrations/enrichment-deadlines.js'
import type { JobSettings } from '../../../../engine/domain/job/job.js'
import { eventually } from '../../../support/client.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const step = {
  integrationId: 9,
  role: 'enrichment',
  enabled: true,
  parameters: { time_limit_seconds: 2 },
  outsideSince: 1,
} as const

class World {
  readonly clock = new ManualClock()
  readonly stamps = new IngestClock(this.clock)
  readonly shard = new TestShard()
  readonly failures: unknown[] = []
  job: JobSettings = jobSettings({ pipeline: [step] })
  readonly watch: EnrichmentDeadlines

  constructor() {
    const { shard } = this
    this.watch = new EnrichmentDeadlines({
      resources: { job: () => this.job, jobs: () => [this.job], integrations: () => [] },
      shards: {
        count: 1,
        reader: () => shard.reader(),
        mailbox: () => shard.mailbox,
        takeTime: () => this.stamps.take(),
        insist: (job, kind, body = Buffer.alloc(0)) => shard.post({ job, kind, body, micros: this.stamps.take() }),
      },
      clock: this.clock,
      accepting: () => true,
      failed: (_, error) => this.failures.push(error),
    })
  }

  change(more: Partial<JobSettings>): void {
    this.job = { ...this.job, ...more, revision: this.job.revision + 1 }
    this.watch.jobChanged(this.job)
  }

  async ingest(eventId: string): Promise<void> {
    await this.shard.post({
      job: this.job,
      kind: 'ingest',
      eventId,
      body: '{"raw_body":{"host":"a"}}',
      micros: this.stamps.take(),
    })
  }

  status(eventId: string): string {
    return this.shard.view(this.job, eventId).status
  }

  async after(ms: number): Promise<void> {
    this.clock.advanceMs(ms)
    this.watch.check()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** A second event comes while the first waits, whose time is then over, and not before. */
async function firstGivenUp(world: World): Promise<void> {
  await world.after(3_000)
  await world.ingest('second')
  await world.after(400)
  assert.equal(world.status('first'), 'pending_inference')
  await world.after(200)
  await eventually(
    async () => world.status('first'),
    (status) => status === 'OK',
  )
}

describe('the watch over events that wait for look-ups', () => {
  it('gives up those whose time is over, and says that nobody could ask', async () => {
    const world = new World()
    world.watch.takeUp()
    await world.after(10_000)
    await world.ingest('first')
    await firstGivenUp(world)
    assert.equal(world.status('second'), 'pending_inference')
    const { log_messages: messages } = world.shard.reader().exportEvent(world.job, 'first', 'service').document
      .service as { log_messages: { content: string }[] }
    assert.match(messages[0]!.content, /there was no answer in time/)
    world.watch.close()
    assert.deepEqual(world.failures, [])
  })

  it('gives up those whose time is over, and none before, behind a clock that was set back by an hour', async () => {
    const world = new World()
    world.watch.takeUp()
    await world.ingest('before')
    world.clock.advanceMs(-3_600_000)
    await world.ingest('first')
    await world.after(0)
    await firstGivenUp(world)
    assert.deepEqual([world.status('before'), world.status('second')], ['OK', 'pending_inference'])
    await world.after(0)
    await world.after(4_000)
    await eventually(
      async () => world.status('second'),
      (status) => status === 'OK',
    )
    world.watch.close()
    assert.deepEqual(world.failures, [])
  })

  it('gives events the whole of their time after a start, of the service or of their job', async () => {
    const world = new World()
    await world.ingest('old')
    await world.after(60_000)
    world.watch.takeUp()
    await world.after(3_000)
    assert.equal(world.status('old'), 'pending_inference')
    world.change({ status: 'STOPPED' })
    await world.after(60_000)
    assert.equal(world.status('old'), 'pending_inference')
    world.change({ status: 'STARTED' })
    await world.after(3_000)
    assert.equal(world.status('old'), 'pending_inference')
    await world.after(1_000)
    await eventually(
      async () => world.status('old'),
      (status) => status === 'OK',
    )
    world.watch.close()
  })

  it('decides what was on its way when its step went', async () => {
    for (const isKnown of [true, false]) {
      const world = new World()
      if (isKnown) world.watch.takeUp()
      await world.shard.mailbox.hold()
      const posted = world.ingest('e')
      world.change({ pipeline: [] })
      await world.after(1)
      world.shard.mailbox.release()
      await posted
      assert.equal(world.status('e'), 'pending_inference')
      await world.after(1)
      await eventually(
        async () => world.status('e'),
        (status) => status === 'OK',
      )
      world.watch.close()
      assert.deepEqual(world.failures, [])
    }
  })

  it('decides at once what waits for a step that is gone', async () => {
    const world = new World()
    world.watch.takeUp()
    await world.ingest('e')
    world.change({ pipeline: [] })
    await world.after(1)
    await eventually(
      async () => world.status('e'),
      (status) => status === 'OK',
    )
    world.watch.close()
  })
})
