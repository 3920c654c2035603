import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { TrainingLog, TRAININGS_TABLE, untrained } from '../../../../engine/services/training/training-log.js'
import { openEngine, Refusal, type EventView } from '../../../../engine/index.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { afterwards } from '../../../support/afterwards.js'
import { eventually } from '../../../support/client.js'
import { temporaryDirectory } from '../../../support/engine/files.js'
import { testAuthor } from '../../../support/author.js'

const KEY = 'management-key-of-the-trainings-test'

test('what is known of the training of a job that was deleted goes with the next start, where the disk was full', () => {
  const store = new MemoryEnvironment([TRAININGS_TABLE])
  const open = (): TrainingLog => new TrainingLog(store, { record: () => assert.fail('nothing is told') })
  const log = open()
  log.change(1, () => ({ ...untrained, state: 'RETRAIN_FINISHED' }))
  store.failNextCommit = new Refusal('store_full', 'full')
  log.remove(1)
  assert.deepEqual([log.get(1), open().jobIds()], [untrained, [1]])
  open().remove(1)
  assert.deepEqual(open().jobIds(), [])
})

test('a model of decision points that its job has no longer takes the place of none, and the training says so', async (context) => {
  const engine = await openEngine({
    dataDir: join(temporaryDirectory(context), 'data'),
    name: 'service',
    shards: 1,
    threads: 1,
    bootstrapKey: KEY,
    adminPassword: 'administrator',
    passwordCost: 10,
  })
  afterwards(context, () => engine.close())
  const setUp = async (points: readonly string[]): Promise<void> =>
    void (await engine.applyResources(
      {
        resources: {
          job: {
            type: 'job',
            properties: {
              title: 'a job',
              category: 'Decision intelligence',
              decision_points: points,
              pipeline_integrations: [],
            },
          },
        },
      },
      true,
      testAuthor,
    ))
  await setUp(['a'])
  const job = engine.jobByTitle(engine.authenticate(KEY)!, 'a job')
  const post = (id: string, a: string): Promise<EventView> =>
    new Promise((resolve, reject) => {
      engine.ingest(job, id, false, Buffer.from(JSON.stringify({ raw_body: { a, b: a } })), {
        ingested: resolve,
        refused: reject,
      })
    })
  const ended = async (): Promise<string> => {
    const { retrainState, retrainMsg } = await eventually(
      async () => engine.jobView(job),
      (view) => view.retrainState.startsWith('RETRAIN_'),
    )
    return `${retrainState}: ${retrainMsg}`
  }
  for (const label of ['Drop', 'Escalate']) {
    await post(label, label)
    await engine.giveFeedback(job, label, { analyst: 'ann', label }, testAuthor)
  }
  await engine.train(job, null, testAuthor)
  assert.match(await ended(), /^RETRAIN_FINISHED/)
  await setUp(['b'])
  for (const label of ['Drop', 'Escalate']) {
    await post(`${label} b`, label)
    await engine.giveFeedback(job, `${label} b`, { analyst: 'ann', label }, testAuthor)
  }
  await engine.train(job, null, testAuthor)
  // Behind the start of the training, which reads them, and before its end.
  await setUp(['a'])
  assert.match(
    await ended(),
    /^RETRAIN_FAILED: .*decision points were changed meanwhile; the model before stays in use$/,
  )
  assert.equal((await post('again', 'Drop')).resultLabel, 'Drop')
})
