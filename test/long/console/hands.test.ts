/** What people's hands do: names that are swapped, and other slips of a long day. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { makeJob } from '../../support/client.js'
import { skip } from './browser.js'
import { eventually, makeWorld, type World } from './world.js'

let world: World
before(async () => {
  if (skip === false) world = await makeWorld()
})
after(async () => world?.close())

async function labelOf(jobId: number, id: string, user = 'ann'): Promise<string | null> {
  const { votes } = (await world.client.get(`/api/v2/events/${jobId}/${id}/consensus`)).body
  return votes.find((vote: any) => vote.analyst === user)?.label ?? null
}

/** A job of its own, with events e0 to e5. */
async function job(properties: object = {}): Promise<number> {
  const { jobId } = await makeJob(world.client, { decision_points: ['rule'], ...properties })
  for (let at = 0; at < 6; at++)
    await world.client.post(`/api/v1/events/e${at}?wait=true`, {
      job_id: jobId,
      title: `Alert ${at}`,
      raw_body: { rule: `r${at}` },
    })
  return jobId
}

test('names that are swapped in Settings are taken for another order of keys; votes stay as they are', {
  skip,
}, async () => {
  const jobId = await job()
  for (const id of ['e0', 'e1', 'e2'])
    await world.client.put(`/api/v1/events/${jobId}/${id}/feedback`, { cortex_user: 'ann', feedback: 'Escalate' })
  const page = await world.page('admin')
  const swap = async (first: string, second: string): Promise<void> => {
    await page.goto(`/jobs/${jobId}/settings`)
    await page.getByLabel('Label 1', { exact: true }).fill(first)
    await page.getByLabel('Label 2', { exact: true }).fill(second)
    await page.getByRole('button', { name: 'Preview changes' }).click()
    await page.getByText('You change names, not the order:').waitFor()
  }
  await swap('Drop', 'Escalate')
  await page.getByText('3 events voted Escalate will now read Drop.').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  assert.equal(await labelOf(jobId, 'e0'), 'Escalate')
  await page.goto(`/jobs/${jobId}/events/e4`)
  await page.locator('.votes button').first().waitFor()
  const names = (await page.locator('.votes button').allTextContents()).map((text) => text.replace(/^\d\s*/, '').trim())
  assert.deepEqual(names, ['Drop', 'Escalate', 'Investigate'])
  await page.keyboard.press('1')
  await eventually(
    () => labelOf(jobId, 'e4', 'admin'),
    (label) => label === 'Drop',
  )
  // The rows are in the order of the keys: the first one is Drop. Names are meant this time.
  await page.goto(`/jobs/${jobId}/settings`)
  await page.getByLabel('Label 1', { exact: true }).fill('Noise')
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await page.getByText('3 events voted Escalate will now read Noise.').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  assert.equal(await labelOf(jobId, 'e0'), 'Noise')
  await swap('Drop', 'Noise')
  await page.getByRole('radio', { name: /You change names/ }).check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  assert.equal(await labelOf(jobId, 'e0'), 'Drop')
  await page.context().close()
})

test('of two who take the same event the second is told who has it, and asked', { skip }, async () => {
  const jobId = await job()
  const assignee = async (): Promise<string | null> =>
    (await world.client.get(`/api/v2/events/${jobId}/e1/assignment`)).body.assignee
  const open = async (user: 'ann' | 'bob'): Promise<Page> => {
    const page = await world.page(user)
    await page.goto(`/jobs/${jobId}/events/e1`)
    await page.locator('.tree').waitFor()
    return page
  }
  const [ann, bob] = [await open('ann'), await open('bob')]
  // Bob's page does not know yet that Ann has it.
  await bob.route('**/assignment', (route) => (route.request().method() === 'GET' ? route.abort() : route.continue()))
  await ann.keyboard.press('a')
  await ann.getByText('Assigned to you.').waitFor()
  await bob.unroute('**/assignment')
  await bob.keyboard.press('a')
  await bob.getByText('ann has it. Take it over?').waitFor()
  assert.equal(await assignee(), 'ann')
  await bob.getByRole('button', { name: 'Cancel' }).click()
  assert.equal(await assignee(), 'ann')
  await bob.keyboard.press('a')
  await bob.getByRole('button', { name: 'Take over' }).click()
  await eventually(assignee, (name) => name === 'bob')
  await bob.getByRole('dialog').waitFor({ state: 'detached' })
  await bob.keyboard.press('u')
  await eventually(assignee, (name) => name === 'ann')
  for (const page of [ann, bob]) await page.context().close()
})

test('Events is as it was left: rows, cursor and ticks; j, k and a vote go along the list', { skip }, async () => {
  const page = await world.page('ann')
  await page.goto(`/jobs/${world.jobId}/events`)
  await page.locator('.list-row').first().waitFor()
  for (let at = 0; at < 212; at++) await page.keyboard.press('j')
  await page.locator('.list-row.cursor[data-at="212"]').waitFor()
  for (let at = 0; at < 5; at++) {
    await page.keyboard.press('x')
    await page.keyboard.press('k')
  }
  await page.getByText('5 events selected').waitFor()
  const cursor = page.locator('.list-row.cursor')
  const titles = async (): Promise<string> => `${await cursor.getAttribute('data-at')} ${await cursor.textContent()}`
  const before = await titles()
  for (const back of [() => page.keyboard.press('Escape'), () => page.goBack().then(() => {})]) {
    await page.keyboard.press('Enter')
    await page.locator('.tree').waitFor()
    await back()
    await cursor.waitFor()
    assert.equal(await titles(), before)
    await page.getByText('5 events selected').waitFor()
    assert.equal(await page.locator('.list-row .tick.on').count(), 5)
    assert.ok(await cursor.isVisible())
  }
  await page.getByRole('button', { name: 'Clear selection' }).click()
  await page.keyboard.press('Enter')
  await page.locator('.tree').waitFor()
  const shown = async (): Promise<string> => {
    await page.locator('.tree').waitFor()
    return (await page.locator('.card-head .mono').textContent()) ?? ''
  }
  const first = await shown()
  await page.keyboard.press('j')
  await eventually(shown, (id) => id !== first)
  await page.locator('.tree').waitFor()
  const second = await shown()
  await page.keyboard.press('1')
  await eventually(shown, (id) => id !== second)
  await eventually(
    () => labelOf(world.jobId, second),
    (label) => label === 'Escalate',
  )
  await page.locator('.tree').waitFor()
  await page.keyboard.press('k')
  await eventually(shown, (id) => id === second)
  await page.keyboard.press('k')
  await eventually(shown, (id) => id === first)
  await page.keyboard.press('k')
  await eventually(shown, (id) => id !== first)
  // The cursor has gone along.
  await page.locator('.tree').waitFor()
  await page.keyboard.press('Escape')
  await cursor.waitFor()
  assert.equal(await cursor.getAttribute('data-at'), String(Number(before.split(' ')[0]) - 1))
  await page.context().close()
})

test('each page has a title of its own, with its job and the number of waiting questions', { skip }, async () => {
  const page = await world.page('admin')
  const title = (holds: (text: string) => boolean) => eventually(() => page.title(), holds)
  for (const [path, expected] of [
    [`/jobs/feedback-flow/${world.jobId}`, /^\(\d+\+?\) Next · Alert triage$/],
    [`/jobs/${world.jobId}/events`, /^Events · Alert triage$/],
    [`/jobs/${world.jobId}/models`, /^Models · Alert triage$/],
    [`/jobs/${world.jobId}`, /· Alert triage$/],
    ['/audit', /^Audit log · Decision service$/],
    ['/jobs', /^Jobs · Decision service$/],
  ] as const) {
    await page.goto(path)
    await title((text) => expected.test(text))
  }
  await page.goto(`/jobs/${world.jobId}/events/e-5`)
  const heading = ((await page.locator('h1').first().textContent()) ?? '').trim()
  await title((text) => text === `${heading} · Alert triage`)
  await page.context().close()
})

test('a page for others says so once, and has nothing that would be refused', { skip }, async () => {
  const page = await world.page('ann')
  for (const path of ['/people', '/operations', '/audit']) {
    await page.goto(path)
    await page.getByRole('heading', { name: 'You don’t have permission to see this page' }).waitFor()
    assert.deepEqual(await page.locator('main button').allTextContents(), [])
  }
  await page.context().close()
})

test('a note is not thrown away by a click beside it, by one Escape, or by the end of a session', {
  skip,
}, async () => {
  const jobId = await job()
  const page = await world.page('ann')
  await page.goto(`/jobs/${jobId}/events/e2`)
  await page.locator('.tree').waitFor()
  await page.keyboard.press('c')
  const note = page.locator('dialog textarea')
  const text = 'What the owner of the host said. '.repeat(46).trim()
  await note.fill(text)
  await page.mouse.click(5, 5)
  assert.equal(await note.inputValue(), text)
  await page.keyboard.press('Escape')
  await page.getByText('What you wrote is not saved.').waitFor()
  assert.equal(await note.inputValue(), text)
  await page.request.delete('/api/v2/session', { headers: { 'x-requested-with': 'test' } })
  await page.getByRole('button', { name: 'Save note' }).click()
  await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
  // A provider leads back to the page, which is loaded anew.
  await page.reload()
  await page.getByLabel('User name').fill('ann')
  await page.getByLabel('Password').fill('correct horse battery')
  await page.keyboard.press('Enter')
  await note.waitFor()
  assert.equal(await note.inputValue(), text)
  await page.getByRole('button', { name: 'Save note' }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  const { notes } = (await world.client.get(`/api/v2/events/${jobId}/e2/notes`)).body
  assert.deepEqual(
    notes.map((one: any) => one.note),
    [text],
  )
  // An empty dialog goes at once.
  await page.keyboard.press('c')
  await note.waitFor()
  assert.equal(await note.inputValue(), '')
  await page.mouse.click(5, 5)
  await note.waitFor({ state: 'detached' })
  await page.context().close()
})

test('Safety of a job with labels of its own has a question in words, and no error', { skip }, async () => {
  const custom_labels = ['Threat', 'Noise', 'Unsure'].map((name) => ({ name }))
  const jobId = await job({ advanced_settings: { custom_labels } })
  for (const [at, feedback] of ['Threat', 'Noise', 'Threat', 'Noise', 'Threat', 'Noise'].entries())
    await world.client.put(`/api/v1/events/${jobId}/e${at}/feedback`, { cortex_user: 'ann', feedback })
  assert.equal((await world.client.post(`/api/v1/jobs/${jobId}/train`)).status, 200)
  await eventually(
    async () => (await world.client.get(`/api/v1/jobs/${jobId}`)).body.retrain_state,
    (state) => state === 'RETRAIN_FINISHED',
  )
  const page = await world.page('admin')
  await page.goto(`/jobs/${jobId}/safety`)
  await page.getByText('Which of these labels must never be given without a person?').waitFor()
  assert.equal(await page.locator('.failed').count(), 0)
  await page
    .getByRole('group', { name: /must never be given/ })
    .getByRole('checkbox')
    .first()
    .check()
  await page
    .locator('section', { has: page.getByRole('heading', { name: 'What could be settled' }) })
    .locator('p')
    .first()
    .waitFor()
  assert.equal(await page.locator('.failed').count(), 0)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Tick at least one label as protected').waitFor()
  await page.context().close()
})

test('a view is saved by Enter', { skip }, async () => {
  const page = await world.page('ann')
  await page.goto(`/jobs/${world.jobId}/events?q=label:Drop`)
  await page.locator('.list-row').first().waitFor()
  await page.getByRole('button', { name: 'Save this view' }).click()
  await page.locator('dialog input').first().fill('By Enter')
  await page.keyboard.press('Enter')
  await page.getByText('View By Enter saved.').waitFor()
  await page.context().close()
})

test('no page is wider than a phone', { skip }, async () => {
  const page = await world.page('admin', { viewport: { width: 390, height: 844 } })
  const job = `/jobs/${world.jobId}`
  for (const path of [
    '/jobs',
    '/operations',
    '/audit',
    '/people',
    '/integrations',
    '/api-keys',
    `${job}/models`,
    `${job}/safety`,
    `${job}/events`,
    `${job}/settings`,
    `${job}/pipeline`,
    `${job}/replays`,
    job,
    `${job}/bulk-votes`,
  ]) {
    await page.goto(path)
    await page.locator('main h1').first().waitFor()
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    const wide = await page.evaluate(
      '[document.documentElement.scrollWidth, document.getElementById("main").scrollWidth]',
    )
    assert.deepEqual(
      (wide as number[]).map((width) => Math.max(width, 390)),
      [390, 390],
      path,
    )
  }
  await page.context().close()
})

test('the audit log says which label, is filtered by action, job and time, and is saved as a file', {
  skip,
}, async () => {
  const jobId = await job()
  const vote = (feedback: string) =>
    world.client.put(`/api/v1/events/${jobId}/e3/feedback`, { cortex_user: 'ann', feedback })
  await vote('Drop')
  await vote('Escalate')
  const page = await world.page('admin')
  const rows = page.locator('main tbody tr')
  await page.goto(`/audit?action=voted&job=${jobId}`)
  await page.getByText('vote: Drop → Escalate').waitFor()
  assert.equal(await rows.count(), 2)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ])
  const lines = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\r\n')
  assert.equal(lines.length, 3)
  assert.match(lines[1] ?? '', /voted,event,e3,.*vote: Drop → Escalate/)
  await page.getByLabel('Until').fill('2001-01-01')
  await page.getByRole('button', { name: 'Find', exact: true }).last().click()
  await page.waitForURL(/to=2001-01-01/)
  await page.getByText('0 entries').waitFor()
  await page.context().close()
})

test('a password is changed in the menu, and a job is deleted by typing its name', { skip }, async () => {
  const user = { username: 'pat', password: 'correct horse battery', role: 'administrator' }
  assert.equal((await world.client.post('/api/v2/users', user)).status, 201)
  const jobId = await job({ title: 'To be deleted' })
  const page = await world.stranger()
  const sign = (password: string) =>
    page.request.post('/api/v2/session', {
      data: { username: 'pat', password },
      headers: { 'x-requested-with': 'test' },
    })
  assert.equal((await sign(user.password)).status(), 200)
  await page.goto(`/jobs/${jobId}/settings`)
  await page.locator('summary', { hasText: 'Your menu' }).click()
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByLabel('Current password').fill('wrong horse')
  await page.getByLabel('New password').fill('another horse battery')
  await page.locator('dialog').getByRole('button', { name: 'Change password' }).click()
  await page.locator('dialog [role=alert]').waitFor()
  await page.getByLabel('Current password').fill(user.password)
  await page.locator('dialog').getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Password of pat changed.').waitFor()
  await page.getByRole('button', { name: 'Delete this job' }).click()
  const yes = page.locator('dialog').getByRole('button', { name: 'Delete', exact: true })
  assert.equal(await yes.isDisabled(), true)
  await page.getByLabel('Type To be deleted to confirm').fill('To be deleted')
  await yes.click()
  await page.waitForURL(/\/jobs$/)
  assert.equal((await world.client.get(`/api/v1/jobs/${jobId}`)).status, 404)
  assert.equal((await sign(user.password)).status(), 401)
  assert.equal((await sign('another horse battery')).status(), 200)
  await page.context().close()
})

test('the palette finds events by words of their titles', { skip }, async () => {
  const jobId = await job()
  await world.client.post('/api/v1/events/brute', {
    job_id: jobId,
    title: 'Dovecot brute force attack',
    raw_body: { rule: 'r9' },
  })
  const page = await world.page('ann')
  await page.goto(`/jobs/${jobId}/events`)
  await page.locator('.list-row').first().waitFor()
  await page.keyboard.press('Control+k')
  await page.locator('.palette-input').fill('brute force')
  await page.locator('.palette').getByRole('option', { name: 'Dovecot brute force attack' }).click()
  await page.waitForURL(/\/events\/brute$/)
  await page.keyboard.press('Control+k')
  await page.locator('.palette-input').fill('brute force')
  await page.getByRole('option', { name: /All events with/ }).click()
  await page.waitForURL(/q=/)
  await page.locator('.list-row', { hasText: 'Dovecot' }).waitFor()
  assert.equal(await page.locator('.list-row').count(), 1)
  await page.context().close()
})
