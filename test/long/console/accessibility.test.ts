/** What holds for every page, menu and dialog: axe finds nothing, and a phone shows all of it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { PHONE, violationsOf } from './axe.js'
import { skip } from './browser.js'
import { places } from './places.js'
import { eventually, makeWorld, WAIT_MS, type World } from './world.js'

let world: World
before(async () => {
  if (skip === false) world = await makeWorld()
})
after(async () => world?.close())

async function open(path: string, shows: string, user: 'ann' | 'admin' = 'admin'): Promise<Page> {
  const page = await world.page(user, { bypassCSP: true })
  await show(page, path, shows)
  return page
}

async function show(page: Page, path: string, shows: string): Promise<void> {
  await page.goto(path)
  await page.locator(shows).first().waitFor()
}

/** Pixels, once the page has been laid out: charts are drawn again after the window has changed. */
async function settledWidth(page: Page): Promise<number> {
  let width = Infinity
  for (let look = 0; look < 20 && width > PHONE.width; look++) {
    await page.waitForTimeout(50)
    width = (await page.evaluate('document.querySelector("main").scrollWidth')) as number
  }
  return width
}

test('no page has a violation that axe finds, and none is wider than a phone', { skip }, async () => {
  const page = await world.page('admin', { bypassCSP: true })
  const found: string[] = []
  for (const [path, shows] of await places(world)) {
    await show(page, path, shows)
    found.push(...(await violationsOf(page, path)))
    await page.setViewportSize(PHONE)
    const width = await settledWidth(page)
    if (width > PHONE.width) found.push(`${path} is ${width} wide on a phone`)
  }
  assert.deepEqual(found, [])
  await page.context().close()
})

test('on a phone the answers are on the screen', { skip }, async () => {
  const page = await world.page('ann', { viewport: PHONE })
  await show(page, `/jobs/feedback-flow/${world.jobId}`, '.card .answer')
  const box = await page.locator('.votes button').nth(2).boundingBox()
  assert.ok(box !== null && box.x + box.width <= PHONE.width && box.y + box.height <= PHONE.height, JSON.stringify(box))
  await page.context().close()
})

test('menus, the palette, and the dialogs of Events have no violation', { skip }, async () => {
  const page = await open(`/jobs/${world.jobId}/events?q=confidence%3C95`, '.list-row')
  const found: string[] = []
  for (const name of ['Job', 'Your menu', 'Views', 'Export', 'Columns']) {
    await page
      .locator('summary', { hasText: name })
      .or(page.locator(`summary[aria-label="${name}"]`))
      .first()
      .click()
    await page.locator('details.menu[open] .menu-list').waitFor()
    found.push(...(await violationsOf(page, `the menu ${name}`)))
    await page.keyboard.press('Escape')
    await page.locator('details.menu[open]').waitFor({ state: 'detached' })
  }
  const dialogs: [string, () => Promise<void>][] = [
    ['the palette', () => page.keyboard.press('Control+k')],
    ['the keys', () => page.keyboard.press('?')],
    ['a note', () => page.keyboard.press('c')],
    ['a view', () => page.getByRole('button', { name: 'Save this view' }).click()],
    [
      'a vote on all',
      async () => {
        await page.keyboard.press('*')
        await page.keyboard.press('2')
        await page.getByRole('button', { name: /for [\d,]+ events/ }).waitFor()
      },
    ],
  ]
  for (const [what, begin] of dialogs) {
    await begin()
    await page.locator('dialog[open]').waitFor()
    found.push(...(await violationsOf(page, what)))
    await page.keyboard.press('Escape')
    await page.locator('dialog[open]').waitFor({ state: 'detached' })
  }
  found.push(...(await violationsOf(page, 'all that match, selected')))
  await page.keyboard.press('Escape')
  await page.locator('.selection').waitFor({ state: 'detached' })
  await page.keyboard.press('2')
  await page.locator('.toast').first().waitFor()
  found.push(...(await violationsOf(page, 'a message with an undo')))
  await show(page, `/jobs/${world.jobId}/events?q=rule.id%3Anone+confidence%3Cmany`, '.empty')
  found.push(...(await violationsOf(page, 'nothing found')))
  assert.deepEqual(found, [])
  await page.context().close()
})

test('Next with all of why, similar events and no connection has no violation', { skip }, async () => {
  const page = await open(`/jobs/feedback-flow/${world.jobId}`, '.card .answer', 'ann')
  for (let n = 0; n < 20 && (await page.locator('.card .effect').count()) === 0; n++) {
    await page.keyboard.press('s')
    await page.locator('.card .answer').waitFor()
  }
  await page.keyboard.press('e')
  await page.keyboard.press('m')
  await page.locator('.card .similar li').first().waitFor()
  const found = await violationsOf(page, 'Next with why and similar events')
  await page.context().setOffline(true)
  await page.getByText('no connection').waitFor()
  await page.keyboard.press('1')
  await page.getByText('1 vote waiting to be sent').waitFor()
  found.push(...(await violationsOf(page, 'Next without a connection')))
  assert.deepEqual(found, [])
  await page.context().close()
})

test('the dialogs of a job have no violation', { skip }, async () => {
  const { jobId, client } = world
  const page = await open(`/jobs/${jobId}/settings`, 'main form')
  const found: string[] = []
  const dialog = page.locator('dialog[open]')
  const look = async (what: string): Promise<void> => {
    await dialog.locator('button.primary:not(:disabled)').waitFor()
    found.push(...(await violationsOf(page, what)))
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
  const points = page.getByLabel('Decision points')
  await points.fill(`${await points.inputValue()}\nhost.name`)
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await look('changed settings')
  await show(page, `/jobs/${jobId}/safety`, 'main form')
  await page.getByLabel('Mode').selectOption('shadow')
  await page.getByLabel('Drop may be settled').check()
  await page.getByRole('button', { name: 'Preview' }).click()
  await look('a safety contract')
  await show(page, `/jobs/${jobId}/events/e-620`, '.tree')
  await page
    .getByRole('button', { name: /^Make decision point/ })
    .first()
    .click()
  await look('a new decision point')
  await client.put(`/api/v1/events/${jobId}/e-800/feedback`, { cortex_user: 'carl', feedback: 'Drop' })
  const { body: before } = await client.get(`/api/v1/jobs/${jobId}`)
  await client.post(`/api/v1/jobs/${jobId}/train`)
  await eventually(
    async () => (await client.get(`/api/v1/jobs/${jobId}`)).body,
    (job) => job.last_train_finished_timestamp !== before.last_train_finished_timestamp,
  )
  await show(page, `/jobs/${jobId}/models`, 'main table')
  await page.getByRole('button', { name: 'Activate' }).last().click()
  await look('an earlier model')
  assert.deepEqual(found, [])
  await page.context().close()
})

test("a replay's report has no violation, and fits a phone", { skip }, async () => {
  const page = await open(`/jobs/${world.jobId}/replays`, 'main form')
  await page.getByLabel('Decide with').selectOption({ label: 'a new model: as many correct answers as possible' })
  await page.getByRole('button', { name: 'Start replay' }).click()
  await page.waitForURL(/\/replays\/\w+$/)
  await page.getByRole('heading', { name: 'Changes of label' }).waitFor({ timeout: 2 * WAIT_MS })
  const found = await violationsOf(page, 'the report')
  await page.setViewportSize(PHONE)
  assert.ok(((await page.evaluate('document.querySelector("main").scrollWidth')) as number) <= PHONE.width)
  await page.goBack()
  await page.locator('main table').first().waitFor()
  found.push(...(await violationsOf(page, 'the list of replays')))
  assert.deepEqual(found, [])
  await page.context().close()
})

test('signing in, for the first time and again, has no violation', { skip }, async () => {
  const stranger = await world.stranger({ bypassCSP: true })
  await show(stranger, '/', '.sign-in')
  const found = await violationsOf(stranger, 'signing in')
  await stranger.getByLabel('User name').fill('ann')
  await stranger.getByLabel('Password').fill('wrong')
  await stranger.keyboard.press('Enter')
  await stranger.getByText('Wrong user name or password').waitFor()
  found.push(...(await violationsOf(stranger, 'a wrong password')))
  await stranger.context().close()
  const page = await open(`/jobs/feedback-flow/${world.jobId}`, '.card .answer', 'ann')
  await page.context().clearCookies()
  await page.keyboard.press('1')
  await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
  found.push(...(await violationsOf(page, 'signing in again')))
  assert.deepEqual(found, [])
  await page.context().close()
})
