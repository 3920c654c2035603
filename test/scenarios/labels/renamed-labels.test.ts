/** Names of labels are changed: votes keep what they mean, and nothing is settled under names that nobody confirmed. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

const apply = (title: string, advanced_settings: object) =>
  client.post('/api/v2/resources', { resources: { job: { type: 'job', properties: { title, advanced_settings } } } })
const send = (jobId: number, id: string, rule: string) =>
  client.post(`/api/v1/events/${id}?wait=true`, { job_id: jobId, raw_body: { rule } })
const vote = (jobId: number, id: string, feedback: string) =>
  client.put(`/api/v1/events/${jobId}/${id}/feedback`, { cortex_user: 'ann', feedback })
const votesOf = async (jobId: number, id: string): Promise<string[]> =>
  (await client.get(`/api/v2/events/${jobId}/${id}/consensus`)).body.votes.map(({ label }: any) => label)
const jobOf = async (jobId: number): Promise<any> => (await client.get(`/api/v1/jobs/${jobId}`)).body
const labels = (...names: string[]) => names.map((name, at) => ({ id: `label_${at}`, name }))

test('a document that gives one label the name of another is refused, and says what it would mean', async () => {
  const { jobId, title } = await makeJob(client, { decision_points: ['rule'] })
  await send(jobId, 'a', 'threat')
  await vote(jobId, 'a', 'Escalate')
  for (const swapped of [
    labels('Drop', 'Escalate', 'Investigate'),
    labels('drop', 'Close', 'Investigate'),
    labels('Escalate', 'Investigate', 'Drop'),
    [{ id: 'label_1', name: 'Escalate' }, { name: 'Drop' }, { name: 'Investigate' }],
  ]) {
    const refused = await apply(title, { custom_labels: swapped })
    assert.equal(refused.status, 422, refused.text)
    assert.match(refused.text, /label_moved/)
    assert.match(refused.text, /votes stay with the label.+label_order.+rename_labels/)
  }
  assert.deepEqual(await votesOf(jobId, 'a'), ['Escalate'])
  // The same labels in another order are the same labels, as are new names.
  const reordered = await apply(title, {
    custom_labels: [{ name: 'Drop' }, { name: 'Investigate' }, { name: 'Escalate' }],
  })
  assert.equal(reordered.status, 200, reordered.text)
  assert.deepEqual(await votesOf(jobId, 'a'), ['Escalate'])
  const renamed = await apply(title, { custom_labels: labels('Alarm', 'Drop', 'Investigate') })
  assert.equal(renamed.status, 200, renamed.text)
  assert.deepEqual(await votesOf(jobId, 'a'), ['Alarm'])
  const meant = await apply(title, { custom_labels: labels('Drop', 'Alarm', 'Investigate'), rename_labels: true })
  assert.equal(meant.status, 200, meant.text)
  assert.deepEqual(await votesOf(jobId, 'a'), ['Drop'])
  const [listed] = (await client.get(`/api/v2/resources?resource_type=job&id=${jobId}`)).body
  const { advanced_settings: settings } = (Object.values(listed)[0] as any).properties
  assert.equal(settings.rename_labels, undefined, 'it is about one document')
})

test('the order of keys is a setting that touches no vote, and follows renamed labels', async () => {
  const { jobId, title } = await makeJob(client, { decision_points: ['rule'] })
  await send(jobId, 'a', 'threat')
  await vote(jobId, 'a', 'Escalate')
  const orderOf = async (): Promise<string[]> => {
    const all = (await client.get('/api/v2/resources?resource_type=job')).body
    const { properties } = all.map((one: any) => Object.values(one)[0]).find((one: any) => one.properties.id === jobId)
    return properties.advanced_settings.label_order
  }
  assert.equal((await apply(title, { label_order: ['Drop', 'label_2', 'escalate'] })).status, 200)
  assert.deepEqual(await orderOf(), ['label_1', 'label_2', 'label_0'])
  const other = [{ name: 'Escalate' }, { name: 'Drop', id: 'drop_alert' }, { name: 'Investigate' }]
  assert.equal((await apply(title, { custom_labels: other })).status, 200)
  assert.deepEqual(await orderOf(), ['drop_alert', 'label_2', 'label_0'])
  assert.deepEqual(await votesOf(jobId, 'a'), ['Escalate'])
  for (const wrong of [
    ['Drop', 'Drop', 'Escalate'],
    ['Drop', 'Escalate', 'Nope'],
    ['Drop', 'Escalate'],
  ])
    assert.equal((await apply(title, { label_order: wrong })).status, 422, wrong.join())
})

test('nothing is settled under new names until the contract is set again, and the job says so', async () => {
  const { jobId, title } = await makeJob(client, { decision_points: ['rule'] })
  for (let at = 0; at < 24; at++) {
    await send(jobId, `t${at}`, at % 2 === 0 ? 'threat' : 'noise')
    await vote(jobId, `t${at}`, at % 2 === 0 ? 'Escalate' : 'Drop')
  }
  assert.equal((await client.post(`/api/v1/jobs/${jobId}/train`)).status, 200)
  await eventually(
    () => jobOf(jobId),
    ({ retrain_state: state }) => state === 'RETRAIN_FINISHED',
    30_000,
  )
  const autonomy = `/api/v2/jobs/${jobId}/autonomy`
  const easy = (label: string) => ({
    mode: 'open',
    hold_out_rate: 0.3,
    protected_labels: ['Escalate'],
    labels: [{ label, epsilon: 0.5, delta: 0.5, thresholds: [50] }],
  })
  assert.equal((await client.put(autonomy, easy('Drop'))).status, 200)
  let sent = 0
  const autonomies = async (count: number, feedback: string): Promise<string[]> => {
    const found: string[] = []
    for (let at = 0; at < count; at++) {
      const id = `n${sent++}`
      const { body } = await send(jobId, id, 'noise')
      found.push(body.autonomy)
      if (body.autonomy === 'review') await vote(jobId, id, feedback)
    }
    return found
  }
  await eventually(
    () => autonomies(1, 'Drop'),
    ([found]) => found === 'settled',
    60_000,
  )
  assert.equal((await apply(title, { custom_labels: labels('Escalate', 'Noise', 'Investigate') })).status, 200)
  assert.equal((await autonomies(30, 'Noise')).includes('settled'), false)
  const paused = (await client.get(autonomy)).body
  assert.match(paused.paused, /^Nothing is settled: .*Drop is Noise now/)
  const { warnings } = await jobOf(jobId)
  const warning = warnings.find(({ type }: any) => type === 'labels_renamed')
  assert.match(warning.msg, /Drop is Noise now/)
  assert.match(warning.action, /^Set the contract again/)
  const confirmed = await client.put(autonomy, easy('Noise'))
  assert.equal(confirmed.body.paused, null, confirmed.text)
  await eventually(
    () => autonomies(1, 'Noise'),
    ([found]) => found === 'settled',
    60_000,
  )
  // A name in other letters is the same name.
  assert.equal((await apply(title, { custom_labels: labels('Escalate', 'noise', 'Investigate') })).status, 200)
  assert.equal((await client.get(autonomy)).body.paused, null)
})
