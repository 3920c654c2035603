import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { EventView } from '../../../../engine/api/decision-service.js'
import type { WhatIf } from '../../../../engine/api/explanation-service.js'
import type { JobSettings } from '../../../../engine/domain/job/job.js'
import { limits } from '../../../../engine/limits.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { alarm } from '../../../support/cause.js'
import { decidedBody, explained } from '../../../support/engine/explained.js'
import { assertRefused } from '../../../support/engine/refusal.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const job = jobSettings({ decisionPoints: ['rule', 'host', 'port'] })

function bodyOf(random: SeededRandom): Record<string, unknown> {
  return random.below(12) === 0
    ? { other: 1 }
    : { rule: `rule ${random.below(4)}`, host: `host-${random.below(9)}`, port: random.pick([22, 80, null]) }
}

function assertSame({ decision, bucketState }: WhatIf, view: EventView): void {
  assert.deepEqual(
    [decision.status, decision.result, decision.resultLabel, decision.confidenceScore, decision.outlier, bucketState],
    [view.status, view.result, view.resultLabel, view.confidenceScore, view.outlier, view.bucketState],
  )
}

/** Every row of the store. */
function rowsOf({ environment }: TestShard): string {
  const rows = ['events', 'buckets', 'counts', 'ballots', 'votes', 'causes', 'stats', 'shapes', 'words', 'meta']
  return JSON.stringify(
    rows.map((table) =>
      [...environment.range(table, {})].map(({ key, value }) =>
        [key, value].map((one) => Buffer.from(one).toString('hex')),
      ),
    ),
  )
}

/** Votes, trainings and new events in turn: each body is decided first, then sent. */
async function compare(of: JobSettings, rounds: number): Promise<ReadonlySet<string>> {
  const shard = new TestShard()
  const random = new SeededRandom(of.category.length)
  const sources = new Set<string>()
  for (let i = 0; i < rounds; i++) {
    if (i % 60 === 59) await shard.install(of, shard.train(of, i))
    const rawBody = bodyOf(random)
    const before = rowsOf(shard)
    const decided = decidedBody(shard, of, rawBody, { explain: true })
    assert.equal(rowsOf(shard), before)
    assertSame(decided, await shard.ingest(of, rawBody, `e${i}`))
    sources.add(decided.decision.source)
    const later = explained(shard, of, `e${i}`)
    assert.deepEqual(later.decision, decided.decision)
    assert.deepEqual(decided.explanation?.decision, decided.decision)
    assert.deepEqual(later.model?.fields, decided.explanation?.model?.fields)
    if (random.below(3) > 0) {
      const label = random.below(6) === 0 ? 2 : 'rule' in rawBody && rawBody.rule === 'rule 1' ? 0 : 1
      await shard.feedback(of, `e${i}`, random.pick(['ann', 'bob']), of.labels[label]?.name ?? '')
    }
  }
  return sources
}

describe('a body that is not stored', () => {
  it('is decided as it would be when it is sent, and changes nothing', async () => {
    const sources = await compare(job, 180)
    for (const source of ['none', 'model', 'knowledge_base']) assert.ok(sources.has(source), source)
  })

  it('is decided so by an ageing model, whose own confidence is explained', async () => {
    const shard = new TestShard()
    const known = (i: number) => ({ rule: `rule ${i % 2}`, host: `host-${i}`, port: 22 })
    for (let i = 0; i < 40; i++) {
      await shard.ingest(job, known(i), `e${i}`)
      await shard.feedback(job, `e${i}`, 'ann', i % 2 === 0 ? 'Escalate' : 'Drop')
    }
    await shard.install(job, shard.train(job, 1))
    for (let i = 100; i < 160; i++) {
      await shard.ingest(job, known(i), `e${i}`)
      await shard.feedback(job, `e${i}`, 'ann', i % 2 === 0 ? 'Drop' : 'Escalate')
    }
    const decided = decidedBody(shard, job, known(200))
    assert.equal(decided.decision.source, 'ageing_model')
    assertSame(decided, await shard.ingest(job, known(200), 'late'))
    const { decision, model } = explained(shard, job, 'late')
    assert.deepEqual([decision.source, decision.isExact], ['ageing_model', true])
    assert.ok((model?.answer?.confidenceScore ?? 0) > decision.confidenceScore)
  })

  it('is decided so in jobs without buckets', async () => {
    await compare({ ...job, category: 'Event centric decision intelligence' }, 150)
  })

  it('is decided by its place in its cluster', async () => {
    const clustered = jobSettings({ category: 'Automated root cause analysis', decisionPoints: ['alarm.type'] })
    const shard = new TestShard()
    const both = async (of: JobSettings, rawBody: Record<string, unknown>, eventId: string): Promise<void> => {
      const before = rowsOf(shard)
      const { decision } = decidedBody(shard, of, rawBody)
      assert.equal(rowsOf(shard), before)
      const view = await shard.ingest(of, rawBody, eventId)
      assert.deepEqual([decision.resultLabel, decision.confidenceScore], [view.resultLabel, view.confidenceScore])
    }
    const incident = async (of: JobSettings, place: number): Promise<void> => {
      const at = place * 5_000
      await both(of, alarm('db', 'disk full', at), `root ${place}`)
      await both(of, alarm('api', 'latency', at + 4, ['db']), `symptom ${place}`)
      await both(of, alarm('mail', 'spam', at + 6), `alone ${place}`)
    }
    for (let place = 0; place < 10; place++) await incident(clustered, place)
    for (let place = 0; place < 8; place++) {
      await shard.feedback(clustered, `root ${place}`, 'ann', 'Root cause')
      await shard.feedback(clustered, `symptom ${place}`, 'ann', 'Symptom')
    }
    await shard.install(clustered, shard.train(clustered, 1))
    for (let place = 20; place < 24; place++) await incident(clustered, place)
    const { decision, model, cluster } = explained(shard, clustered, 'symptom 23')
    assert.deepEqual([decision.resultLabel, decision.isExact], ['Symptom', true])
    assert.deepEqual(
      model?.fields.map(({ fields }) => fields[0]?.field),
      ['alarm.type'],
    )
    assert.match(cluster?.reason ?? '', /follows from/)
    const untrained = { ...clustered, id: 2, advancedSettings: { decide_untrained: true } }
    for (let place = 0; place < 3; place++) await incident(untrained, place)
  })

  it('of a stopped job waits; where a step enriches, the answer says so', async () => {
    const shard = new TestShard()
    const { decision, note } = decidedBody(shard, { ...job, status: 'STOPPED' }, { rule: 'a' })
    assert.deepEqual([decision.status, decision.result], ['pending_inference', ''])
    assert.match(note ?? '', /stopped/)
  })

  it('has the checks of a new event', () => {
    const shard = new TestShard()
    const deep = (levels: number): unknown => (levels === 0 ? 1 : { in: deep(levels - 1) })
    assertRefused('event_too_deep', () => decidedBody(shard, job, deep(limits.eventDepthMax + 1)))
    const wide = Object.fromEntries(Array.from({ length: limits.eventFieldsMax + 1 }, (_, at) => [`f${at}`, 1]))
    assertRefused('event_too_wide', () => decidedBody(shard, job, wide))
    assertRefused('invalid_body', () => decidedBody(shard, job, 'no object'))
    assertRefused('invalid_body', () => decidedBody(shard, job, {}, { explain: 'maybe' }))
    assertRefused('invalid_body', () => decidedBody(shard, job, {}, { job_id: 2 }))
    assert.equal(decidedBody(shard, job, {}, { job_id: '1' }).decision.status, 'OK')
  })
})
