/** The one way back: what comes back is what was done last, and what it replaced stands again. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { skip } from './browser.js'
import { eventually, makeWorld, textOf, type World } from './world.js'

let world: World
before(async () => {
  if (skip === false) world = await makeWorld()
})
after(async () => world?.close())

interface Vote {
  readonly label: string
  readonly timestamp: string
  readonly closing_notes: string | null
}

/** What a person has said of an event itself, or null. */
async function voteOf(id: string, user = 'ann'): Promise<Vote | null> {
  const { votes } = (await world.client.get(`/api/v2/events/${world.jobId}/${id}/consensus`)).body
  return votes.find((vote: any) => vote.analyst === user && vote.event_id === id) ?? null
}

async function labelOf(id: string, user = 'ann'): Promise<string | null> {
  return (await voteOf(id, user))?.label ?? null
}

async function list(query = '', user: 'ann' | 'bob' = 'ann'): Promise<Page> {
  const page = await world.page(user)
  await page.goto(`/jobs/${world.jobId}/events${query}`)
  await page.locator('.list-row').first().waitFor()
  return page
}

async function event(id: string, user: 'ann' | 'bob' = 'ann'): Promise<Page> {
  const page = await world.page(user)
  await page.goto(`/jobs/${world.jobId}/events/${id}`)
  await page.locator('.tree').waitFor()
  return page
}

/** Ids of the first rows of a query, as the list shows them. */
async function idsOf(filters: object[], size: number): Promise<string[]> {
  const { body } = await world.client.post('/api/v2/events/list', { job_ids: [world.jobId], filters, size })
  return body.events.map(({ event_id: id }: { event_id: string }) => id)
}

const unvoted = [{ field: 'service.consensus', operator: 'not exists' }]

test('with a slow network the vote that was given last is taken back, and the message names its event', {
  skip,
}, async () => {
  const [first, second] = await idsOf(unvoted, 2)
  const page = await list('?q=-consensus:*')
  await page.route('**/feedback?**', async (route) => {
    await sleep(700)
    await route.continue()
  })
  await page.keyboard.press('1')
  await eventually(
    () => labelOf(first!),
    (label) => label === 'Escalate',
  )
  await page.keyboard.press('j')
  const title = (await textOf(page.locator('.list-row.cursor .title'))).trim()
  await page.keyboard.press('2')
  await page.keyboard.press('u')
  await page.getByText(`Undone: Drop on “${title}”.`).waitFor()
  await page.getByText('vote waiting to be sent').waitFor({ state: 'detached' })
  assert.deepEqual([await labelOf(first!), await labelOf(second!)], ['Escalate', null])
  await page.keyboard.press('u')
  await eventually(
    () => labelOf(first!),
    (label) => label === null,
  )
  await page.context().close()
})

test('a vote that is taken back before it was sent is never sent', { skip }, async () => {
  const [first] = await idsOf(unvoted, 1)
  const page = await list('?q=-consensus:*')
  const sent: string[] = []
  page.on('request', (request) => {
    if (/\/feedback/.test(request.url()) && request.method() !== 'GET') sent.push(request.method())
  })
  await page.context().setOffline(true)
  await page.keyboard.press('1')
  await page.getByText('1 vote waiting to be sent').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('2')
  await page.getByText('2 votes waiting to be sent').waitFor()
  await page.keyboard.press('u')
  await page.keyboard.press('u')
  const failed = sent.length
  await page.context().setOffline(false)
  await page.getByText('to be sent').waitFor({ state: 'detached' })
  assert.equal(await labelOf(first!), null)
  assert.ok(
    sent.slice(failed).every((method) => method === 'POST'),
    'no vote is sent any more',
  )
  await page.context().close()
})

for (const [where, open] of [
  ['Events', async (id: string) => list(`?q=${encodeURIComponent(`event_id:${id}`)}`)],
  ["the event's page", event],
] as const)
  test(`a vote of yesterday that is changed on ${where} comes back with its notes and its time`, { skip }, async () => {
    const id = where === 'Events' ? 'e-700' : 'e-701'
    const yesterday = new Date(Date.now() - 86_400_000).toISOString()
    await world.client.put(`/api/v1/events/${world.jobId}/${id}/feedback`, {
      cortex_user: 'ann',
      feedback: 'Drop',
      closing_notes: 'The backup server, as every night.',
      voted_at: yesterday,
    })
    const page = await open(id)
    await page.keyboard.press('1')
    await eventually(
      () => labelOf(id),
      (label) => label === 'Escalate',
    )
    await page.keyboard.press('u')
    await page.getByText(/^Undone: Escalate on “.+”\. Your earlier vote is back: Drop\.$/).waitFor()
    const { label, timestamp, closing_notes } = (await voteOf(id))!
    assert.deepEqual(
      [label, Date.parse(timestamp), closing_notes],
      ['Drop', Date.parse(yesterday), 'The backup server, as every night.'],
    )
    if (where !== 'Events') await page.locator('.votes button[aria-pressed=true]', { hasText: 'Drop' }).waitFor()
    await page.context().close()
  })

test('a vote of yesterday that is changed in Next comes back, and the event is asked again', { skip }, async () => {
  const page = await world.page('bob')
  await page.goto(`/jobs/feedback-flow/${world.jobId}`)
  await page.locator('.card .answer').waitFor()
  const id = await textOf(page.locator('.card-head .mono'))
  await world.client.put(`/api/v1/events/${world.jobId}/${id}/feedback`, {
    cortex_user: 'bob',
    feedback: 'Investigate',
    closing_notes: 'asked the owner',
    voted_at: new Date(Date.now() - 86_400_000).toISOString(),
  })
  await page.keyboard.press('1')
  await eventually(
    () => labelOf(id, 'bob'),
    (label) => label === 'Escalate',
  )
  await page.keyboard.press('u')
  await eventually(
    () => voteOf(id, 'bob'),
    (vote) => vote?.label === 'Investigate' && vote.closing_notes === 'asked the owner',
  )
  assert.equal(await textOf(page.locator('.card-head .mono')), id)
  await page.context().close()
})

test('after the page was loaded anew, the last vote is still taken back by u', { skip }, async () => {
  const page = await event('e-702')
  await page.keyboard.press('3')
  await eventually(
    () => labelOf('e-702'),
    (label) => label === 'Investigate',
  )
  await page.reload()
  await page.locator('.tree').waitFor()
  await page.keyboard.press('u')
  await eventually(
    () => labelOf('e-702'),
    (label) => label === null,
  )
  await page.context().close()
})

test('votes of two tabs without a connection all arrive, once, in the order in which they were given', {
  skip,
}, async () => {
  const first = await event('e-710', 'bob')
  const context = first.context()
  const second = await context.newPage()
  await second.goto(`/jobs/${world.jobId}/events/e-711`)
  await second.locator('.tree').waitFor()
  await context.setOffline(true)
  for (const [page, key] of [
    [first, '1'],
    [second, '2'],
    [first, '3'],
    [second, '1'],
  ] as const)
    await page.keyboard.press(key)
  for (const page of [first, second]) await page.getByText('4 votes waiting to be sent').waitFor()
  const givenBefore = Date.now()
  await sleep(1_500)
  await first.close()
  await second.close()
  await context.setOffline(false)
  const third = await context.newPage()
  await third.goto(`/jobs/${world.jobId}/events`)
  await eventually(
    async () => [await labelOf('e-710', 'bob'), await labelOf('e-711', 'bob')],
    ([a, b]) => a === 'Investigate' && b === 'Escalate',
  )
  await third.getByText('to be sent').waitFor({ state: 'detached' })
  const audit = await world.client.get(`/api/monitoring/api/v1/audit/logs?job_id=${world.jobId}&user=bob&size=100`)
  const order = audit.body.audit_logs
    .filter(({ object_id, action }: any) => /^e-71[01]$/.test(object_id) && action === 'voted')
    .map(({ object_id, changes }: any) => `${object_id} ${changes.vote.after}`)
    .reverse()
  assert.deepEqual(order, ['e-710 Escalate', 'e-711 Drop', 'e-710 Investigate', 'e-711 Escalate'])
  const vote = (await voteOf('e-710', 'bob'))!
  assert.ok(Date.parse(vote.timestamp) <= givenBefore, 'it has the time at which it was given')
  await context.close()
})

test('a vote that waited does not beat a later one from elsewhere, and says so', { skip }, async () => {
  const page = await event('e-712', 'bob')
  await page.context().setOffline(true)
  await page.keyboard.press('1')
  await page.getByText('1 vote waiting to be sent').waitFor()
  await sleep(1_200)
  await world.client.put(`/api/v1/events/${world.jobId}/e-712/feedback`, { cortex_user: 'bob', feedback: 'Drop' })
  await page.context().setOffline(false)
  await page.getByText(/keeps your later vote: Drop\.$/).waitFor()
  assert.equal(await labelOf('e-712', 'bob'), 'Drop')
  await page.context().close()
})

test('votes of one press are one message and one undo, and the bar says for how many they count', {
  skip,
}, async () => {
  const rows: { id: string; bucket: string; others: number }[] = []
  for (const name of ['Repeated A', 'Repeated B', 'Repeated C'])
    for (let n = 0; n < 4; n++) {
      const id = `${name.at(-1)}-${n}`
      await world.client.post(`/api/v1/events/${id}`, {
        job_id: world.jobId,
        title: name,
        raw_body: { rule: { id: name } },
      })
      rows.push({ id, bucket: name, others: 4 })
    }
  const page = await list(`?q=${encodeURIComponent('rule.id:"Repeated A","Repeated B","Repeated C"')}`)
  for (const at of [0, 4, 8]) {
    await page.locator(`[data-at="${at}"] [data-tick]`).click()
    await page.locator(`[data-at="${at}"] .tick.on`).waitFor()
  }
  await page.getByText('3 events selected, 12 with the same values').waitFor()
  await page.keyboard.press('1')
  await page.getByText('Escalate on 3 events. Applies to 12 events with the same values.').waitFor()
  assert.equal(await page.locator('.toast').count(), 1)
  const [foot, last] = [await page.locator('.toast').boundingBox(), await page.locator('.list').boundingBox()]
  assert.ok(foot!.y >= last!.y + last!.height, 'the message covers no row')
  await page.locator('.list-row', { hasText: 'voted Escalate' }).nth(11).waitFor()
  await page.keyboard.press('u')
  await page.getByText('Undone: 3 votes.').waitFor()
  for (const { id } of rows) assert.equal(await labelOf(id), null)
  assert.equal(await page.locator('.list-row', { hasText: 'voted Escalate' }).count(), 0)
  await page.context().close()
})

test('after a vote on all that match the rows have a tick; it is listed, and taken back after a reload', {
  skip,
}, async () => {
  const page = await list('?q=-consensus:*')
  await page.keyboard.press('*')
  await page.keyboard.press('2')
  await page.getByRole('button', { name: /^Drop for [\d,]+ events/ }).click()
  await page.locator('.toast', { hasText: /Drop for [\d,]+ events\./ }).waitFor()
  await eventually(
    () => page.locator('.list-row', { hasText: 'voted Drop' }).count(),
    (n) => n > 10,
  )
  assert.equal(await page.locator('.list-row:not(:has-text("voted Drop"))').count(), 0)
  await page.reload()
  await page.locator('.events-head .views summary').click()
  await page.getByRole('link', { name: 'Bulk votes' }).click()
  const row = page.locator('main tbody tr').first()
  await row.waitFor()
  const text = await textOf(row)
  for (const part of ['Drop', '-consensus:*', 'ann', 'done', 'Undo these votes'])
    assert.ok(text.includes(part), `${part} in ${text}`)
  const bob = await world.page('bob')
  await bob.goto(`/jobs/${world.jobId}/bulk-votes`)
  await bob.locator('main tbody tr').first().waitFor()
  assert.equal(await bob.getByRole('button', { name: 'Undo these votes' }).count(), 0)
  await bob.context().close()
  await row.getByRole('button', { name: 'Undo these votes' }).click()
  await row.getByText('undone', { exact: true }).waitFor()
  const { body } = await world.client.post('/api/v2/events/list', {
    job_ids: [world.jobId],
    count: true,
    filters: unvoted,
  })
  assert.ok(body.total_count > 10)
  await page.context().close()
})
