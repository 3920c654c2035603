/** The page Next: the queue, answered by keys. */
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

async function open(user: 'ann' | 'bob' = 'ann'): Promise<Page> {
  const page = await world.page(user)
  await page.goto(`/jobs/feedback-flow/${world.jobId}`)
  await page.locator('.card .answer').waitFor()
  return page
}

/** The id of the event that is shown. */
function shown(page: Page): Promise<string> {
  return textOf(page.locator('.card-head .mono'))
}

/** What a person has said of an event, or null. */
async function voteOf(id: string, user = 'ann'): Promise<string | null> {
  const { votes } = (await world.client.get(`/api/v2/events/${world.jobId}/${id}/consensus`)).body
  return votes.find(({ analyst }: { analyst: string }) => analyst === user)?.label ?? null
}

test('a digit answers and shows the next event, and undo leads back', { skip }, async () => {
  const page = await open()
  const first = await shown(page)
  const label = await textOf(page.locator('.votes button').nth(1))
  await page.keyboard.press('2')
  await page.locator('.toast').waitFor()
  assert.notEqual(await shown(page), first)
  const name = label.replace(/^\s*2\s*/, '').trim()
  assert.equal(await voteOf(first), name)
  assert.match(await textOf(page.locator('.toast').first()), new RegExp(`^${name} on “.+”`))
  await page.keyboard.press('u')
  await eventually(
    () => voteOf(first),
    (label) => label === null,
  )
  await eventually(
    () => shown(page),
    (id) => id === first,
  )
  await page.context().close()
})

test('a key that is held is one answer, and a held u takes back one', { skip }, async () => {
  const page = await open()
  const first = await shown(page)
  const hold = async (key: string): Promise<void> => {
    for (let n = 0; n < 30; n++) await page.keyboard.down(key)
    await page.keyboard.up(key)
  }
  await hold('1')
  await page.locator('.toast').waitFor()
  const next = await eventually(
    () => shown(page),
    (id) => id !== first,
  )
  await page.keyboard.press('2')
  await eventually(
    () => voteOf(next),
    (label) => label === 'Drop',
  )
  await hold('u')
  await eventually(
    () => voteOf(next),
    (label) => label === null,
  )
  assert.equal(await voteOf(first), 'Escalate')
  await page.keyboard.press('u')
  await eventually(
    () => voteOf(first),
    (label) => label === null,
  )
  await page.context().close()
})

test('a double click on an answer is one answer', { skip }, async () => {
  const page = await open()
  const first = await shown(page)
  await page.locator('.votes button').nth(1).dblclick()
  await page.locator('.toast').waitFor()
  const next = await eventually(
    () => shown(page),
    (id) => id !== first,
  )
  assert.equal(await voteOf(first), 'Drop')
  assert.equal(await voteOf(next), null)
  await page.keyboard.press('u')
  await eventually(
    () => voteOf(first),
    (label) => label === null,
  )
  await page.context().close()
})

test('skip, why, similar, a note and the whole event have their keys', { skip }, async () => {
  const page = await open()
  // An event of before the training has no decision that could be explained.
  for (let n = 0; n < 20 && (await page.locator('.card .effect').count()) === 0; n++) {
    await page.keyboard.press('s')
    await page.locator('.card .answer').waitFor()
  }
  const first = await shown(page)
  const fields = await page.locator('.card .effect').count()
  await page.keyboard.press('e')
  await eventually(
    () => page.locator('.card .effect').count(),
    (more) => more > fields,
  )
  await page.keyboard.press('m')
  await page.locator('.card .similar li').first().waitFor()
  await page.keyboard.press('c')
  await page.getByRole('textbox', { name: 'Note on this event' }).fill('seen 1 2 3')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Note saved.').waitFor()
  const exported = await world.client.get(`/api/v1/events/${world.jobId}/${first}/export`)
  assert.match(JSON.stringify(exported.body.service_event.service.agentic_notes), /seen 1 2 3/)
  await page.keyboard.press('s')
  await eventually(
    () => shown(page),
    (id) => id !== first,
  )
  await page.keyboard.press('k')
  await eventually(
    () => shown(page),
    (id) => id === first,
  )
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/jobs/${world.jobId}/events/${first}`)
  await page.getByText('Event as sent').waitFor()
  await page.keyboard.press('Escape')
  await page.waitForURL('**/jobs/feedback-flow/*')
  await page.context().close()
})

test('without a connection votes wait, are shown as waiting, and are sent when it is back', { skip }, async () => {
  const page = await open()
  const ids = [await shown(page)]
  await page.context().setOffline(true)
  await page.keyboard.press('1')
  await eventually(
    () => shown(page),
    (id) => id !== ids[0],
  )
  ids.push(await shown(page))
  await page.keyboard.press('3')
  await page.getByText('2 votes waiting to be sent').waitFor()
  await page.getByText('no connection').waitFor()
  assert.equal(await voteOf(ids[0] as string), null)
  await page.context().setOffline(false)
  for (const id of ids)
    await eventually(
      () => voteOf(id),
      (label) => label !== null,
    )
  await page.getByText('votes waiting to be sent').waitFor({ state: 'detached' })
  await page.context().close()
})

test('votes that waited are sent after the page was closed', { skip }, async () => {
  const page = await open()
  const id = await shown(page)
  await page.route('**/feedback?**', (route) => route.abort())
  await page.keyboard.press('1')
  await page.getByText('1 vote waiting to be sent').waitFor()
  await page.unroute('**/feedback?**')
  await page.reload()
  await eventually(
    () => voteOf(id),
    (label) => label !== null,
  )
  await page.context().close()
})

test('a session that ends keeps the page and the votes', { skip }, async () => {
  const page = await open('bob')
  const id = await shown(page)
  for (const { token_id } of (await world.client.get('/api/v2/tokens?username=bob')).body)
    await world.client.delete(`/api/v2/tokens/${token_id}`)
  await page.keyboard.press('1')
  await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
  assert.ok(await page.locator('.queue').isVisible())
  await page.getByLabel('User name').fill('bob')
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await eventually(
    () => voteOf(id, 'bob'),
    (label) => label !== null,
  )
  await page.context().close()
})

test('what a colleague has answered is said, and not asked again', { skip }, async () => {
  const [ann, bob] = [await open('ann'), await open('bob')]
  const id = await shown(bob)
  assert.notEqual(await shown(ann), id, 'two people begin at different events')
  // The stream begins a moment after the page.
  await eventually(
    async () => {
      await world.client.put(`/api/v1/events/${world.jobId}/${id}/feedback`, { cortex_user: 'eve', feedback: 'Drop' })
      return bob.getByText('eve said Drop').count()
    },
    (found) => found > 0,
  )
  for (const page of [ann, bob]) await page.context().close()
})
