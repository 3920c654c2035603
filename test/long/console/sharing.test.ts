/** How people share the work: views, assignments, who looks at an event, notes, two analysts at once. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { skip } from './browser.js'
import { eventually, makeWorld, textOf, type World } from './world.js'

let world: World
before(async () => {
  if (skip === false) world = await makeWorld()
})
after(async () => world?.close())

async function list(user: 'ann' | 'bob', query = ''): Promise<Page> {
  const page = await world.page(user)
  await page.goto(`/jobs/${world.jobId}/events${query}`)
  await page.locator('.list-row').first().waitFor()
  return page
}

async function event(user: 'ann' | 'bob' | 'admin', id: string): Promise<Page> {
  const page = await world.page(user)
  await page.goto(`/jobs/${world.jobId}/events/${id}`)
  await page.locator('.tree').waitFor()
  return page
}

async function assigneeOf(id: string): Promise<string | null> {
  const { body } = await world.client.get(`/api/v2/jobs/${world.jobId}/assignments`)
  return body.assignments.find(({ event_id }: { event_id: string }) => event_id === id)?.assignee ?? null
}

test('a view is saved by the star, shared, found by a colleague, and deleted with an undo', { skip }, async () => {
  const ann = await list('ann', '?q=label%3ADrop')
  await ann.getByRole('button', { name: 'Save this view' }).click()
  await ann.getByRole('dialog').getByLabel('Name').fill('What is dropped')
  await ann.getByLabel('Visible to everybody').check()
  await ann.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await ann.getByText('View What is dropped saved.').waitFor()
  await ann.locator('.events-head .views summary', { hasText: 'What is dropped' }).waitFor()
  assert.equal(new URL(ann.url()).search, '?q=label%3ADrop')
  const bob = await list('bob')
  await bob.locator('.events-head .views summary', { hasText: 'All events' }).click()
  await bob.getByRole('link', { name: /What is dropped\s*ann/ }).click()
  await bob.waitForURL(/q=label%3ADrop/)
  await bob.locator('.events-head .views summary', { hasText: 'What is dropped' }).click()
  assert.equal(await bob.getByRole('button', { name: 'Delete the view' }).count(), 0)
  await ann.locator('.events-head .views summary').click()
  await ann.getByRole('button', { name: 'Delete the view What is dropped' }).click()
  await ann.locator('.events-head .views summary', { hasText: 'Unnamed view' }).waitFor()
  await ann.getByText('View What is dropped deleted.').waitFor()
  await ann.keyboard.press('u')
  await ann.locator('.events-head .views summary', { hasText: 'What is dropped' }).waitFor()
  for (const page of [ann, bob]) await page.context().close()
})

test('a assigns to me, colleagues see it, and a filter finds what is mine', { skip }, async () => {
  const [ann, bob] = [await list('ann'), await list('bob')]
  await ann.keyboard.press('j')
  const title = await textOf(ann.locator('.list-row.cursor .title'))
  await ann.keyboard.press('a')
  await ann.getByText('Assigned to you.').waitFor()
  await ann.locator('.list-row.cursor .tag', { hasText: 'ann' }).waitFor()
  await bob.locator('.list-row .tag', { hasText: 'ann' }).waitFor({ timeout: 40_000 })
  await ann.locator('.events-head .views summary').click()
  await ann.getByRole('link', { name: 'Assigned to me' }).click()
  await ann.waitForURL(/q=assigned%3Ame/)
  await eventually(
    () => ann.locator('.list-row').count(),
    (n) => n === 1,
  )
  assert.equal(await textOf(ann.locator('.list-row .title')), title)
  await ann.keyboard.press('a')
  await ann.getByText('Unassigned.').waitFor()
  await ann.keyboard.press('u')
  await ann.locator('.list-row .tag', { hasText: 'ann' }).waitFor()
  await ann.context().close()
  await bob.context().close()
})

test('several events are assigned, noted and exported together', { skip }, async () => {
  const page = await list('ann', '?q=label%3AEscalate')
  await page.keyboard.press('x')
  for (let n = 0; n < 2; n++) await page.keyboard.press('j')
  await page.keyboard.press('Shift+X')
  const bar = page.getByRole('toolbar')
  await bar.getByText('3 events selected').waitFor()
  await bar.getByRole('button', { name: 'Assign' }).click()
  await page.getByText('3 events assigned to you.').waitFor()
  await bar.getByRole('button', { name: 'Note' }).click()
  await page.getByRole('textbox', { name: 'Note on this event' }).fill('One campaign')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Note saved on 3 events.').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    bar.getByRole('button', { name: 'Export' }).click(),
  ])
  assert.ok(download.suggestedFilename().startsWith('events-'))
  await bar.getByRole('button', { name: /Select all \d+/ }).click()
  await page.getByText(/^all [\d,]+ events that match$/).waitFor()
  await page.context().close()
})

test('a colleague who has the event open is shown, and notes are seen by others as they come', { skip }, async () => {
  const [ann, bob] = [await event('ann', 'e-600'), await event('bob', 'e-600')]
  await ann.getByText('bob is viewing this').waitFor({ timeout: 20_000 })
  await bob.keyboard.press('c')
  await bob.getByRole('textbox', { name: 'Note on this event' }).fill('I am calling the user')
  await bob.keyboard.press('Control+Enter')
  await ann.getByText('I am calling the user').waitFor({ timeout: 20_000 })
  await ann.keyboard.press('a')
  await eventually(
    () => assigneeOf('e-600'),
    (name) => name === 'ann',
  )
  await bob.getByText('Assigned to ann').waitFor({ timeout: 20_000 })
  for (const page of [ann, bob]) await page.context().close()
})

test('two analysts who answer the same event see what each other said', { skip }, async () => {
  const [ann, bob] = [await event('ann', 'e-610'), await event('bob', 'e-610')]
  await ann.keyboard.press('1')
  await ann.getByRole('cell', { name: 'ann', exact: true }).first().waitFor()
  await bob.keyboard.press('2')
  await bob.getByRole('cell', { name: 'bob', exact: true }).first().waitFor()
  await bob.getByRole('cell', { name: 'ann', exact: true }).first().waitFor()
  await ann.getByRole('cell', { name: 'bob', exact: true }).first().waitFor({ timeout: 20_000 })
  const { votes } = (await world.client.get(`/api/v2/events/${world.jobId}/e-610/consensus`)).body
  assert.deepEqual(
    votes
      .map(({ analyst }: { analyst: string }) => analyst)
      .filter((name: string) => /ann|bob/.test(name))
      .sort(),
    ['ann', 'bob'],
  )
  for (const page of [ann, bob]) await page.context().close()
})

test('a field becomes a decision point after it is shown what that does, and undo takes it out', { skip }, async () => {
  const page = await event('admin', 'e-620')
  const points = async (): Promise<string[]> => (await world.client.get(`/api/v1/jobs/${world.jobId}`)).body.features
  await page.getByRole('button', { name: 'Make decision point: host.name' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/The latest \d+ events would fall into \d+ buckets/).waitFor()
  await dialog.getByText('Stored events keep their decisions').waitFor()
  assert.ok(!(await points()).includes('host.name'))
  await dialog.getByRole('button', { name: 'Make decision point' }).click()
  await eventually(points, (all) => all.includes('host.name'))
  await page.getByText('host.name is now a decision point.').waitFor()
  await page.keyboard.press('u')
  await eventually(points, (all) => !all.includes('host.name'))
  await page.context().close()
  const ann = await event('ann', 'e-620')
  assert.ok((await ann.getByRole('button', { name: /^Copy path/ }).count()) > 0)
  assert.equal(await ann.getByRole('button', { name: /^Make decision point/ }).count(), 0)
  await ann.context().close()
})

test('without a connection an event page says so, keeps what is shown, and goes on when it is back', {
  skip,
}, async () => {
  const page = await event('ann', 'e-630')
  await page.context().setOffline(true)
  await page.getByText('no connection').waitFor()
  await page.keyboard.press('3')
  await page.getByText('1 vote waiting to be sent').waitFor()
  assert.ok(await page.locator('.tree').isVisible())
  await page.context().setOffline(false)
  await page.getByText('1 vote waiting to be sent').waitFor({ state: 'detached' })
  await page.locator('.live-live').waitFor()
  await page.getByRole('cell', { name: 'ann', exact: true }).first().waitFor()
  await page.context().close()
})
