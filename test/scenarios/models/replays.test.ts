/** Replays over HTTP: requests, progress, reports, tables, roles, and what survives a restart. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually, type Client } from '../../support/client.js'
import { temporaryDirectory } from '../../support/engine/files.js'
import { asRole, send, trainAgain, trainedJob, vote } from '../../support/http/trained-job.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

async function ended(jobId: number, id: string, of: Client = client): Promise<any> {
  const { body } = await eventually(
    () => of.get(`/api/v2/jobs/${jobId}/replays/${id}`),
    ({ body: { status } }) => !['queued', 'running'].includes(status),
    60_000,
  )
  return body
}

async function replay(jobId: number, request: object): Promise<any> {
  const { status, body, text } = await client.post(`/api/v2/jobs/${jobId}/replays`, request)
  assert.equal(status, 200, text)
  assert.ok(['queued', 'running'].includes(body.status))
  assert.equal(body.report, null)
  const done = await ended(jobId, body.replay_id)
  assert.equal(done.status, 'finished', done.message)
  return done
}

describe('a replay', () => {
  test('says what a retraining changed, as JSON and as a table, and changes nothing', async () => {
    const jobId = await trainedJob(client)
    await send(client, jobId, 'odd', 'odd')
    await vote(client, jobId, 'odd', 'Escalate')
    for (let i = 0; i < 10; i++) await send(client, jobId, `o${i}`, 'odd')
    await trainAgain(client, jobId)
    const before = (await client.get(`/api/v1/events/${jobId}/o1/export`)).body
    const [one, two] = [`model_${jobId}_1`, `model_${jobId}_2`]
    const done = await replay(jobId, { model_id: two, against: one })
    const { report } = done
    assert.deepEqual([done.progress_percent, done.model_id, done.against], [100, two, one])
    assert.equal(report.events, 35)
    const bucket = report.top_buckets.find((each: any) => each.values?.rule === 'odd')
    if (report.changed > 0) assert.deepEqual([bucket.events, bucket.changed], [11, 11])
    assert.equal(report.queue.before, 35)
    const table = await client.get(`/api/v2/jobs/${jobId}/replays/${done.replay_id}/table`)
    assert.equal(table.status, 200)
    assert.match(table.headers.get('content-type') ?? '', /text\/plain/)
    assert.match(table.text, /35 events, \d+ decisions change/)
    assert.match(table.text, /queue of people +35/)
    assert.deepEqual((await client.get(`/api/v1/events/${jobId}/o1/export`)).body, before)
    const { replays } = (await client.get(`/api/v2/jobs/${jobId}/replays`)).body
    assert.deepEqual([replays.length, replays[0].replay_id, 'report' in replays[0]], [1, done.replay_id, false])
  })

  test('trains for other terms, and does not register the model', async () => {
    const jobId = await trainedJob(client)
    const done = await replay(jobId, { objective: 'accuracy', seed: 7, threshold: 50 })
    assert.equal(done.report.after, 'a model that was trained for the replay')
    assert.deepEqual([done.objective, done.threshold, done.model_id], ['accuracy', 50, null])
    assert.equal((await client.get(`/api/v2/jobs/${jobId}/models`)).body.total_count, 1)
    const log = await client.get(`/api/monitoring/api/v1/audit/logs?job_id=${jobId}&object_type=replay`)
    assert.deepEqual(
      log.body.audit_logs.map((one: any) => one.action),
      ['replay requested'],
    )
  })

  test('says at which of its decision points no event has a value', async () => {
    const jobId = await trainedJob(client)
    const done = await replay(jobId, { decision_points: ['rule', 'no.such.field'] })
    assert.equal(done.message, 'No event of the period has a value at no.such.field.')
    const { text } = await client.get(`/api/v2/jobs/${jobId}/replays/${done.replay_id}/table`)
    assert.match(text, /No event of the period has a value at no\.such\.field\./)
    assert.equal((await replay(jobId, { decision_points: ['rule'] })).message, '')
  })

  test('with wrong terms is refused with a sentence', async () => {
    const jobId = await trainedJob(client)
    const { body: made } = await client.post('/api/v2/resources', {
      resources: { job: { type: 'job', properties: { title: `empty ${jobId}`, decision_points: ['a'] } } },
    })
    const empty = made.created[0].internal_id
    for (const [id, request, status, sentence] of [
      [empty, {}, 404, /no model yet/],
      [empty, { seed: 1 }, 409, /at least two labels/],
      [jobId, { model_id: 'model_1_99' }, 404, /model not found/],
      [jobId, { model_id: `model_${jobId}_1`, seed: 3 }, 422, /either the model/],
      [jobId, { model_id: `model_${jobId}_1`, against: `model_${jobId}_1` }, 422, /both sides are the same model/],
      [jobId, { end_date: '2001-01-01' }, 404, /no events in that period/],
      [jobId, { start_date: '2030-01-01', end_date: '2029-01-01' }, 422, /ends before it begins/],
      [jobId, { start_date: 'yesterday' }, 422, /ISO 8601/],
      [jobId, { threshold: 101 }, 422, /100/],
      [jobId, { objective: 'nonsense' }, 422, /"msg":"must be one of: accuracy, macro_f1","type":"enum"\}\]\}$/],
      [jobId, { objective: { costs: [[1]] } }, 422, /"costs"/],
      [jobId, { without_analysts: ['ann', 'an'] }, 422, /"without_analysts","1"\],"msg":"nobody of that name/],
      [jobId, { nonsense: 1 }, 422, /nonsense/],
    ] as const) {
      const answer = await client.post(`/api/v2/jobs/${id}/replays`, request)
      assert.equal(answer.status, status, `${JSON.stringify(request)}: ${answer.text}`)
      assert.match(answer.text, sentence)
    }
    for (const id of ['nonsense', '01j9zk3v7q8w5']) {
      const { status, body } = await client.get(`/api/v2/jobs/${jobId}/replays/${id}`)
      assert.deepEqual([status, body.error], [404, 'replay not found'])
    }
  })

  test('is for power users; analysts see reports', async () => {
    const jobId = await trainedJob(client)
    const done = await replay(jobId, {})
    const analyst = await asRole(client, 'analyst')
    assert.equal((await analyst.post(`/api/v2/jobs/${jobId}/replays`, {})).status, 403)
    assert.equal((await analyst.get(`/api/v2/jobs/${jobId}/replays/${done.replay_id}`)).status, 200)
    const power = await asRole(client, 'power_user')
    const started = await power.post(`/api/v2/jobs/${jobId}/replays`, {})
    assert.equal(started.status, 200)
    const cancelled = await power.delete(`/api/v2/jobs/${jobId}/replays/${started.body.replay_id}`)
    assert.ok(['cancelled', 'finished'].includes(cancelled.body.status))
    // One that is over stays as it is.
    const again = await power.delete(`/api/v2/jobs/${jobId}/replays/${done.replay_id}`)
    assert.equal(again.body.status, 'finished')
  })

  test('that the end of the process cut off runs at the next start', async (context) => {
    const dataDir = `${temporaryDirectory(context)}/data`
    const first = await startService({ dataDir })
    const jobId = await trainedJob(first.client)
    const { body } = await first.client.post(`/api/v2/jobs/${jobId}/replays`, { seed: 5 })
    await first.close()
    const second = await startService({ dataDir })
    try {
      const done = await ended(jobId, body.replay_id, second.client)
      assert.deepEqual([done.status, done.report.events], ['finished', 24])
    } finally {
      await second.close()
    }
  })
})
