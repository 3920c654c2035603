/** The service is gone for a while: pages stay, say so, and go on when it is back. */
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

/** Nothing of the page reaches the service, as if it had been stopped. */
async function stop(page: Page): Promise<void> {
  await page.context().route('**/*', (route) => route.abort('connectionrefused'))
}

async function start(page: Page): Promise<void> {
  await page.context().unroute('**/*')
}

test('a page whose part is not loaded says so in its place, and appears when the service is back', {
  skip,
}, async () => {
  const page = await world.page('ann')
  await page.goto(`/jobs/feedback-flow/${world.jobId}`)
  await page.locator('.card .answer').waitFor()
  let loads = 0
  page.on('load', () => loads++)
  await stop(page)
  await page.keyboard.press('g')
  await page.keyboard.press('j')
  await page.getByText('This page could not be loaded').waitFor()
  assert.match(page.url(), /\/use-cases\/overview\/\d+$/)
  assert.equal(loads, 0, 'the page was not loaded again')
  assert.ok(await page.locator('.bar').isVisible())
  await start(page)
  await page.locator('.numbers .big').first().waitFor()
  await page.context().close()
})

test('a page that was just opened when the service stops stays as it is', { skip }, async () => {
  const page = await world.page('ann')
  await page.goto(`/jobs/${world.jobId}/events`)
  await page.locator('.list-row').first().waitFor()
  let loads = 0
  page.on('load', () => loads++)
  await stop(page)
  await page.getByText('no connection').waitFor()
  // Longer than the wait before the page of an event is loaded beforehand.
  await eventually(
    () => page.evaluate('performance.now()'),
    (ms) => (ms as number) > 4_500,
  )
  assert.equal(loads, 0)
  assert.ok(await page.locator('.list-row').first().isVisible())
  await page.keyboard.press('Enter')
  await page
    .getByText(/^The connection to .* failed/)
    .first()
    .waitFor()
  await start(page)
  await page.locator('.tree').waitFor()
  await page.context().close()
})
