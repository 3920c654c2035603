import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeModelCommand } from '../../../../engine/actor/models/model-command.js'
import type { JobSettings, PipelineStep } from '../../../../engine/domain/job/job.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { ReplaySignals } from '../../../../engine/services/replay/replay-protocol.js'
import { runReplay } from '../../../../engine/services/replay/run-replay.js'
import type { ReplayTerms } from '../../../../engine/store/replay-row.js'
import { testAuthor } from '../../../support/author.js'
import { jobSettings, sectionNames, TestShard } from '../../../support/engine/shard.js'

const job = jobSettings({ decisionPoints: ['rule', 'host'] })
const labels = job.labels.map(({ name }) => name)
let directories = 0

/** Voted events, two models, and a stream. The second model learned that scans are to be escalated. */
async function lived(of: JobSettings = job): Promise<TestShard> {
  const shard = new TestShard()
  const random = new SeededRandom(5)
  const rules = ['malware', 'scan', 'policy']
  for (let i = 0; i < 60; i++) {
    await shard.ingest(of, { rule: rules[i % 3], host: `host-${random.below(20)}` }, `e${i}`)
    await shard.feedback(of, `e${i}`, 'ann', labels[i % 3] as string)
  }
  await shard.install(of, shard.train(of, 1))
  for (let i = 0; i < 60; i++) {
    await shard.ingest(of, { rule: 'scan', host: `host-${20 + i}` }, `s${i}`)
    await shard.feedback(of, `s${i}`, 'eve', labels[0] as string)
  }
  await shard.install(of, shard.train(of, 2))
  for (let i = 0; i < 90; i++) await shard.ingest(of, { rule: rules[i % 3], host: `new-${i % 30}` }, `n${i}`)
  return shard
}

function replayed(shard: TestShard, terms: Partial<ReplayTerms>, of: JobSettings = job) {
  const whole = {
    fromMicros: 0,
    toMicros: Number.MAX_SAFE_INTEGER,
    version: 2,
    against: null,
    training: {},
    threshold: null,
  }
  const signals = new ReplaySignals()
  const task = {
    dataDir: `replay ${++directories}`,
    job: of,
    terms: { ...whole, ...terms },
    serviceNames: sectionNames,
    nowMicros: shard.take(),
    signals: signals.memory,
  }
  const report = runReplay(shard.environment, task, signals)
  assert.ok(report !== null)
  return report
}

describe('a replay', () => {
  it('with the model that decided changes nothing, and writes nothing', async () => {
    const shard = await lived()
    const from = shard.reader().models(job.id).one(2)?.installedMicros ?? 0
    const rows = shard.rows()
    const { figures } = replayed(shard, { fromMicros: from, version: 2 })
    assert.deepEqual([figures.events, figures.changed, figures.bucketsChanged], [90, 0, 0])
    assert.deepEqual(shard.rows(), rows)
  })

  it('of two models says what the retraining changed, by bucket and mass', async () => {
    const shard = await lived()
    const { figures } = replayed(shard, { version: 2, against: 1 })
    assert.equal(figures.events, 210)
    assert.ok(figures.changed > 30, String(figures.changed))
    const moved = figures.moves.flat().reduce((sum, count) => sum + count, 0)
    const stayed = figures.moves.reduce((sum, row, label) => sum + (row[label] ?? 0), 0)
    assert.deepEqual([moved, moved - stayed], [figures.events, figures.changed])
    const ofBuckets = figures.topBuckets.reduce((sum, one) => sum + one.changed, 0)
    assert.equal(ofBuckets, figures.topBuckets.length === figures.bucketsChanged ? figures.changed : ofBuckets)
    assert.ok(figures.topBuckets.every(({ changed, events }) => changed <= events))
    // The other way round it is the mirror image.
    const back = replayed(shard, { version: 1, against: 2 }).figures
    assert.deepEqual(
      back.moves,
      figures.moves.map((_, a) => figures.moves.map((row) => row[a] ?? 0)),
    )
  })

  it('beside the consensus keeps votes apart that a side was trained on', async () => {
    const shard = await lived()
    for (let i = 0; i < 30; i++) await shard.feedback(job, `n${i}`, 'ann', labels[i % 3 === 1 ? 0 : i % 3] as string)
    const { figures } = replayed(shard, { version: 2, against: 1 })
    assert.equal(figures.unseenVotes.events, 90)
    assert.ok(figures.unseenVotes.after > figures.unseenVotes.before, JSON.stringify(figures.unseenVotes))
    assert.equal(figures.seenVotes.events, 120)
  })

  it('trains for another objective, other decision points, or without an analyst', async () => {
    const shard = await lived()
    const rows = shard.rows()
    const costs = [
      [0, 1, 1],
      [9, 0, 9],
      [1, 1, 0],
    ]
    const other = replayed(shard, { version: null, training: { objective: { costs } } })
    assert.equal(other.figures.events, 210)
    const coarse = replayed(shard, { version: null, training: { decisionPoints: ['rule'] } })
    assert.ok(coarse.figures.changed > 0)
    // Without eve nobody said that scans are to be escalated.
    const scans = (terms: Partial<ReplayTerms>) => replayed(shard, { fromMicros: 0, ...terms }).figures.moves
    const withAll = scans({ version: null, training: { seed: 3 } })
    const without = scans({ version: null, training: { withoutAnalysts: ['eve'], seed: 3 } })
    const escalated = (moves: readonly (readonly number[])[]) => moves.reduce((sum, row) => sum + (row[1] ?? 0), 0)
    assert.ok(escalated(without) < escalated(withAll) - 50, `${escalated(without)} ${escalated(withAll)}`)
    assert.deepEqual(shard.rows(), rows)
  })

  it('says what the queue and each output would have seen', async () => {
    const step = (role: PipelineStep['role'], parameters: object): PipelineStep => {
      return { integrationId: 7, role, enabled: true, parameters: { ...parameters }, outsideSince: 1 }
    }
    const piped = jobSettings({
      decisionPoints: job.decisionPoints,
      pipeline: [
        step('post_decision', { decisions: 'Escalate', min_confidence: 99.9 }),
        step('output', { filters: '[{"field": "rule", "operator": "is", "value": "policy"}]' }),
        { ...step('output', {}), enabled: false },
      ],
    })
    const shard = await lived(piped)
    const { figures, outputs } = replayed(shard, { version: 2, against: 1, threshold: 0 }, piped)
    assert.deepEqual(
      outputs.map(({ role }) => role),
      ['post_decision', 'output'],
    )
    const [cases, policy] = figures.outputs
    assert.ok(cases !== undefined && policy !== undefined)
    assert.ok(cases.before < cases.after, JSON.stringify(cases))
    assert.deepEqual([policy.before, policy.after], [50, 50])
    // Everything but the protected label is settled at 0 %; without gates nothing is settled now.
    const escalated = figures.moves.reduce((sum, row) => sum + (row[1] ?? 0), 0)
    assert.equal(figures.queue.before, 210)
    assert.ok(figures.queue.after >= escalated && figures.queue.after < 210)
    assert.equal(figures.queue.removed, 210 - figures.queue.after)
  })

  it('works for jobs without buckets, after a rollback, and where decision points have changed', async () => {
    const single = jobSettings({ category: 'Event centric decision intelligence', decisionPoints: job.decisionPoints })
    const shard = await lived(single)
    await shard.post({
      job: single,
      kind: 'models',
      body: encodeModelCommand({ op: 'roll_back', version: 1, by: testAuthor }),
    })
    const { figures } = replayed(shard, { version: 2, against: 1 }, single)
    assert.ok(figures.changed > 0)
    assert.deepEqual([figures.buckets, figures.topBuckets.length], [0, 0])
    assert.ok(figures.examples.length > 0)
    assert.throws(() => replayed(shard, { version: 2 }, { ...single, decisionPoints: ['rule'] }), /are not known/)
  })

  it('says the same over several pieces, whether it reads headers alone or whole records', async () => {
    const filters = '[{"field": "rule", "operator": "exists"}]'
    const output = {
      integrationId: 7,
      role: 'output',
      enabled: true,
      parameters: { filters },
      outsideSince: 1,
    } as const
    const shard = await lived()
    const random = new SeededRandom(6)
    const rules = ['malware', 'scan', 'policy', 'odd']
    for (let at = 0; at < 70; at++)
      await Promise.all(
        Array.from({ length: 64 }, (_, i) =>
          shard.ingest(job, { rule: random.pick(rules), host: `host-${random.below(300)}` }, `m${at}-${i}`),
        ),
      )
    for (const against of [1, null]) {
      const heads = replayed(shard, { version: 2, against }).figures
      const records = replayed(shard, { version: 2, against }, { ...job, pipeline: [output] }).figures
      assert.equal(heads.events, 210 + 70 * 64)
      assert.deepEqual({ ...records, outputs: [] }, heads)
    }
  })

  it('that is cancelled has no report', async () => {
    const shard = await lived()
    const signals = new ReplaySignals()
    signals.cancel()
    const terms = { fromMicros: 0, toMicros: 9e15, version: 2, against: null, training: {}, threshold: null }
    const task = { dataDir: 'x', job, terms, serviceNames: sectionNames, nowMicros: 1, signals: signals.memory }
    assert.equal(runReplay(shard.environment, task, signals), null)
  })
})
