/** What is on every page: signing in, keys, the palette, themes; and what holds for every page. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { skip } from './browser.js'
import { makeWorld, textOf, type World } from './world.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let world: World
before(async () => {
  if (skip === false) world = await makeWorld()
})
after(async () => world?.close())

/** Every page, with what shows that it is there. */
async function places(): Promise<[path: string, shows: string][]> {
  const { jobId, causeJobId, client } = world
  const { clusters } = (await client.get(`/api/v2/jobs/${causeJobId}/clusters`)).body
  const { bucket_id: bucket } = (await client.get(`/api/v2/events/${jobId}/e-0/consensus`)).body
  return [
    ['/jobs', 'main table'],
    [`/jobs/feedback-flow/${jobId}`, '.card .answer'],
    [`/jobs/${jobId}/events`, '.list-row'],
    [`/jobs/${jobId}/events/e-500`, '.tree'],
    [`/jobs/${jobId}/events/hostile`, '.tree'],
    [`/use-cases/overview/${jobId}`, '.numbers .big'],
    [`/jobs/${jobId}/models`, 'main table'],
    [`/jobs/${jobId}/replays`, 'main form'],
    [`/jobs/${jobId}/safety`, 'main form'],
    [`/jobs/${jobId}/pipeline`, 'main table'],
    [`/jobs/${jobId}/settings`, 'main form'],
    [`/jobs/${jobId}/buckets`, 'main table'],
    [`/jobs/${jobId}/buckets/${bucket}`, 'main table'],
    [`/jobs/${causeJobId}/clusters`, 'main table'],
    [`/jobs/${causeJobId}/clusters/${clusters[0].cluster_id}`, '.cluster-tree'],
    ['/integrations', 'main table'],
    ['/integrations/2/edit', 'main pre'],
    ['/operations', 'main table'],
    ['/audit', 'main table'],
    ['/people', 'main table'],
    ['/api-keys', 'main table'],
    ['/nothing-here', 'main .empty'],
  ]
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const result = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
  }
  return result.violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes[0]?.html.slice(0, 160)} ${nodes[0]?.failureSummary.slice(0, 200)} (${nodes.length})`,
  )
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no page has a violation that axe finds, in ${colorScheme}`, { skip }, async () => {
    // Axe is put into the page by the test: the policy of the page forbids that to everybody else.
    const page = await world.page('admin', { colorScheme, bypassCSP: true })
    const found: string[] = []
    for (const [path, shows] of await places()) {
      await page.goto(path === '/nothing-here' ? '/jobs/999/events' : path)
      const isShown = await page
        .locator(shows)
        .first()
        .waitFor()
        .then(
          () => true,
          () => false,
        )
      assert.ok(isShown, `${path} shows ${shows}`)
      found.push(...(await violations(page)).map((one) => `${path} ${one}`))
    }
    assert.deepEqual(found, [])
    await page.context().close()
  })
}

test('no page takes the text of an event for anything but text', { skip }, async () => {
  const page = await world.page('admin')
  const { jobId } = world
  for (const path of [
    `/jobs/feedback-flow/${jobId}`,
    `/jobs/${jobId}/events`,
    `/jobs/${jobId}/events?q=label:*&sort=outlier_score`,
    `/jobs/${jobId}/events/hostile`,
    `/jobs/${jobId}/events?q=${encodeURIComponent('rule.name:"<script>window.harmed=1</script>"')}`,
    `/jobs/${jobId}/events/${encodeURIComponent('<img src=x onerror=window.harmed=1>')}`,
  ]) {
    await page.goto(path)
    await page.locator('main h1, main h2').first().waitFor({ state: 'attached' })
    await page.waitForLoadState('networkidle').catch(() => {})
    assert.equal(await page.locator('img[src=x], main script, main svg[onload]').count(), 0, path)
    assert.equal(await page.evaluate('window.harmed'), undefined, path)
  }
  await page.goto(`/jobs/${jobId}/events/hostile`)
  await page.getByRole('heading', { level: 1, name: '⟨U+202E⟩' }).waitFor()
  assert.deepEqual(world.complaints, [])
  await page.context().close()
})

test('a wrong password is said, the right one opens the page; no secret is where scripts can read', {
  skip,
}, async () => {
  const page = await world.stranger()
  await page.goto(`/jobs/${world.jobId}/events`)
  await page.getByLabel('User name').fill('ann')
  await page.getByLabel('Password').fill('wrong')
  await page.keyboard.press('Enter')
  await page.getByText('Wrong user name or password').waitFor()
  await page.getByLabel('Password').fill('correct horse battery')
  await page.keyboard.press('Enter')
  await page.locator('.list-row').first().waitFor()
  const readable = await page.evaluate('JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])')
  assert.doesNotMatch(readable as string, /[\w-]{40,}/)
  await page.locator('summary', { hasText: 'Your menu' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.equal((await page.request.get('/api/v2/session')).status(), 401)
  await page.context().close()
})

test('the list of keys changes them, and they stay changed', { skip }, async () => {
  const page = await world.page('ann')
  await page.goto('/jobs')
  await page.locator('main table').waitFor()
  await page.keyboard.press('?')
  await page.getByRole('button', { name: 'Change the key of: Go to Events' }).click()
  await page.keyboard.press('s')
  await page.getByText('s is the key of “Skip” already.').waitFor()
  await page.getByRole('button', { name: 'Change the key of: Go to Events' }).click()
  await page.keyboard.press('w')
  await page.getByRole('button', { name: 'Change the key of: Go to Events' }).getByText('w', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.reload()
  await page.locator('main table').waitFor()
  await page.keyboard.press('w')
  await page.waitForURL(`**/jobs/${world.jobId}/events`)
  await page.keyboard.press('g')
  await page.keyboard.press('n')
  await page.waitForURL('**/jobs/feedback-flow/*')
  await page.context().close()
})

test('the palette finds places, jobs and commands; letters in an input are letters', { skip }, async () => {
  const page = await world.page('ann')
  await page.goto(`/jobs/feedback-flow/${world.jobId}`)
  await page.locator('.card .answer').waitFor()
  const shown = await textOf(page.locator('.card-head .mono'))
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('root causes')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/jobs/feedback-flow/${world.causeJobId}`)
  await page.goBack()
  await page.locator('.card .answer').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').pressSequentially('123')
  await page.keyboard.press('Escape')
  assert.equal(await textOf(page.locator('.card-head .mono')), shown)
  await page.context().close()
})

test('a person sees no control that would be refused', { skip }, async () => {
  const [ann, admin] = [await world.page('ann'), await world.page('admin')]
  for (const page of [ann, admin]) {
    await page.goto(`/use-cases/overview/${world.jobId}`)
    await page.locator('.numbers .big').first().waitFor()
  }
  assert.equal(await ann.getByRole('button', { name: 'Train' }).count(), 0)
  assert.ok((await admin.getByRole('button', { name: 'Train' }).count()) > 0)
  await ann.locator('summary', { hasText: 'Your menu' }).click()
  assert.equal(await ann.getByRole('link', { name: 'Audit log' }).count(), 0)
  for (const page of [ann, admin]) await page.context().close()
})

test('the theme is chosen by a key, and stays', { skip }, async () => {
  const page = await world.page('ann')
  await page.goto('/jobs')
  await page.locator('main table').waitFor()
  await page.keyboard.press('t')
  await page.keyboard.press('t')
  await page.reload()
  await page.locator('main table').waitFor()
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
  await page.context().close()
})

test('a page fits a phone: nothing is wider, and the answers are on the screen', { skip }, async () => {
  const page = await world.page('admin', { viewport: { width: 390, height: 844 } })
  for (const [path, shows] of await places()) {
    if (path === '/nothing-here') continue
    await page.goto(path)
    const isShown = await page
      .locator(shows)
      .first()
      .waitFor()
      .then(
        () => true,
        () => false,
      )
    assert.ok(isShown, `${path} shows ${shows}`)
    const width = await page.evaluate('document.querySelector("main").scrollWidth')
    assert.ok((width as number) <= 390, `${path} is ${width} wide`)
  }
  await page.goto(`/jobs/feedback-flow/${world.jobId}`)
  await page.locator('.card .answer').waitFor()
  const box = await page.locator('.votes button').nth(2).boundingBox()
  assert.ok(box !== null && box.x + box.width <= 390 && box.y + box.height <= 844, JSON.stringify(box))
  await page.context().close()
})
