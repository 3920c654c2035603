/** A trained job over HTTP: the rule of an event tells threats from noise. */
import assert from 'node:assert/strict'
import { eventually, makeJob, type Client } from '../client.js'
import { ADMIN_PASSWORD } from '../service.js'

export async function send(client: Client, jobId: number, id: string, rule: string): Promise<void> {
  const answer = await client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: { rule } })
  assert.equal(answer.status, 201, answer.text)
}

export async function vote(client: Client, jobId: number, id: string, feedback: string): Promise<void> {
  const answer = await client.put(`/api/v1/events/${jobId}/${id}/feedback`, { cortex_user: 'ann', feedback })
  assert.equal(answer.status, 200, answer.text)
}

/** Trains, and waits for the model. */
export async function trainAgain(client: Client, jobId: number): Promise<void> {
  const asked = await client.post(`/api/v1/jobs/${jobId}/train?username=ann`)
  assert.equal(asked.status, 200, asked.text)
  await trainingEnded(client, jobId)
}

export async function trainingEnded(client: Client, jobId: number): Promise<void> {
  const done = await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state.startsWith('RETRAIN_'),
    60_000,
  )
  assert.equal(done.body.retrain_state, 'RETRAIN_FINISHED', done.body.retrain_msg)
}

/**
 * 24 events, `t0` to `t23`: the even ones are threats and were escalated, the others are noise and were dropped. They
 * have no decision, since they came before the model.
 */
export async function trainedJob(
  client: Client,
  { advanced_settings = {}, ...more }: { readonly advanced_settings?: object } & Record<string, unknown> = {},
): Promise<number> {
  const settings = { decide_stored_events: false, ...advanced_settings }
  const { jobId } = await makeJob(client, { decision_points: ['rule'], advanced_settings: settings, ...more })
  for (let i = 0; i < 24; i++) {
    await send(client, jobId, `t${i}`, i % 2 === 0 ? 'threat' : 'noise')
    await vote(client, jobId, `t${i}`, i % 2 === 0 ? 'Escalate' : 'Drop')
  }
  await trainAgain(client, jobId)
  return jobId
}

/** The service as a user of that role. */
export async function asRole(client: Client, role: string): Promise<Client> {
  const username = `user-${role}`
  await client.post('/api/v2/users', { username, password: ADMIN_PASSWORD, role })
  const answer = await client.post('/api/v2/token', {
    username,
    password: ADMIN_PASSWORD,
    expires_in_value: 1,
    expires_in_unit: 'hours',
  })
  assert.equal(answer.status, 200, answer.text)
  return client.withKey(answer.body.api_token)
}
