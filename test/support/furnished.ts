/**
 * A data directory with something in nearly every table: events, votes, models, clusters, notes, failed deliveries, the
 * audit log.
 */
import assert from 'node:assert/strict'
import { eventually, makeJob, type Client } from './client.js'
import { HttpReceiver, status } from './servers/receiver.js'
import { startService } from './service.js'

async function ok(answer: Promise<{ readonly status: number; readonly text: string }>): Promise<void> {
  const { status: code, text } = await answer
  assert.ok(code >= 200 && code < 300, text)
}

const text = 'a long line of a log that says in many words what little happened '

/** Alerts, votes on a part of them, a training, decisions by its model. */
async function triage(client: Client, hookUrl: string, events: number): Promise<void> {
  const { jobId, title } = await makeJob(client, { decision_points: ['rule', 'host', 'source.ip'] })
  const body = (i: number): object => ({
    rule: i % 2 === 0 ? 'Ransomware note' : 'Password changed',
    host: `host-${i % 7}`,
    source: { ip: `192.0.2.${i % 40}` },
    message: text.repeat(i % 5),
    n: i,
    big: i % 97 === 0 ? text.repeat(200) : null,
  })
  const lines = (from: number, to: number): string => {
    return Array.from({ length: to - from }, (_, at) =>
      JSON.stringify({ job_id: jobId, event_id: `e${from + at}`, raw_body: body(from + at) }),
    ).join('\n')
  }
  await client.bulk(lines(0, events / 2))
  await Promise.all(
    Array.from({ length: 40 }, (_, i) => {
      return ok(
        client.put(`/api/v1/events/${jobId}/e${i}/feedback`, {
          cortex_user: i % 3 === 0 ? 'ann' : 'bob',
          feedback: i % 2 === 0 ? 'Escalate' : 'Drop',
        }),
      )
    }),
  )
  await ok(client.post(`/api/v1/jobs/${jobId}/train?username=ann`, {}))
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body: { retrain_state } }) => retrain_state === 'RETRAIN_FINISHED',
    60_000,
  )
  await ok(
    client.post('/api/v2/resources', {
      hook: {
        type: 'integration',
        properties: { title: 'Hook', integration_type: 'Webhook', parameters: { url: hookUrl, secret: 'a secret' } },
      },
      job: {
        type: 'job',
        properties: {
          title,
          pipeline_integrations: [{ resource: 'hook', integration_type: 'post_decision', enabled: true }],
        },
      },
    }),
  )
  await client.bulk(lines(events / 2, events))
  await ok(client.post(`/api/v2/events/${jobId}/e3/reprocess`))
  await ok(
    client.post(`/api/v2/events/${jobId}/e4/add_agentic_notes`, { agent_notes: text, agent_saved_objects: '{}' }),
  )
  await ok(
    client.post(`/api/v2/events/${jobId}/reprocess`, {
      date_field: '@timestamp',
      filters: [{ field: 'rule', operator: 'is', value: 'Password changed' }],
    }),
  )
  await ok(client.post('/api/monitoring/api/v1/watchdogs', { title: 'silent', type: 'no_data', job_id: jobId }))
  await eventually(
    () => client.get('/api/v2/integrations/failed_deliveries'),
    ({ body: { total_count } }) => total_count > 0,
  )
}

async function clusters(client: Client, events: number): Promise<void> {
  const { jobId } = await makeJob(client, { category: 'Automated root cause analysis', decision_points: [] })
  const names = ['db', 'api', 'web', 'mail']
  await client.bulk(
    Array.from({ length: events }, (_, i) =>
      JSON.stringify({
        job_id: jobId,
        raw_body: {
          '@timestamp': new Date(Date.UTC(2026, 0, 1) + i * 20_000).toISOString(),
          alert: { type: `kind ${i % 5}` },
          service: { name: names[i % 4], callees: i % 4 === 0 ? [] : [names[(i % 4) - 1]] },
        },
      }),
    ).join('\n'),
  )
  await ok(client.post(`/api/v2/jobs/${jobId}/stop`))
  await client.bulk(
    Array.from({ length: 20 }, (_, i) =>
      JSON.stringify({ job_id: jobId, raw_body: { alert: { type: `waits ${i}` } } }),
    ).join('\n'),
  )
}

/** Fills the directory through a service of its own, which has ended when this resolves. */
export async function furnish(dataDir: string, events = 600): Promise<void> {
  const receiver = await HttpReceiver.open()
  receiver.answer = status(400)
  const service = await startService({ dataDir, shards: 2, privateHosts: ['127.0.0.1'] })
  const { client } = service
  try {
    await ok(client.post('/api/v2/users', { username: 'ann', password: 'correct horse', role: 'analyst' }))
    await ok(client.post('/api/v2/token', { username: 'ann', password: 'correct horse' }))
    await triage(client, receiver.url, events)
    await clusters(client, events / 4)
  } finally {
    await service.close()
    await receiver.close()
  }
}
