import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { must } from '../../../../engine/assert.js'
import type { JobSettings } from '../../../../engine/domain/job/job.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { alarm } from '../../../support/cause.js'
import { jobAt, similarTo } from '../../../support/engine/explained.js'
import { assertRefused } from '../../../support/engine/refusal.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const points = ['rule', 'host', 'text', 'n']
const job = jobSettings({ decisionPoints: points })

function bodyOf(random: SeededRandom) {
  return {
    rule: `rule ${random.below(4)}`,
    host: `host-${random.below(8)}`,
    text: `${random.pick(['failed', 'accepted'])} login from ${random.pick(['inside', 'outside'])}`,
    n: random.below(1000),
  }
}

async function filled(of: JobSettings, count: number) {
  const shard = new TestShard()
  const random = new SeededRandom(5)
  const bodies = Array.from({ length: count }, () => bodyOf(random))
  for (const [i, body] of bodies.entries()) await shard.ingest(of, body, `e${i}`)
  return { shard, bodies, valuesOf: (at: number) => points.map((point) => bodies[at]?.[point as 'rule'] ?? null) }
}

describe('similar events', () => {
  it('are the nearest buckets by the features of the model, as if all were compared one by one', async () => {
    const { shard, bodies, valuesOf } = await filled(job, 300)
    for (let i = 0; i < 60; i++) await shard.feedback(job, `e${i}`, 'ann', i % 2 === 0 ? 'Drop' : 'Escalate')
    await shard.install(job, shard.train(job, 1))
    const likeness = must(jobAt(shard, job).active, 'the active model').model.likeness()
    for (const own of [0, 7, 250]) {
      const answer = similarTo(shard, job, `e${own}`, 10)
      assert.deepEqual([answer.isComplete, answer.modelId, answer.similar.length], [true, 'model_1_1', 10])
      likeness.hold(valuesOf(own))
      const distances = bodies.map((_, at) => likeness.distance(valuesOf(at)))
      const others = bodies
        .map((_, at) => at)
        .filter((at) => JSON.stringify(bodies[at]) !== JSON.stringify(bodies[own]))
      const nearest = others.map((at) => distances[at] as number).sort((a, b) => a - b)
      assert.deepEqual(
        answer.similar.map((one) => one.likeness),
        nearest.slice(0, 10).map((distance) => Math.round((1 - distance / 2) * 1e4) / 1e4),
      )
      for (const { eventId, events, differences } of answer.similar) {
        assert.equal(events, 1)
        const other = bodies[Number(eventId?.slice(1))]
        for (const { field, value, other: its } of differences) {
          assert.equal(value, bodies[own]?.[field as 'rule'])
          assert.equal(its, other?.[field as 'rule'])
        }
      }
    }
  })

  it('are found before a training, by what the events are like; equal events are counted', async () => {
    const { shard, bodies } = await filled(job, 40)
    await shard.ingest(job, bodies[3], 'equal')
    await shard.feedback(job, 'e4', 'ann', 'Drop')
    const answer = similarTo(shard, job, 'e3', 50)
    assert.deepEqual([answer.modelId, answer.equalEvents, answer.compared], [null, 2, 39])
    assert.equal(answer.similar.length, 39)
    assert.ok(!answer.similar.some(({ eventId }) => eventId === 'e3' || eventId === 'equal'))
    assert.equal(answer.similar.find(({ eventId }) => eventId === 'e4')?.consensus, 'Drop')
    const likeness = answer.similar.map((one) => one.likeness)
    assert.deepEqual(
      likeness,
      likeness.toSorted((a, b) => b - a),
    )
  })

  it('leave out buckets whose events are all gone', async () => {
    const { shard } = await filled(job, 6)
    await shard.ingest(job, { rule: 'another' }, 'e5')
    const ids = similarTo(shard, job, 'e0', 50).similar.map(({ eventId }) => eventId)
    assert.deepEqual(ids.toSorted(), ['e1', 'e2', 'e3', 'e4', 'e5'])
  })

  it('are single events where there are no buckets, and alerts in like places of clusters', async () => {
    const single = { ...job, category: 'Event centric decision intelligence' } as const
    const { shard } = await filled(single, 30)
    const answer = similarTo(shard, single, 'e3', 5)
    assert.deepEqual([answer.bucketId, answer.compared, answer.similar.length], [null, 29, 5])
    for (const { bucketId, events } of answer.similar) assert.deepEqual([bucketId, events], [null, 1])
    const clustered = jobSettings({ id: 2, category: 'Automated root cause analysis', decisionPoints: [] })
    for (let place = 0; place < 4; place++) {
      await shard.ingest(clustered, alarm('db', 'disk full', place * 5_000), `root ${place}`)
      await shard.ingest(clustered, alarm('mail', 'spam', place * 5_000 + 6), `alone ${place}`)
    }
    const [first] = similarTo(shard, clustered, 'root 3', 3).similar
    assert.match(first?.eventId ?? '', /^root/)
  })

  it('of an unknown event are refused', () => {
    assertRefused('event_not_found', () => similarTo(new TestShard(), job, 'never', 3))
  })
})
