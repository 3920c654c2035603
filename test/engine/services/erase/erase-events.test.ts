import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManualClock } from '../../../../engine/clock.js'
import { openEngine, type Engine, type EventView, type JobHandle } from '../../../../engine/index.js'
import { temporaryDirectory } from '../../../support/engine/files.js'
import { testAuthor } from '../../../support/author.js'

const KEY = 'management-key-of-the-erasure-test'

const ann = { kind: 'user', name: 'ann' } as const
const WHOLE = { filters: [{ field: 'a', operator: 'is', value: 'x' }] }

interface Opened {
  readonly engine: Engine
  readonly job: JobHandle
  post(id: string, a?: string): Promise<EventView>
}

async function open(dataDir: string, clock?: ManualClock): Promise<Opened> {
  const engine = await openEngine({
    dataDir,
    name: 'service',
    shards: 1,
    threads: 1,
    bootstrapKey: KEY,
    adminPassword: 'administrator',
    passwordCost: 10,
    ...(clock === undefined ? {} : { clock }),
  })
  const principal = engine.authenticate(KEY)
  assert.ok(principal !== null)
  if (engine.jobViews(principal, false).length === 0) {
    const properties = {
      title: 'a job',
      category: 'Decision intelligence',
      decision_points: ['a'],
      pipeline_integrations: [],
    }
    await engine.applyResources({ resources: { job: { type: 'job', properties } } }, false, testAuthor)
  }
  const job = engine.jobByTitle(principal, 'a job')
  const post = (id: string, a = 'x'): Promise<EventView> =>
    new Promise((resolve, reject) => {
      engine.ingest(job, id, false, Buffer.from(JSON.stringify({ raw_body: { a } })), {
        ingested: resolve,
        refused: reject,
      })
    })
  return { engine, job, post }
}

function dataDirOf(test: TestContext): string {
  return join(temporaryDirectory(test), 'data')
}

describe('deleting events for good', () => {
  it('takes what came in before the request, also where the clock was set back since', async (test) => {
    const clock = new ManualClock()
    const { engine, job, post } = await open(dataDirOf(test), clock)
    await post('before')
    clock.advanceMs(-3_600_000)
    await post('after')
    assert.equal((await engine.erase.events(job, WHOLE, ann)).events, 2)
    await engine.close()
  })

  it('marks the model for another training, whatever trains or ends meanwhile', async (test) => {
    const dataDir = dataDirOf(test)
    const { engine, job, post } = await open(dataDir)
    await Promise.all(Array.from({ length: 400 }, (_, i) => post(`x${i}`)))
    for (const [i, label] of ['Drop', 'Escalate'].entries()) {
      await post(`label-${i}`, `y${i}`)
      await engine.giveFeedback(job, `label-${i}`, { analyst: 'ann', label }, testAuthor)
    }
    const [ended, outdated] = [
      async (): Promise<string> => {
        while (!engine.jobView(job).retrainState.startsWith('RETRAIN_')) await sleep(5)
        return engine.jobView(job).retrainMsg
      },
      /were deleted; train it again$/,
    ]
    await engine.erase.events(job, { filters: [{ field: 'a', operator: 'is', value: 'nobody' }] }, ann)
    // The thread that looks is there, the one that trains is not: this deletes what the training may have read.
    await engine.train(job, null, testAuthor)
    await post('y', 'y')
    assert.equal(
      (await engine.erase.events(job, { filters: [{ field: 'a', operator: 'is', value: 'y' }] }, ann)).retrainNeeded,
      true,
    )
    assert.match(await ended(), outdated)
    await engine.train(job, null, testAuthor)
    assert.equal(await ended(), 'Retraining finished successfully')
    // Cut off between two pieces, with the process.
    const erased = engine.erase.events(job, WHOLE, ann).catch(() => null)
    while (engine.jobView(job).processedDocuments === 402) await new Promise((resolve) => setImmediate(resolve))
    await engine.close()
    await erased
    const again = await open(dataDir)
    assert.match(again.engine.jobView(again.job).retrainMsg, outdated)
    await again.engine.close()
  })
})
