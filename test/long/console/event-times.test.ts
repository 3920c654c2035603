/** The two times of events on the page of events: order, ranges, and where both are shown. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { makeJob } from '../../support/client.js'
import { skip } from './browser.js'
import { eventually, makeWorld, type World } from './world.js'

const MINUTE = 60_000
/** By arrival: how many minutes ago each event was. */
const ages = [30, 5, 10 * 24 * 60, 3 * 60, 20 * 60]
const nameOf = (minutes: number): string => `${minutes} minutes ago`
const titles = (list: readonly number[]): string[] => list.map(nameOf)

let world: World
let jobId: number

before(async () => {
  if (skip !== false) return
  world = await makeWorld()
  jobId = (await makeJob(world.client, { title: 'Times', decision_points: ['rule'] })).jobId
  for (const minutes of ages)
    await world.client.post(`/api/v1/events/t-${minutes}`, {
      job_id: jobId,
      title: nameOf(minutes),
      raw_body: { rule: `r${minutes}`, eventTime: new Date(Date.now() - minutes * MINUTE).toISOString() },
    })
})
after(async () => world?.close())

async function open(query = '', width = 1280): Promise<Page> {
  const page = await world.page('ann', { viewport: { width, height: 800 } })
  await page.goto(`/jobs/${jobId}/events${query}`)
  await page.locator('.list-row').first().waitFor()
  return page
}

async function shows(page: Page, list: readonly number[]): Promise<void> {
  const wanted = JSON.stringify(titles(list))
  const shown = await eventually(
    () => page.locator('.list-row .title').allTextContents(),
    (texts) => JSON.stringify(texts) === wanted,
  )
  assert.deepEqual(shown, titles(list))
}

const newestFirst = [...ages].sort((a, b) => a - b)

test('newest first is by the time that is shown, and by arrival where one asks for it', { skip }, async () => {
  const page = await open()
  await shows(page, newestFirst)
  for (const [order, list, query] of [
    ['Oldest first', [...newestFirst].reverse(), /order=asc/],
    ['Last to arrive first', [...ages].reverse(), /sort=timestamp_inference/],
    ['First to arrive first', ages, /sort=timestamp_inference&order=asc/],
  ] as const) {
    await page.getByLabel('Order').selectOption({ label: order })
    await page.waitForURL(query)
    await shows(page, list)
  }
  assert.equal(await page.locator('.list-heads .when').textContent(), 'Arrived')
  const arrived = await page.locator('.list-row time').first().getAttribute('datetime')
  assert.ok(Date.now() - Date.parse(arrived ?? '') < 60 * MINUTE)
  await page.context().close()
})

for (const width of [1280, 390])
  test(`two clicks choose a range that moves, or a fixed one, at ${width} pixels`, { skip }, async () => {
    const page = await open('', width)
    const menu = page.locator('.times summary')
    await menu.click()
    await page.getByRole('button', { name: 'Last 8 hours', exact: true }).click()
    await page.waitForURL(/time=8h/)
    await shows(page, [5, 30, 180])
    assert.match((await menu.textContent()) ?? '', /Last 8 hours/)
    await menu.click()
    await page.getByRole('button', { name: 'Last hour, as a fixed range that ends now' }).click()
    await page.waitForURL(/time=\d{4}-.*%7E\d{4}-/)
    await shows(page, [5, 30])
    // A later event is not in it, and it is the same after a reload.
    const late = { job_id: jobId, title: 'late', raw_body: { rule: 'late', eventTime: new Date().toISOString() } }
    await world.client.post(`/api/v1/events/late-${width}`, late)
    await page.reload()
    await shows(page, [5, 30])
    await page.goBack()
    await page.waitForURL(/time=8h/)
    await eventually(
      () => page.locator('.list-row .title').first().textContent(),
      (text) => text === 'late',
    )
    await world.client.post(`/api/v2/events/${jobId}/delete`, {
      filters: [{ field: 'rule', operator: 'is', value: 'late' }],
    })
    const box = await menu.boundingBox()
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= width)
    await menu.click()
    const list = await page.locator('.times .menu-list').boundingBox()
    assert.ok(list !== null && list.x >= 0 && list.x + list.width <= width, JSON.stringify(list))
    await page.context().close()
  })

test('a range has a beginning and an end, and says what is wrong with it', { skip }, async () => {
  const page = await open()
  await page.locator('.times summary').click()
  const field = (ms: number): string =>
    new Date(ms - new Date(ms).getTimezoneOffset() * MINUTE).toISOString().slice(0, 16)
  const [from, to] = [page.getByLabel('From'), page.getByLabel('To', { exact: true })]
  await from.fill(field(Date.now()))
  await to.fill(field(Date.now() - 60 * MINUTE))
  const apply = page.getByRole('button', { name: 'Show this range' })
  await apply.click()
  await page.getByText('The end is before the beginning.').waitFor()
  await from.fill(field(Date.now() - 22 * 60 * MINUTE))
  await to.fill(field(Date.now() - 60 * MINUTE))
  await apply.click()
  await shows(page, [180, 1200])
  await page.context().close()
})

test('where nothing was, all times are one click away', { skip }, async () => {
  const page = await world.page('ann')
  await page.goto(`/jobs/${jobId}/events?time=2020-01-01T00:00:00.000Z~2020-01-02T00:00:00.000Z`)
  await page.locator('main').getByRole('button', { name: 'All times' }).last().click()
  await shows(page, newestFirst)
  await page.context().close()
})

test('a view keeps its range, which goes on moving', { skip }, async () => {
  const page = await open('?time=1h')
  await page.getByRole('button', { name: 'Save this view' }).click()
  await page.getByLabel('Name').fill('The last hour')
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
  await page.goto(`/jobs/${jobId}/events`)
  await shows(page, newestFirst)
  await page.locator('.views summary').click()
  await page.getByRole('link', { name: /The last hour/ }).click()
  await page.waitForURL(/time=1h/)
  await shows(page, [5, 30])
  await page.context().close()
})

test('details show both times', { skip }, async () => {
  const page = await world.page('ann')
  await page.goto(`/jobs/${jobId}/events/t-180`)
  const facts = page.locator('.facts')
  await facts.getByText('Time of the event').waitFor()
  const [own, arrived] = await facts
    .locator('time')
    .evaluateAll((all) => all.slice(0, 2).map((one) => Date.parse((one as unknown as { dateTime: string }).dateTime)))
  assert.ok(arrived! - own! > 170 * MINUTE && arrived! - own! < 190 * MINUTE)
  await page.context().close()
})
