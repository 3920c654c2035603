/** Many tabs of one browser: each is loaded, votes are sent, and what others do shows, by one stream for all. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { skip } from './browser.js'
import { eventually, makeWorld, type World } from './world.js'

let world: World
before(async () => {
  if (skip === false) world = await makeWorld()
})
after(async () => world?.close())

const TABS = 14

async function show(page: Page, id: string): Promise<void> {
  await page.goto(`/jobs/${world.jobId}/events/${id}`)
  await page.locator('.tree').waitFor()
}

async function voteIs(id: string, label: string, analyst = 'ann'): Promise<void> {
  await eventually(
    async () => (await world.client.get(`/api/v2/events/${world.jobId}/${id}/consensus`)).body.votes,
    (votes) => votes.some((vote: any) => vote.analyst === analyst && vote.label === label),
  )
}

async function voted(id: string, analyst: string): Promise<void> {
  const path = `/api/v1/events/${world.jobId}/${id}/feedback`
  assert.equal((await world.client.put(path, { cortex_user: analyst, feedback: 'Drop' })).status, 200)
}

/** The tab shows that somebody else has voted: no reload, so it was told. */
async function shows(page: Page, analyst: string): Promise<void> {
  await page.getByRole('cell', { name: analyst, exact: true }).first().waitFor()
}

// Without locks, as over plain HTTP: only TLS and the machine itself have them.
for (const [how, script] of [
  ['with locks', ''],
  ['without locks', "Object.defineProperty(navigator, 'locks', { value: undefined })"],
] as const)
  test(`tabs are live by one stream, and a vote is sent at once, ${how}`, { skip }, async () => {
    const first = await world.page('ann')
    const context = first.context()
    if (script !== '') await context.addInitScript(script)
    let streams = 0
    context.on('request', (request) => {
      if (request.url().includes('/events/stream')) streams++
    })
    context.on('requestfailed', (request) => {
      if (request.url().includes('/events/stream')) streams--
    })
    const pages = [first]
    await show(first, 'e-600')
    for (let n = 1; n < TABS; n++) {
      const page = await context.newPage()
      await show(page, `e-${600 + n}`)
      pages.push(page)
    }
    await first.keyboard.press('1')
    await voteIs('e-600', 'Escalate')
    await first.locator('.toast').waitFor()
    await eventually(
      async () => streams,
      (open) => open === 1,
    )
    for (const [at, analyst] of [
      [TABS - 1, 'eve'],
      [3, 'frank'],
    ] as const) {
      await voted(`e-${600 + at}`, `${analyst} ${how}`)
      await shows(pages[at]!, `${analyst} ${how}`)
    }
    for (const page of pages.slice(0, 3)) await page.locator('.live-live').waitFor()
    await first.close()
    await voted('e-605', `greta ${how}`)
    await shows(pages[5]!, `greta ${how}`)
    await context.close()
  })

test('one tab goes to many addresses, one after the other', { skip }, async () => {
  const page = await world.page('ann')
  for (let n = 0; n < 10; n++) await show(page, `e-${620 + n}`)
  for (let n = 0; n < 4; n++) {
    await page.goBack()
    await page.locator('.tree').waitFor()
  }
  await page.keyboard.press('2')
  await voteIs('e-625', 'Drop')
  await page.context().close()
})

test('a tab that nobody sees has no stream, and is told what it missed when it is seen again', { skip }, async () => {
  const page = await world.page('ann')
  await page.addInitScript(`{
    let hidden = false
    Object.defineProperty(document, 'hidden', { get: () => hidden })
    window.hide = (is) => { hidden = is; document.dispatchEvent(new Event('visibilitychange')) }
  }`)
  await show(page, 'e-640')
  await voted('e-640', 'heidi')
  await shows(page, 'heidi')
  const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/events/stream'))
  await page.evaluate('hide(true)')
  await ended
  await voted('e-640', 'ivan')
  await page.evaluate('hide(false)')
  await shows(page, 'ivan')
  await page.context().close()
})

test('the foot says so when the service takes no answer, or tells nothing', { skip }, async () => {
  const page = await world.page('ann')
  await show(page, 'e-641')
  await page.locator('.live-live').waitFor()
  await page.route('**/api/v2/jobs/', () => {})
  await page.getByText('no connection').waitFor()
  await page.unroute('**/api/v2/jobs/')
  await page.locator('.live-live').waitFor()
  await page.context().close()
})
