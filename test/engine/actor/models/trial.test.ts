import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeErase } from '../../../../engine/actor/erase.js'
import { findEvent } from '../../../../engine/actor/event-table.js'
import {
  encodeModelCommand,
  type ActiveChange,
  type ModelCommand,
} from '../../../../engine/actor/models/model-command.js'
import type { JobSettings } from '../../../../engine/domain/job/job.js'
import type { ModelOrigin } from '../../../../engine/domain/learn/model-origin.js'
import { isRefusal, type RefusalCode } from '../../../../engine/errors.js'
import { decodeModel, encodeModel } from '../../../../engine/store/rows.js'
import { jobRange } from '../../../../engine/store/tables.js'
import type { TrialRow } from '../../../../engine/store/trial-row.js'
import { testAuthor } from '../../../support/author.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const job = jobSettings({ decisionPoints: ['rule'] })
type Order = ModelCommand extends infer C ? (C extends ModelCommand ? Omit<C, 'by'> : never) : never

const command = (shard: TestShard, order: Order, of = job) =>
  shard.post({
    job: of,
    kind: 'models',
    body: encodeModelCommand({ ...order, by: testAuthor } as ModelCommand),
  }) as Promise<ActiveChange>
const trialOf = (shard: TestShard): TrialRow | null => shard.reader().models(job.id).trial()
const shadows = (shard: TestShard): number => [...shard.environment.range('shadows', jobRange(job.id))].length
const refused = (work: Promise<unknown>, code: RefusalCode) =>
  assert.rejects(work, (error) => isRefusal(error, code), code)

/** A model as a training with that reason brings it. */
function trained(shard: TestShard, version: number, why: ModelOrigin['why']): Uint8Array {
  const { row, model } = decodeModel(shard.train(job, version))
  const origin: ModelOrigin = {
    why,
    by: 'ann',
    throughMicros: 1,
    labelCounts: [1, 1, 0],
    objective: 'accuracy',
    points: job.decisionPoints,
    seed: 1,
    withoutAnalysts: [],
  }
  return encodeModel({ ...row, origin }, model)
}

/**
 * Two models: the first learned that `odd` is to be dropped, the second that it is to be escalated. The first decides.
 * Both learned that from events like `odd 1`; the stream has new ones.
 */
async function rivals(of: JobSettings = job): Promise<TestShard> {
  const shard = new TestShard()
  for (const [rule, label] of [
    ['noise', 'Drop'],
    ['threat', 'Escalate'],
    ['odd', 'Drop'],
  ] as const) {
    await shard.ingest(of, { rule }, rule)
    await shard.feedback(of, rule, 'ann', label)
  }
  await shard.install(of, shard.train(of, 1))
  await shard.feedback(of, 'odd', 'ann', 'Escalate')
  await shard.install(of, shard.train(of, 2))
  await shard.feedback(of, 'odd', 'ann', 'Drop')
  await command(shard, { op: 'roll_back', version: 1 }, of)
  return shard
}

describe('a challenger', () => {
  it('decides each new event in shadow, and what people answer says who was right', async () => {
    const shard = await rivals()
    await shard.feedback(job, 'odd', 'ann', 'Investigate')
    await command(shard, { op: 'challenge', version: 2 })
    // The knowledge base of both has this bucket, so votes decide alike; unknown buckets tell the models apart.
    for (let i = 0; i < 6; i++) await shard.ingest(job, { rule: `new ${i}` }, `n${i}`)
    const row = trialOf(shard)
    assert.deepEqual([row?.version, row?.champion, row?.events], [2, 1, 6])
    assert.equal(row?.differ, shadows(shard))
    assert.equal(row?.rows, row?.differ)
  })

  it('is counted by first answers, anew with each change of a vote', async () => {
    const shard = await differing()
    const [first] = await disagreements(shard)
    assert.ok(first !== undefined)
    const counts = () => trialOf(shard)?.counts
    assert.deepEqual(counts(), { wins: 0, losses: 0, neither: 0 })
    await shard.feedback(job, first, 'ann', 'Escalate')
    const [wins, losses] = [counts()?.wins, counts()?.losses]
    assert.equal((wins ?? 0) + (losses ?? 0), 1)
    await shard.feedback(job, first, 'ann', 'Drop')
    assert.deepEqual([counts()?.wins, counts()?.losses], [losses, wins])
    await shard.feedback(job, first, 'ann', 'Investigate')
    assert.deepEqual(counts(), { wins: 0, losses: 0, neither: 1 })
    await shard.vote(job, first, { analyst: 'ann', label: null })
    assert.deepEqual(counts(), { wins: 0, losses: 0, neither: 0 })
  })

  it('forgets an event that is erased, and keeps what people answered', async () => {
    const shard = await differing()
    const [first] = await disagreements(shard)
    assert.ok(first !== undefined)
    await shard.feedback(job, first, 'ann', 'Investigate')
    const before = shadows(shard)
    const micros = findEvent(shard.environment, job.id, first)?.micros ?? 0
    await shard.post({ job, kind: 'erase', body: encodeErase([micros], false) })
    assert.equal(shadows(shard), before - 1)
    const row = trialOf(shard)
    assert.deepEqual([row?.counts.neither, row?.gone.neither, row?.rows], [1, 1, before - 1])
  })

  it('is promoted by one call with the next event, or dropped, each with one entry in the audit log', async () => {
    const shard = await differing()
    assert.deepEqual(await command(shard, { op: 'promote' }), { from: 1, to: 2 })
    await shard.ingest(job, { rule: 'noise' }, 'after')
    const { document } = shard.reader().exportEvent(job, 'after', 'service')
    assert.equal((document.service as { model: { path: string } }).model.path, 'model_1_2')
    assert.deepEqual([trialOf(shard), shadows(shard)], [null, 0])
    assert.equal(shard.reader().models(job.id).one(2)?.spans.at(-1)?.why, 'promoted')
    await command(shard, { op: 'challenge', version: 1 })
    await command(shard, { op: 'drop' })
    assert.equal(trialOf(shard), null)
    const actions = shard
      .reader()
      .untold(0, 1_000)
      .map(({ action }) => action)
    assert.deepEqual(
      actions.filter((action) => action.startsWith('challenger')),
      ['challenger started', 'challenger promoted', 'challenger started', 'challenger dropped'],
    )
  })

  it('is refused where it cannot compare', async () => {
    const shard = await rivals()
    await refused(command(shard, { op: 'drop' }), 'challenger_not_found')
    await refused(command(shard, { op: 'promote' }), 'challenger_not_found')
    await refused(command(shard, { op: 'challenge', version: 1 }), 'model_active')
    await refused(command(shard, { op: 'challenge', version: 9 }), 'model_not_found')
    const moved = { ...job, revision: 5, decisionPoints: ['host'] }
    await refused(command(shard, { op: 'challenge', version: 2 }, moved), 'challenger_refused')
  })

  it('is the same after a thread died, and begins anew with another champion', async () => {
    const shard = await differing()
    shard.dieOnce('after')
    await shard.ingest(job, { rule: 'one more' }, 'x')
    const row = trialOf(shard)
    shard.replaceThread()
    await shard.ingest(job, { rule: 'two more' }, 'y')
    assert.equal(trialOf(shard)?.events, (row?.events ?? 0) + 1)
    await shard.install(job, shard.train(job, 3))
    const anew = trialOf(shard)
    assert.deepEqual([anew?.version, anew?.champion, anew?.events, shadows(shard)], [2, 3, 0, 0])
  })
})

describe('champion and challenger', () => {
  const both = { ...job, advancedSettings: { champion_challenger: true } }

  it('a scheduled training brings a challenger, a requested one a champion', async () => {
    const shard = await rivals(both)
    await shard.install(both, trained(shard, 3, 'scheduled'))
    assert.deepEqual([trialOf(shard)?.version, trialOf(shard)?.auto, trialOf(shard)?.champion], [3, true, 1])
    assert.equal(shard.reader().stats(both).modelVersion, 1)
    await shard.install(both, trained(shard, 4, 'scheduled'))
    assert.equal(trialOf(shard)?.version, 4)
    await shard.install(both, trained(shard, 5, 'requested'))
    assert.deepEqual([shard.reader().stats(both).modelVersion, trialOf(shard)?.champion], [5, 5])
  })

  it('without the setting a scheduled training brings the champion', async () => {
    const shard = await rivals()
    await shard.install(job, trained(shard, 3, 'scheduled'))
    assert.deepEqual([trialOf(shard), shard.reader().stats(job).modelVersion], [null, 3])
  })

  it('the first model always decides', async () => {
    const shard = new TestShard()
    for (const [rule, label] of [
      ['noise', 'Drop'],
      ['threat', 'Escalate'],
    ] as const) {
      await shard.ingest(both, { rule }, rule)
      await shard.feedback(both, rule, 'ann', label)
    }
    await shard.install(both, trained(shard, 1, 'scheduled'))
    assert.deepEqual([trialOf(shard), shard.reader().stats(both).modelVersion], [null, 1])
  })

  it('a verdict promotes the challenger that is not worse', async () => {
    const shard = await rivals(both)
    await shard.install(both, trained(shard, 3, 'scheduled'))
    // Events of known buckets are decided alike, so the models hardly ever differ.
    const events = Array.from({ length: 1_001 }, (_, i) =>
      shard.ingest(both, { rule: i % 2 === 0 ? 'noise' : 'threat' }),
    )
    await Promise.all(events)
    assert.deepEqual([trialOf(shard), shard.reader().stats(both).modelVersion], [null, 3])
    assert.equal(shard.reader().models(both.id).one(3)?.spans.at(-1)?.why, 'promoted')
  })

  it('a verdict drops the challenger that is worse', async () => {
    const shard = await differing(both, 'scheduled')
    const ids = await disagreements(shard, both)
    for (const id of ids.slice(0, 12)) {
      if (trialOf(shard) === null) break
      const { resultLabel } = shard.view(both, id)
      await shard.feedback(both, id, 'ann', resultLabel)
    }
    assert.deepEqual([trialOf(shard), shard.reader().stats(both).modelVersion], [null, 1])
    const [last] = shard
      .reader()
      .untold(0, 1_000)
      .filter(({ action }) => action === 'challenger dropped')
      .slice(-1)
    assert.deepEqual([last?.details?.verdict, last?.details?.automatic], ['worse', true])
  })
})

/** A champion that drops what is new, and a challenger that escalates it. */
async function differing(of: JobSettings = job, why: ModelOrigin['why'] = 'challenger'): Promise<TestShard> {
  const shard = new TestShard()
  const seen = async (prefix: string, count: number, label: string): Promise<void> => {
    for (let i = 0; i < count; i++) {
      await shard.ingest(of, { rule: `${prefix} ${i}` }, `${prefix}${i}`)
      await shard.feedback(of, `${prefix}${i}`, 'ann', label)
    }
  }
  await seen('threat', 2, 'Escalate')
  await seen('noise', 30, 'Drop')
  await shard.install(of, shard.train(of, 1))
  await seen('attack', 120, 'Escalate')
  await shard.install(of, trained(shard, 2, why))
  return shard
}

/** New events on which both differ; their ids. */
async function disagreements(shard: TestShard, of: JobSettings = job): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < 30; i++) {
    const before = trialOf(shard)?.differ ?? 0
    await shard.ingest(of, { rule: `fresh ${i}` }, `fresh${i}`)
    if ((trialOf(shard)?.differ ?? 0) > before) ids.push(`fresh${i}`)
  }
  assert.ok(ids.length >= 12, `${ids.length} disagreements`)
  return ids
}
