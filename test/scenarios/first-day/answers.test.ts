/** A file with the answers of people: votes, and the first model from them. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createClient, type HistoryPart } from '../../../server/client/index.js'
import { decide, type Ran } from '../../support/cli/decide.js'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { MANAGEMENT_KEY, startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client
const dir = mkdtempSync(join(tmpdir(), 'answers-'))

before(async () => {
  service = await startService()
  client = service.client
})
after(async () => {
  await service.close()
  rmSync(dir, { recursive: true })
})

const verdicts = ['False Positive', 'True Positive', 'Undetermined'] as const
const rows = Array.from({ length: 300 }, (_, n) => ({
  id: `a-${n}`,
  rule: `rule ${n % 6}`,
  host: `h${n % 4}`,
  // Each tenth has no answer.
  verdict: n % 10 === 9 ? '' : (verdicts[(n % 6) >> 1] as string),
}))
const csv = [
  'alert_id,rule,host,verdict',
  ...rows.map(({ id, rule, host, verdict }) => [id, rule, host, verdict].join()),
]

function run(args: readonly string[], input = ''): Promise<Ran> {
  return decide(args, { input, env: { DECIDE_URL: service.baseUrl, DECIDE_KEY: MANAGEMENT_KEY } })
}

const jobOf = async (jobId: number): Promise<any> => (await client.get(`/api/v1/jobs/${jobId}`)).body
const made = (): Promise<{ jobId: number; title: string }> => makeJob(client, { decision_points: ['rule', 'host'] })

test('field statistics name the answers and the id, and suggest neither', async () => {
  const { body } = await client.post('/api/v2/field-statistics', csv.join('\n'))
  assert.deepEqual([body.label_field, body.id_field], ['verdict', 'alert_id'])
  assert.deepEqual(body.decision_points, ['rule', 'host'])
  const { reason, suggested } = body.fields.find(({ field }: any) => field === 'verdict')
  assert.deepEqual([suggested, /answers that people gave/.test(reason)], [false, true])
  const { body: none } = await client.post('/api/v2/field-statistics', [{ rule: 'a' }, { rule: 'b' }])
  assert.deepEqual([none.label_field, none.id_field], [null, null])
})

test('`decide ingest --label-field` sends votes, and the first model decides the stored events by itself', async () => {
  const { jobId, title } = await made()
  const file = join(dir, 'alerts.csv')
  writeFileSync(file, csv.join('\n'))
  const args = ['ingest', file, '--job', title, '--label-field', 'verdict', '--id-field', 'alert_id', '--json']
  const ran = await run(args)
  assert.equal(ran.code, 0, ran.err)
  const { stored, refused, votes } = JSON.parse(ran.out)
  assert.deepEqual([stored, refused, votes], [300, 0, 270])
  assert.match(ran.err, /The first model is there/)
  const { evidence } = await jobOf(jobId)
  assert.deepEqual(evidence.voted_events, { Escalate: 90, Drop: 90, Investigate: 90 })
  await eventually(
    () => client.get(`/api/v1/events/${jobId}/a-9`),
    ({ body }) => body.result_label === 'True Positive' || body.result_label === 'Escalate',
  )
  const again = await run(args)
  assert.equal(again.code, 0, again.err)
  const { processed_documents_count: events, evidence: after } = await jobOf(jobId)
  assert.deepEqual([events, after.voted_events], [300, evidence.voted_events])
})

test('NDJSON has answers as well, and --map says what a value is', async () => {
  const { jobId, title } = await made()
  const lines = ['few', 'few', 'none', 'odd'].map((label, n) => JSON.stringify({ rule: `r${n}`, fault: { label } }))
  const args = ['ingest', '--job', title, '--label-field', 'fault.label', '--run', 'r']
  const refused = await run(args, lines.join('\n'))
  assert.equal(refused.code, 2)
  assert.match(refused.err, /line 1 has "few" at fault\.label, which is no label of the job \(Escalate, Drop, Inv/)
  const ran = await run([...args, '--map', 'few=Investigate', '--map', 'odd='], lines.join('\n'))
  assert.equal(ran.code, 0, ran.err)
  assert.deepEqual((await jobOf(jobId)).evidence.voted_events, { Escalate: 0, Drop: 1, Investigate: 2 })
})

test('answers of one label train nothing, and it is said', async () => {
  const { jobId, title } = await made()
  const ran = await run(['ingest', '--job', title, '--label-field', 'label'], '{"rule":"a","label":"benign"}')
  assert.equal(ran.code, 0, ran.err)
  assert.match(ran.err, /All votes are Drop\. A model needs votes of two labels/)
  assert.equal((await jobOf(jobId)).last_train_finished_timestamp, null)
})

test('flags for answers that cannot be meant are refused, and nothing is sent', async () => {
  const { jobId, title } = await made()
  for (const [args, words] of [
    [['--label-field', 'label'], /name one with --job/],
    [['--job', title, '--label-field', ''], /--label-field must not be empty/],
    [['--job', title, '--map', 'a=Drop'], /--map is for --label-field/],
    [['--job', title, '--label-field', 'label', '--map', 'a=Nope'], /the labels of the job are Escalate, Drop/],
    [['--job', title, '--label-field', 'label', '--map', 'Drop'], /write value=label/],
    [['--job', title, '--label-field', 'label', '--results'], /leave out --results/],
  ] as const) {
    const ran = await run(['ingest', ...args], '{"rule":"a","label":"benign"}')
    assert.equal(ran.code, 2, args.join(' '))
    assert.match(ran.err, words)
  }
  assert.equal((await jobOf(jobId)).processed_documents_count, 0)
})

test('a file that is ingested again stores nothing twice, whether its events have ids or not', async () => {
  const { jobId, title } = await made()
  const events = async (): Promise<number> => (await jobOf(jobId)).processed_documents_count
  const withIds = join(dir, 'ids.csv')
  writeFileSync(withIds, csv.join('\n'))
  for (let n = 0; n < 2; n++) {
    const ran = await run(['ingest', withIds, '--job', title])
    assert.equal(ran.code, 0, ran.err)
    assert.match(ran.err, /^The id of an event is its alert_id\./m)
    assert.equal(await events(), 300)
  }
  assert.equal((await client.get(`/api/v1/events/${jobId}/a-7`)).status, 200)
  const without = join(dir, 'without.ndjson')
  writeFileSync(without, Array.from({ length: 40 }, (_, n) => JSON.stringify({ rule: `r${n % 3}`, n })).join('\n'))
  for (let n = 0; n < 2; n++) assert.equal((await run(['ingest', without, '--job', title])).code, 0)
  assert.equal(await events(), 340)
  const piped = (): Promise<Ran> => run(['ingest', '--job', title], csv.join('\n'))
  await piped()
  await piped()
  assert.equal(await events(), 340)
  assert.equal((await run(['ingest', withIds, '--job', title, '--run', 'other'])).code, 0)
  assert.equal(await events(), 640)
})

async function sent(jobId: number, events: readonly any[], upload?: string): Promise<HistoryPart[]> {
  const { history } = createClient({ baseUrl: service.baseUrl, key: MANAGEMENT_KEY }).events
  const parts: HistoryPart[] = []
  for await (const part of history(jobId, events, { upload })) parts.push(part)
  return parts
}

test('of old events that are sent together, what is refused keeps no other away', async () => {
  const { jobId } = await made()
  const events = Array.from({ length: 20 }, (_, n) => ({
    event_id: n === 7 ? 'x'.repeat(2_000) : `e-${n}`,
    raw_body: { rule: 'a' },
    label: { feedback: n === 13 ? 'Nope' : 'Drop' },
  }))
  const [part, ...more] = await sent(jobId, events)
  assert.deepEqual([part?.through, part?.stored, more], [20, 18, []])
  assert.deepEqual(
    part?.refused.map(({ place }) => place),
    [7, 13],
  )
  assert.match(part?.refused[1]?.error ?? '', /^unknown label; the labels are/)
  assert.equal((await jobOf(jobId)).processed_documents_count, 18)
})

test('two events of one upload that have one id are two events, whichever request they are in', async () => {
  const { jobId } = await made()
  const event = (rule: string) => ({ event_id: 'same', raw_body: { rule }, label: { feedback: 'Drop' } })
  for (const rule of ['a', 'b', 'a']) await sent(jobId, [event(rule)], 'one file')
  assert.equal((await jobOf(jobId)).processed_documents_count, 2)
  await sent(jobId, [event('c')], 'another file')
  assert.equal((await jobOf(jobId)).processed_documents_count, 2)
})
