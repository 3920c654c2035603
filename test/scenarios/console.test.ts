/** The pages that links in incidents lead to (C3.12). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { becomeBrowser, type Dialogs, type FakeElement } from '../support/browser.js'
import { eventually, makeJob } from '../support/client.js'
import { ADMIN_PASSWORD, startService, type TestService } from '../support/service.js'

let service: TestService
let jobId: number
let scripts: {
  pages: typeof import('../../server/console/pages.js')
  api: typeof import('../../server/console/api.js')
}
const failures: unknown[] = []
const dialogs: Dialogs = { texts: [], answer: true }

before(async () => {
  service = await startService()
  jobId = (await makeJob(service.client)).jobId
  await service.client.post('/api/v1/events/seen', {
    job_id: jobId,
    raw_body: { rule: '<b>r</b>' },
    title: 'Odd login',
  })
  const leave = becomeBrowser(service.baseUrl, dialogs)
  scripts = { pages: await import('../../server/console/pages.js'), api: await import('../../server/console/api.js') }
  leave()
})
after(() => service.close())

async function page(path: string): Promise<FakeElement> {
  const screen = { draw: async () => {}, failed: (error: unknown) => void failures.push(error) }
  return (await scripts.pages.pageAt(path, screen)) as unknown as FakeElement
}

function press(shown: FakeElement, text: string): void {
  const found = shown.all('button').find((button) => button.textContent === text)
  assert.ok(found, text)
  found.click()
}

test('the links that clients write into incidents lead to pages, and all they load comes from the service', async () => {
  for (const path of [
    '/jobs',
    '/jobs/feedback-flow/1',
    '/use-cases/overview/1',
    '/integrations/6/edit',
    '/api-keys/',
  ]) {
    const page = await service.client.get(path, { key: null })
    assert.equal(page.status, 200, path)
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self'/)
    assert.ok(!/https?:\/\//.test(page.text))
  }
  const seen = new Set(['/console/app.js'])
  for (const path of seen) {
    const script = await service.client.get(path, { key: null })
    assert.equal(script.status, 200, path)
    assert.ok(script.headers.get('content-type')?.startsWith('text/javascript'))
    for (const [, name] of script.text.matchAll(/from '\.\/([^']+)'/g)) seen.add(`/console/${name}`)
  }
  assert.equal(seen.size, 6)
})

test('an unknown user is told so, and a password is as good as a key', async () => {
  await scripts.api.signIn('wrong', '', '')
  await assert.rejects(
    page(`/use-cases/overview/${jobId}`),
    (error) => error instanceof scripts.api.ApiError && error.status === 401,
  )
  await scripts.api.signIn('', 'admin', ADMIN_PASSWORD)
  assert.match((await page(`/use-cases/overview/${jobId}`)).textContent, /Decision intelligence/)
})

test('a vote takes one click, and the content of an event is shown as text', async () => {
  const shown = await page(`/jobs/feedback-flow/${jobId}`)
  assert.match(shown.textContent, /Odd login.*rule: <b>r<\/b>/)
  assert.match(shown.textContent, /applies to 1 event(?!s)/)
  press(shown, 'Drop')
  const path = `/api/v2/events/${jobId}/seen/consensus`
  await eventually(
    () => service.client.get(path),
    ({ body }) => body.consensus === 'Drop' && body.votes[0].analyst === 'admin',
  )
})

test('the jobs are listed, with links to their events, whoever sends those', async () => {
  const properties = { title: 'Fed by an index', category: 'Decision intelligence', decision_points: ['rule'] }
  assert.equal((await service.client.post('/api/v2/resources', { job: { type: 'job', properties } })).status, 200)
  const shown = await page('/jobs')
  assert.match(shown.textContent, /Fed by an index/)
  assert.match(shown.textContent, /Decision intelligenceSTARTED1/)
  assert.ok(shown.all('a').some(({ attributes }) => attributes.get('href') === `/jobs/feedback-flow/${jobId}`))
})

test('a job is stopped after a confirmation, an integration saved, a key made and shown once', async () => {
  dialogs.answer = false
  press(await page(`/use-cases/overview/${jobId}`), 'Stop')
  assert.match(dialogs.texts.join(), /^Stop .*\?/)
  assert.equal((await service.client.get(`/api/v1/jobs/${jobId}`)).body.status, 'STARTED')
  dialogs.answer = true
  press(await page(`/use-cases/overview/${jobId}`), 'Stop')
  await eventually(
    () => service.client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.status === 'STOPPED',
  )

  const [integration] = (await service.client.get('/api/v2/resources?resource_type=integration')).body.slice(-1)
  const edit = await page(`/integrations/${integration.id}/edit`)
  const text = edit.all('textarea')[0] as FakeElement
  text.value = text.value.replace('"data_type": "alerts"', '"data_type": "changed"')
  press(edit, 'Save')
  await eventually(
    () => service.client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.data_type === 'changed',
  )

  const keys = await page('/api-keys')
  ;(keys.all('input')[0] as FakeElement).value = 'of the console'
  press(keys, 'Make')
  await eventually(
    async () => (keys.all('code')[0] as FakeElement).textContent,
    (shown) => /: \S{43}$/.test(shown),
  )
  assert.deepEqual(failures, [])
})

test('nobody is shown what they may not do, and a refusal says what the user lacks', async () => {
  const password = 'analyst-password'
  const made = await service.client.post('/api/v2/users', { username: 'ann', password, role: 'analyst' })
  assert.equal(made.status, 201, made.text)
  const buttons = async (path: string) => (await page(path)).all('button').map(({ textContent }) => textContent)
  const paths = [
    `/jobs/feedback-flow/${jobId}`,
    `/use-cases/overview/${jobId}`,
    '/integrations/6/edit',
    '/api-keys',
  ] as const
  const all = async () => Promise.all(paths.map(buttons))
  const [votes, ...rest] = await all()
  assert.deepEqual(
    [votes!.slice(0, 3), rest[0], rest[1]],
    [['Escalate', 'Drop', 'Investigate'], ['Start', 'Train'], ['Save']],
  )
  assert.ok(rest[2]!.includes('Make') && rest[2]!.includes('Delete'))

  await scripts.api.signIn('', 'ann', password)
  assert.deepEqual(await all(), [votes, [], [], []])
  assert.match((await page('/integrations/6/edit')).textContent, /"type": "integration"/)
  for (const field of ['input', 'textarea'])
    for (const path of paths) assert.deepEqual((await page(path)).all(field), [], path)
  await assert.rejects(
    scripts.api.ask('POST', `/api/v2/jobs/${jobId}/start`),
    /^Error: the user ann lacks the scope execute:job_operations with this token; the role power_user has it$/,
  )

  const scopes = ['public', 'read:resources', 'read:event_query', 'read:job_metrics']
  const { body } = await service.client.post('/api/v2/token', { username: 'ann', password, scopes })
  await scripts.api.signIn(body.api_token, '', '')
  assert.deepEqual(await all(), [[], [], [], []])
  const links = async (path: string) =>
    (await page(path)).all('a').filter(({ attributes }) => attributes.get('href')?.startsWith('/jobs/feedback-flow/'))
  assert.notEqual((await links('/jobs')).length, 0)
  const blind = await service.client.post('/api/v2/token', { username: 'ann', password, scopes: ['public'] })
  await scripts.api.signIn(blind.body.api_token, '', '')
  for (const path of ['/jobs', `/use-cases/overview/${jobId}`]) assert.deepEqual(await links(path), [], path)
  await scripts.api.signIn('', 'admin', ADMIN_PASSWORD)
})

test('a page of a job shows its warnings, and what to do to those who may', async () => {
  const properties = { title: 'Warned', category: 'Decision intelligence' }
  const { body } = await service.client.post('/api/v2/resources', { job: { type: 'job', properties } })
  const path = `/use-cases/overview/${body.created[0].internal_id}`
  assert.match((await page(path)).textContent, /no input step.*Add a step.*no decision points.*Choose the fields/)
  assert.match((await page('/jobs')).textContent, /WarnedDecision intelligenceSTARTED, warnings: 2/)
  await scripts.api.signIn('', 'ann', 'analyst-password')
  const shown = (await page(path)).textContent
  assert.match(shown, /no input step.*no decision points/)
  assert.doesNotMatch(shown, /Add a step|Choose the fields/)
  await scripts.api.signIn('', 'admin', ADMIN_PASSWORD)
  assert.doesNotMatch((await page(`/use-cases/overview/${jobId}`)).textContent, /Warnings/)
})

test('pages of what does not exist say so', async () => {
  await assert.rejects(page('/use-cases/overview/99999'), /job not found/)
  await assert.rejects(page('/integrations/99999/edit'), /integration not found/)
})

test('a vote button says how many events the vote is about', async () => {
  const { jobId: other } = await makeJob(service.client)
  for (const id of ['a', 'b', 'c'])
    await service.client.post(`/api/v1/events/${id}`, { job_id: other, raw_body: { rule: 'same', id } })
  const shown = await page(`/jobs/feedback-flow/${other}`)
  assert.equal(shown.textContent.match(/applies to 3 events/g)?.length, 3)
})

test('a job shows how often it is right as soon as that is known, and no agreement with its own votes', async () => {
  const { jobId: other } = await makeJob(service.client)
  const { client } = service
  const post = (id: string, rule: string) =>
    client.post(`/api/v1/events/${id}`, { job_id: other, raw_body: { rule, id } })
  const vote = (id: string, feedback: string) =>
    client.put(`/api/v1/events/${other}/${id}/feedback`, { cortex_user: 'ann', feedback })
  for (let i = 0; i < 8; i++) {
    await post(`old ${i}`, i % 2 === 0 ? 'a' : 'b')
    await vote(`old ${i}`, i % 2 === 0 ? 'Drop' : 'Escalate')
  }
  await client.post(`/api/v1/jobs/${other}/train`)
  await eventually(
    () => client.get(`/api/v1/jobs/${other}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
    30_000,
  )
  const rowsOf = async () => (await page(`/use-cases/overview/${other}`)).textContent
  const early = await rowsOf()
  assert.match(early, /Right in new bucketsnot enough yet: 0 of 30 events/)
  assert.match(early, /held-out votes \(model alone\)not enough yet: \d+ of 30 events/)
  assert.match(early, /Minutes savednot enough yet/)
  assert.doesNotMatch(early, /Agreement|100 %/)
  for (let i = 0; i < 32; i++) await post(`new ${i}`, 'a')
  for (let i = 0; i < 32; i++) await vote(`new ${i}`, i < 24 ? 'Drop' : 'Escalate')
  const late = await rowsOf()
  assert.match(late, /Right in known buckets75 % \(57\.9 to 86\.7\), of 32 events/)
  assert.match(late, /Minutes savedabout 240/)
})
