import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readAudit } from '../../../../engine/actor/autonomy/audit-rows.js'
import { encodeAutonomyCommand } from '../../../../engine/actor/autonomy/autonomy-command.js'
import { readAutonomy } from '../../../../engine/actor/autonomy/gate-state.js'
import { encodeErase } from '../../../../engine/actor/erase.js'
import { findEvent } from '../../../../engine/actor/event-table.js'
import type { Gate } from '../../../../engine/domain/autonomy/gate.js'
import type { SafetyContract } from '../../../../engine/domain/autonomy/contract.js'
import { Draw } from '../../../../engine/domain/autonomy/sampling.js'
import { queueOf } from '../../../../engine/services/autonomy/people-queue.js'
import { encodeAutonomy, type AutonomyRow } from '../../../../engine/store/autonomy-row.js'
import { jobKey } from '../../../../engine/store/tables.js'
import { WriteBatch } from '../../../../engine/store/write-batch.js'
import { recordedAuthor } from '../../../support/author.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'
import { refusedWith } from '../../../support/engine/refusal.js'

const job = jobSettings({ decisionPoints: ['host'] })
const contract: SafetyContract = {
  mode: 'open',
  holdOutRate: 1,
  revokeOnMiss: false,
  deadlineMicros: 3_600_000_000,
  protectedLabels: [0],
  labels: [{ label: 1, epsilon: 0.5, delta: 0.5, thresholds: [1_000], exclusions: [] }],
}

const set = (shard: TestShard, more: Partial<SafetyContract> = {}) =>
  shard.post({
    job,
    kind: 'autonomy',
    body: encodeAutonomyCommand({
      op: 'set',
      contract: { ...contract, ...more },
      drawKey: Buffer.alloc(32, 7).toString('base64'),
      by: recordedAuthor,
    }),
  })

/** A trained shard with the contract, in which every event that may be settled is an audit. */
async function governed(more: Partial<SafetyContract> = {}): Promise<TestShard> {
  const shard = new TestShard()
  for (let i = 0; i < 12; i++) {
    await shard.ingest(job, { host: i % 2 === 0 ? 'vault' : 'noisy' }, `t${i}`)
    await shard.feedback(job, `t${i}`, 'ann', i % 2 === 0 ? 'Escalate' : 'Drop')
  }
  await shard.install(job, shard.train(job, 1))
  await set(shard, more)
  return shard
}

const gateOf = (shard: TestShard): Gate => readAutonomy(shard.environment, job.id)?.gates[0] as Gate
const microsOf = (shard: TestShard, id: string): number => findEvent(shard.environment, job.id, id)?.micros as number
const auditOf = (shard: TestShard, id: string) => readAudit(shard.environment, job.id, microsOf(shard, id))
const autonomyOf = (shard: TestShard, id: string) => findEvent(shard.environment, job.id, id)?.header.autonomy
const clean = (shard: TestShard): number[] => gateOf(shard).evidence.weeks.map((week) => week.clean)

async function audits(shard: TestShard, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, at) => `a${at}`)
  for (const id of ids) await shard.ingest(job, { host: 'noisy' }, id)
  return ids
}

describe('the draw', () => {
  it('is written with the event: the audit, its rate and its deadline', async () => {
    const shard = await governed()
    await audits(shard, 1)
    assert.equal(autonomyOf(shard, 'a0'), 'audit')
    const audit = auditOf(shard, 'a0')
    assert.deepEqual([audit?.rate, audit?.label, audit?.from, audit?.outcome], [1, 1, 1_000, 'pending'])
    assert.equal(audit?.dueMicros, (audit?.drawnMicros ?? 0) + contract.deadlineMicros)
    assert.equal(shard.view(job, 'a0').autonomy, 'review')
  })

  it('passes over buckets with a vote for a protected label, with dissent, or that are left out', async () => {
    const shard = await governed()
    await shard.feedback(job, 't1', 'bob', 'Escalate')
    await audits(shard, 1)
    assert.equal(autonomyOf(shard, 'a0'), 'review')
    const other = await governed()
    await other.feedback(job, 't1', 'bob', 'Investigate')
    await audits(other, 1)
    assert.equal(autonomyOf(other, 'a0'), 'review')
    const third = await governed()
    const bucketId = Buffer.from(findEvent(third.environment, job.id, 't1')?.header.bucketId ?? []).toString('hex')
    const [terms] = contract.labels
    await set(third, { labels: [{ ...(terms as (typeof contract.labels)[0]), exclusions: [bucketId] }] })
    await audits(third, 1)
    assert.equal(autonomyOf(third, 'a0'), 'review')
  })

  it('needs a model, and a contract to reopen what it settled', async () => {
    const shard = new TestShard()
    await assert.rejects(set(shard), refusedWith('gate_without_model'))
    const command = { op: 'reopen', label: null, from: 0, through: 1, first: true, by: recordedAuthor } as const
    const body = encodeAutonomyCommand(command)
    await assert.rejects(shard.post({ job, kind: 'autonomy', body }), refusedWith('contract_not_found'))
  })
})

describe('the evidence', () => {
  it('survives the erasure of an answered event; unanswered, it stays due', async () => {
    const shard = await governed()
    await audits(shard, 2)
    await shard.feedback(job, 'a0', 'ann', 'Drop')
    assert.deepEqual([clean(shard), gateOf(shard).pending], [[1], 1])
    const times = [microsOf(shard, 'a0'), microsOf(shard, 'a1')]
    await shard.post({ job, kind: 'erase', body: encodeErase(times, false) })
    assert.deepEqual([clean(shard), gateOf(shard).pending], [[1], 1])
    assert.equal(readAudit(shard.environment, job.id, times[0] as number)?.gone, true)
  })

  it('loses an unanswered audit whose event is replaced by another version, and keeps an answered one', async () => {
    const shard = await governed()
    await audits(shard, 2)
    await shard.feedback(job, 'a0', 'ann', 'Drop')
    for (const id of ['a0', 'a1']) await shard.ingest(job, { host: 'vault' }, id)
    assert.deepEqual([clean(shard), gateOf(shard).pending], [[1], 0])
  })

  it('counts a vote on the whole bucket that came after the audits, and its withdrawal', async () => {
    const shard = await governed()
    await audits(shard, 3)
    await shard.vote(job, 'a0', { analyst: 'bob', label: 'Drop', scope: 'bucket' })
    assert.deepEqual([clean(shard), gateOf(shard).pending], [[3], 0])
    await shard.vote(job, 'a0', { analyst: 'bob', label: null, scope: 'bucket' })
    assert.deepEqual([clean(shard), gateOf(shard).pending], [[], 3])
  })

  it('is kept where buckets are added to the exclusions: failures count, clean audits there do not', async () => {
    const shard = await governed()
    await audits(shard, 2)
    await shard.feedback(job, 'a0', 'ann', 'Drop')
    await shard.feedback(job, 'a1', 'ann', 'Escalate')
    const bucketId = auditOf(shard, 'a0')?.bucketId ?? ''
    const [terms] = contract.labels as [(typeof contract.labels)[0]]
    await set(shard, { labels: [{ ...terms, exclusions: [bucketId] }] })
    assert.deepEqual(gateOf(shard).evidence.weeks, [{ week: 0, clean: 0, failures: 1 }])
    await set(shard, { labels: [{ ...terms, epsilon: 0.4 }] })
    assert.deepEqual(gateOf(shard).evidence.weeks, [], 'other terms are another gate')
  })
})

describe('protected events', () => {
  const counted = (shard: TestShard): number =>
    gateOf(shard).flow.reduce((sum, { protectedEvents }) => sum + protectedEvents, 0)

  it('are those of buckets that people answered so, not those that the model calls so', async () => {
    const shard = await governed()
    await shard.ingest(job, { host: 'vault' }, 'known')
    assert.equal(counted(shard), 1)
    // Nobody has voted on this bucket.
    await shard.ingest(job, { host: 'vault2' }, 'new')
    assert.equal(counted(shard), 1)
    await shard.feedback(job, 'new', 'ann', 'Escalate')
    assert.equal(counted(shard), 2)
    await shard.ingest(job, { host: 'vault2' }, 'next')
    assert.equal(counted(shard), 3)
    await shard.feedback(job, 'new', 'ann', 'Drop')
    assert.equal(counted(shard), 2)
    await shard.ingest(job, { host: 'vault2' }, 'last')
    assert.equal(counted(shard), 2)
  })

  it('are those that people answered so, in jobs without buckets', async () => {
    const centric = jobSettings({ category: 'Event centric decision intelligence', decisionPoints: ['host'] })
    const shard = new TestShard()
    for (let i = 0; i < 12; i++) {
      await shard.ingest(centric, { host: i % 2 === 0 ? 'vault' : 'noisy' }, `t${i}`)
      await shard.feedback(centric, `t${i}`, 'ann', i % 2 === 0 ? 'Escalate' : 'Drop')
    }
    await shard.install(centric, shard.train(centric, 1))
    await set(shard)
    await shard.ingest(centric, { host: 'vault' }, 'one')
    assert.equal(counted(shard), 0)
    for (const [label, count] of [
      ['Escalate', 1],
      ['Drop', 0],
      ['Escalate', 1],
    ] as const) {
      await shard.feedback(centric, 'one', 'ann', label)
      assert.equal(counted(shard), count, label)
    }
    await shard.feedback(centric, 't0', 'ann', 'Escalate')
    assert.equal(counted(shard), 1, 'events of before the contract are not among them')
  })
})

describe('a row of before answers waited', () => {
  it('is counted anew when its job is opened', async () => {
    const shard = await governed()
    await audits(shard, 3)
    await shard.feedback(job, 'a0', 'ann', 'Drop')
    const row = readAutonomy(shard.environment, job.id) as AutonomyRow
    const old = row.gates.map((gate) => ({ ...gate, evidence: { weeks: gate.evidence.weeks } }))
    const batch = new WriteBatch()
    batch.put('autonomy', jobKey(job.id), encodeAutonomy({ ...row, gates: old }))
    shard.environment.commit(batch)
    shard.restart()
    await shard.feedback(job, 'a1', 'ann', 'Drop')
    const { evidence } = gateOf(shard)
    assert.deepEqual(
      evidence.hours?.map(({ clean, pending }) => [clean, pending]),
      [[2, 1]],
    )
  })
})

describe('an audit that is asked of a second person', () => {
  it('stays in the queue until two have voted, and their disagreement is counted', async () => {
    const shard = await governed()
    const ids = await audits(shard, 40)
    const second = ids.find((id) => auditOf(shard, id)?.second === true) as string
    const first = ids.find((id) => auditOf(shard, id)?.second === false) as string
    const queued = (id: string) =>
      queueOf(shard.environment, job, { size: 200, order: 'newest' }, () => 0)?.events.some(
        ({ eventId }) => eventId === id,
      )
    for (const id of [first, second]) await shard.feedback(job, id, 'ann', 'Drop')
    assert.deepEqual([queued(first), queued(second)], [false, true])
    await shard.feedback(job, second, 'bob', 'Investigate')
    assert.equal(queued(second), false)
    assert.deepEqual(gateOf(shard).second, { answered: 1, differ: 1 })
  })
})

describe('the draw of audits', () => {
  it('is that of each id, whatever else is in the turn', async () => {
    const rate = 0.3
    const shard = await governed({ holdOutRate: rate })
    const other = jobSettings({ id: 2, decisionPoints: ['host'] })
    const posted = Array.from({ length: 120 }, (_, at) => {
      if (at % 7 === 3) return shard.ingest(other, { host: 'noisy' }).then(() => null)
      return shard.ingest(job, { host: at % 5 === 1 ? 'vault' : 'noisy' }, at % 11 === 4 ? `own ${at}` : null)
    })
    const draw = new Draw(Buffer.alloc(32, 7))
    let audited = 0
    for (const view of await Promise.all(posted)) {
      if (view === null) continue
      const isHeldOut = view.resultLabel === 'Drop' && draw.isHeldOut(view.eventId, rate)
      assert.equal(autonomyOf(shard, view.eventId), isHeldOut ? 'audit' : 'review')
      if (isHeldOut) audited++
    }
    assert.ok(audited > 10)
  })
})
