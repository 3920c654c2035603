/** Requests with historic events, as a whole engine takes them. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { openEngine, type Engine } from '../../../../engine/engine.js'
import { isRefusal } from '../../../../engine/errors.js'
import { limits } from '../../../../engine/limits.js'
import type { JobHandle } from '../../../../engine/api/principal.js'
import { testAuthor } from '../../../support/author.js'
import { newDirectory } from '../../../support/engine/files.js'
import { apiKey, input, job as jobResource, restApi } from '../../../support/resource-store.js'
import { until } from '../../../support/until.js'

const KEY = 'a-management-key-for-engine-tests-0123456789'
const EVENTS = 500

const directory = newDirectory()
const failures: string[] = []
let engine: Engine
before(async () => {
  engine = await openEngine({
    dataDir: directory,
    name: 'service',
    shards: 2,
    threads: 1,
    passwordCost: 10,
    bootstrapKey: KEY,
    adminPassword: 'a-password',
    onFailure: (what, error) => failures.push(`${what}: ${String(error)}`),
  })
})
after(async () => {
  await engine.close()
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  assert.deepEqual(failures, [])
})

async function makeJob(title: string): Promise<JobHandle> {
  const parts = { pipeline_integrations: [input(`${title} rest`)], decision_points: ['host'] }
  const [key, rest] = [`${title} key`, `${title} rest`]
  await engine.applyResources(
    { [key]: apiKey(key), [rest]: restApi(rest, key), job: jobResource(title, parts) },
    true,
    testAuthor,
  )
  const principal = engine.authenticate(KEY)
  assert.ok(principal !== null)
  return engine.jobByTitle(principal, title)
}

function bodyOf(last: object = {}, text = 'x'): Buffer {
  const events = Array.from({ length: EVENTS }, (_, i) => ({
    raw_body: { host: `h${i % 7}`, i, text: text.repeat(60) },
    label: { cortex_user: 'ann', feedback: 'Drop' },
    ...(i === EVENTS - 1 ? last : {}),
  }))
  return Buffer.from(JSON.stringify({ events }))
}

function counts(job: JobHandle): [events: number, votes: number] {
  const { processedDocuments, feedbackDocuments } = engine.jobView(job)
  return [processedDocuments, feedbackDocuments]
}

describe('a large request with historic events', () => {
  it('is larger than one message', () => assert.ok(bodyOf().length > limits.historicMessageBytesMax))

  it('is stored as a whole, and again where it is sent again after its answer', async () => {
    const job = await makeJob('twice')
    for (let time = 1; time <= 2; time++) {
      assert.equal(await engine.ingestHistoric(job, bodyOf(), testAuthor), EVENTS)
      assert.deepEqual(counts(job), [time * EVENTS, time * EVENTS])
    }
  })

  it('is stored once where its sender went away and sends it again, however often', async () => {
    const job = await makeJob('gone')
    for (let time = 0; time < 3; time++) {
      assert.equal(await engine.ingestHistoric(job, bodyOf(), testAuthor, { gone: AbortSignal.abort() }), EVENTS)
      assert.deepEqual(counts(job), [EVENTS, EVENTS])
    }
    assert.equal(await engine.ingestHistoric(job, bodyOf(), testAuthor), EVENTS)
    assert.deepEqual(counts(job), [EVENTS, EVENTS])
    await engine.ingestHistoric(job, bodyOf({}, 'y'), testAuthor, { gone: AbortSignal.abort() })
    assert.deepEqual(counts(job), [2 * EVENTS, 2 * EVENTS], 'another request')
  })

  it('is one request where it comes twice at once', async () => {
    const job = await makeJob('at once')
    const answers = await Promise.all([1, 2, 3].map(() => engine.ingestHistoric(job, bodyOf(), testAuthor)))
    assert.deepEqual(
      [answers, counts(job)],
      [
        [EVENTS, EVENTS, EVENTS],
        [EVENTS, EVENTS],
      ],
    )
  })

  it('is refused as a whole for its last event, whose place is told', async () => {
    const job = await makeJob('refused')
    for (const [last, code] of [
      [{ raw_body: 1 }, 'invalid_body'],
      [{ label: { feedback: 'Nonsense' } }, 'unknown_label'],
      [{ raw_body: JSON.parse('{"__proto__":1}') as unknown }, 'forbidden_field'],
    ] as const) {
      await assert.rejects(engine.ingestHistoric(job, bodyOf(last), testAuthor), (error) => {
        return isRefusal(error, code) && (code === 'unknown_label' || error.message.includes(`${EVENTS - 1}`))
      })
    }
    assert.deepEqual(counts(job), [0, 0])
  })

  it('counts what is not UTF-8 once', async () => {
    const job = await makeJob('bytes')
    const body = bodyOf({ raw_body: { host: 'M?ller' } })
    body[body.indexOf('?ller')] = 0xfc
    await engine.ingestHistoric(job, body, testAuthor)
    const odd = engine.jobView(job).warnings.filter(({ type }) => type === 'invalid_utf8')
    assert.deepEqual(
      odd.map(({ seen }) => seen?.count),
      [1],
    )
  })

  it('is one with the others of its upload: an id that they give twice is two events', async () => {
    const job = await makeJob('upload')
    for (const text of ['x', 'y'])
      await engine.ingestHistoric(job, bodyOf({ event_id: 'same' }, text), testAuthor, { upload: 7 })
    assert.deepEqual(counts(job), [2 * EVENTS, 2 * EVENTS])
    const repeated = engine.jobView(job).warnings.filter(({ type }) => type === 'repeated_id')
    assert.equal(repeated.length, 1)
  })

  it('of a job that is deleted meanwhile is refused, and leaves nothing', async () => {
    const job = await makeJob('deleted')
    const answer = engine.ingestHistoric(job, bodyOf(), testAuthor)
    const refused = assert.rejects(answer, (error) => isRefusal(error, 'job_not_found'))
    await until(() => counts(job)[0] > 0)
    await engine.deleteResource({ type: 'job', title: 'deleted' }, testAuthor)
    await refused
  })
})
