import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeErase } from '../../../../engine/actor/erase.js'
import { encodeModelCommand, type ActiveChange } from '../../../../engine/actor/models/model-command.js'
import { lastTime } from '../../../../engine/actor/event-table.js'
import { isRefusal, type RefusalCode } from '../../../../engine/errors.js'
import { decodeModel, encodeModel } from '../../../../engine/store/rows.js'
import { modelKey } from '../../../../engine/store/tables.js'
import { testAuthor } from '../../../support/author.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'
import type { JobSettings } from '../../../../engine/domain/job/job.js'

const job = jobSettings({ advancedSettings: { models_kept: 2 } })

async function labelled(): Promise<TestShard> {
  const shard = new TestShard()
  await shard.ingest(job, { host: 'noisy' }, 'noise')
  await shard.ingest(job, { host: 'vault' }, 'alarm')
  await shard.feedback(job, 'noise', 'ann', 'Drop')
  await shard.feedback(job, 'alarm', 'ann', 'Escalate')
  return shard
}

const rollBack = (shard: TestShard, version: number | null, of: JobSettings = job) =>
  shard.post({
    job: of,
    kind: 'models',
    body: encodeModelCommand({ op: 'roll_back', version, by: testAuthor }),
  }) as Promise<ActiveChange>
const isKept = (shard: TestShard, version: number): boolean =>
  shard.environment.get('models', modelKey(1, version)) !== undefined
const refused = (work: Promise<unknown>, code: RefusalCode) =>
  assert.rejects(work, (error) => isRefusal(error, code), code)

describe('the registry of models', () => {
  it('says of each model what it is, and when it decided', async () => {
    const shard = await labelled()
    for (const version of [1, 2]) await shard.install(job, shard.train(job, version))
    const [first, second] = shard.reader().models(job.id).all()
    assert.ok(first !== undefined && second !== undefined)
    assert.deepEqual([first.version, first.isKept, first.summary.examples, first.throughSeq], [1, true, 2, 2])
    assert.equal(first.spans[0]?.toMicros, second.spans[0]?.fromMicros)
    assert.equal(second.spans[0]?.toMicros, null)
  })

  it('keeps the bytes of so many models as the job says, and the figures of all', async () => {
    const shard = await labelled()
    for (const version of [1, 2, 3, 4]) await shard.install(job, shard.train(job, version))
    assert.deepEqual(
      [1, 2, 3, 4].map((version) => isKept(shard, version)),
      [false, false, true, true],
    )
    assert.deepEqual(
      shard
        .reader()
        .models(job.id)
        .all()
        .map((row) => [row.version, row.isKept]),
      [
        [1, false],
        [2, false],
        [3, true],
        [4, true],
      ],
    )
  })

  it('never changes a version: one that comes again is not installed', async () => {
    const shard = await labelled()
    await shard.install(job, shard.train(job, 1))
    await shard.ingest(job, { host: 'fresh' }, 'fresh')
    await shard.feedback(job, 'fresh', 'bob', 'Escalate')
    const rows = shard.rows(1)
    await shard.install(job, shard.train(job, 1))
    assert.deepEqual(shard.rows(1), rows)
  })
})

describe('a rollback', () => {
  it('makes an earlier model decide from the next event of the same turn on', async () => {
    const shard = await labelled()
    await shard.install(job, shard.train(job, 1))
    await shard.install(job, shard.train(job, 2))
    const version = (id: string): string | undefined =>
      (shard.reader().exportEvent(job, id, 'service').document.service as { model: { path: string } }).model.path
    const [, change] = await Promise.all([
      shard.ingest(job, { host: 'noisy' }, 'before'),
      rollBack(shard, null),
      shard.ingest(job, { host: 'noisy' }, 'after'),
    ])
    assert.deepEqual(change, { from: 2, to: 1 })
    assert.deepEqual([version('before'), version('after')], ['model_1_2', 'model_1_1'])
    const [first, second] = shard.reader().models(job.id).all()
    assert.deepEqual(first?.spans.map(({ why, by }) => [why, by]).at(-1), ['rolled_back', testAuthor.name])
    assert.notEqual(second?.spans[0]?.toMicros, null)
  })

  it('brings back the knowledge base of the model', async () => {
    const shard = await labelled()
    await shard.install(job, shard.train(job, 1))
    await shard.ingest(job, { host: 'fresh' }, 'fresh')
    await shard.feedback(job, 'fresh', 'ann', 'Drop')
    await shard.install(job, shard.train(job, 2))
    // The ballot forgets no change that a kept model needs.
    await shard.feedback(job, 'noise', 'ann', 'Escalate')
    await shard.feedback(job, 'noise', 'ann', 'Drop')
    assert.equal(shard.view(job, 'fresh').bucketState, 'in_knowledge_base')
    await rollBack(shard, 1)
    assert.equal(shard.view(job, 'fresh').bucketState, 'pending')
    assert.equal(shard.view(job, 'noise').bucketState, 'in_knowledge_base')
    assert.equal(shard.reader().stats(job).decidedSinceTraining, 0)
  })

  it('has one entry for the audit log, and a turn that runs again is only answered', async () => {
    const shard = await labelled()
    for (const version of [1, 2]) await shard.install(job, shard.train(job, version))
    const before = shard.reader().untold(0, 100).length
    shard.dieOnce('after')
    assert.deepEqual(await rollBack(shard, 1), { from: 2, to: 1 })
    const [entry, ...more] = shard.reader().untold(0, 100).slice(before)
    assert.deepEqual([entry?.action, entry?.object.id, more.length], ['model rolled back', 'model_1_1', 0])
    assert.deepEqual(entry?.changes, { model: { before: 'model_1_2', after: 'model_1_1' } })
  })

  it('is refused for what is not there, not kept, active already, or of other decision points', async () => {
    const shard = await labelled()
    await refused(rollBack(shard, null), 'model_not_found')
    for (const version of [1, 2, 3]) await shard.install(job, shard.train(job, version))
    await refused(rollBack(shard, 9), 'model_not_found')
    await refused(rollBack(shard, 1), 'model_not_kept')
    await refused(rollBack(shard, 3), 'model_active')
    const moved = { ...job, revision: 2, decisionPoints: ['host'] }
    const rows = shard.rows(1)
    await refused(rollBack(shard, 2, moved), 'model_misfit')
    assert.deepEqual(shard.rows(1), rows)
  })

  it('keeps the model that it went back to when later trainings come', async () => {
    const shard = await labelled()
    for (const version of [1, 2]) await shard.install(job, shard.train(job, version))
    await rollBack(shard, 1)
    await shard.install(job, shard.train(job, 3))
    assert.deepEqual(
      [1, 2, 3].map((version) => isKept(shard, version)),
      [false, true, true],
    )
  })
})

describe('an erasure', () => {
  /** A model that says until when its training has read. */
  function train(shard: TestShard, version: number): Uint8Array {
    const { row, model } = decodeModel(shard.train(job, version))
    return encodeModel({ ...row, trainedMicros: lastTime(shard.environment) }, model)
  }

  const models = (shard: TestShard) => [1, 2, 3].map((version) => isKept(shard, version))
  async function eraseEvent(shard: TestShard, id: string): Promise<void> {
    const { ingestMicros } = shard.view(job, id)
    await shard.post({ job, kind: 'erase', body: encodeErase([ingestMicros], false) })
  }

  it('takes the models that were trained before it, as soon as one without the events decides', async () => {
    const shard = await labelled()
    await shard.ingest(job, { host: 'noisy', person: 'ann' }, 'personal')
    for (const version of [1, 2]) await shard.install(job, train(shard, version))
    await eraseEvent(shard, 'personal')
    // The model in use holds the event too, so going back brings nothing back.
    assert.deepEqual(models(shard), [true, true, false])
    assert.deepEqual(await rollBack(shard, 1), { from: 2, to: 1 })
    const before = shard.reader().untold(0, 100).length
    await shard.install(job, train(shard, 3))
    assert.deepEqual(models(shard), [false, false, true])
    await refused(rollBack(shard, 2), 'model_not_kept')
    await assert.rejects(rollBack(shard, 1), /trained with events that were erased since/)
    await refused(rollBack(shard, null), 'model_not_found')
    const [entry] = shard.reader().untold(0, 100).slice(before)
    assert.deepEqual(
      [entry?.action, entry?.details?.models, entry?.details?.model_in_use],
      ['models erased', ['model_1_1', 'model_1_2'], 'model_1_3'],
    )
  })

  it('takes a training that had begun before it, and a challenger of such a training', async () => {
    const shard = await labelled()
    await shard.install(job, train(shard, 1))
    await shard.ingest(job, { host: 'noisy', person: 'ann' }, 'personal')
    const begun = train(shard, 2)
    await eraseEvent(shard, 'personal')
    assert.deepEqual(models(shard), [true, false, false])
    await shard.install(job, begun)
    await shard.install(job, train(shard, 3))
    assert.deepEqual(models(shard), [true, false, true])
    await refused(rollBack(shard, 2), 'model_not_kept')
    assert.deepEqual(await rollBack(shard, 1), { from: 3, to: 1 })
  })

  it('leaves models from before the events, and drops a challenger that was trained with them', async () => {
    const shard = await labelled()
    await shard.install(job, train(shard, 1))
    await shard.ingest(job, { host: 'noisy', person: 'ann' }, 'personal')
    await shard.install(job, train(shard, 2))
    await rollBack(shard, 1)
    const challenge = encodeModelCommand({ op: 'challenge', version: 2, by: testAuthor })
    await shard.post({ job, kind: 'models', body: challenge })
    await eraseEvent(shard, 'personal')
    assert.deepEqual(models(shard), [true, false, false])
    assert.equal(shard.reader().models(job.id).trial(), null)
    assert.deepEqual(
      shard
        .reader()
        .untold(0, 100)
        .slice(-2)
        .map(({ action }) => action),
      ['challenger dropped', 'models erased'],
    )
  })

  it('of retention takes no model', async () => {
    const shard = await labelled()
    await shard.ingest(job, { host: 'noisy' }, 'old')
    for (const version of [1, 2]) await shard.install(job, train(shard, version))
    const { ingestMicros } = shard.view(job, 'old')
    await shard.post({ job, kind: 'erase', body: encodeErase([ingestMicros], true) })
    await shard.install(job, train(shard, 3))
    assert.deepEqual(models(shard), [false, true, true])
  })
})
