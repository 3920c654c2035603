/** What is on every page: signing in, keys, the palette, themes; and that hostile texts stay texts. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { skip } from './browser.js'
import { makeWorld, textOf, type World } from './world.js'

let world: World
before(async () => {
  if (skip === false) world = await makeWorld()
})
after(async () => world?.close())

test('no page takes the text of an event for anything but text', { skip }, async () => {
  const page = await world.page('admin')
  const { jobId } = world
  for (const [path, shows] of [
    [`/jobs/feedback-flow/${jobId}`, '.card .answer'],
    [`/jobs/${jobId}/events`, '.list-row'],
    [`/jobs/${jobId}/events?q=label:*&sort=outlier_score`, '.list-row'],
    [`/jobs/${jobId}/events/hostile`, '.tree'],
    [`/jobs/${jobId}/events?q=${encodeURIComponent('rule.name:"<script>window.harmed=1</script>"')}`, '.list-row'],
    [`/jobs/${jobId}/events/${encodeURIComponent('<img src=x onerror=window.harmed=1>')}`, '.empty'],
  ] as const) {
    await page.goto(path)
    await page.locator(shows).first().waitFor()
    // Markup in a text would have become elements with it, and their handlers run before the next frame but one.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
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
  const secrets = (await page.context().cookies()).map(({ value }) => value)
  assert.equal(secrets.length, 1)
  for (const secret of [...secrets, 'correct horse battery']) assert.ok(!(readable as string).includes(secret))
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
  await page.getByRole('button', { name: 'Change the key for: Go to Events' }).click()
  await page.keyboard.press('s')
  await page.getByText('s is already the key for “Skip”.').waitFor()
  await page.getByRole('button', { name: 'Change the key for: Go to Events' }).click()
  await page.keyboard.press('w')
  await page.getByRole('button', { name: 'Change the key for: Go to Events' }).getByText('w', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.reload()
  await page.locator('main table').waitFor()
  await page.keyboard.press('w')
  await page.waitForURL(`**/jobs/${world.jobId}/events`)
  await page.keyboard.press('g')
  await page.keyboard.press('n')
  await page.waitForURL('**/jobs/feedback-flow/*')
  await page.locator('.card .answer').waitFor()
  assert.match(await textOf(page.getByRole('button', { name: 'Skip' })), /Skip\s*s$/)
  await page.keyboard.press('?')
  await page.getByRole('button', { name: 'Change the key for: Skip' }).click()
  await page.keyboard.press('y')
  await page.getByRole('button', { name: 'Change the key for: Skip' }).getByText('y', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
  assert.match(await textOf(page.getByRole('button', { name: 'Skip' })), /Skip\s*y$/, 'buttons show the keys of now')
  await page.context().close()
})

test('g and a letter goes to each page, in jobs of each kind', { skip }, async () => {
  const page = await world.page('admin')
  await page.goto(`/jobs/feedback-flow/${world.jobId}`)
  await page.locator('.card .answer').waitFor()
  for (const [letter, path] of [
    ['e', `/jobs/${world.jobId}/events`],
    ['b', `/jobs/${world.jobId}/buckets`],
    ['j', `/use-cases/overview/${world.jobId}`],
    ['n', `/jobs/feedback-flow/${world.jobId}`],
    ['l', '/jobs'],
    ['i', '/integrations'],
    ['o', '/operations'],
    ['a', '/audit'],
    ['p', '/people'],
    ['k', '/api-keys'],
  ] as const) {
    await page.keyboard.press('g')
    await page.keyboard.press(letter)
    await page.waitForURL(`**${path}`)
  }
  await page.goto(`/jobs/feedback-flow/${world.causeJobId}`)
  await page.locator('.places').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await page.waitForURL(`**/jobs/${world.causeJobId}/clusters`)
  await page.context().close()
})

test('the palette finds places, jobs and commands; letters in an input are letters', { skip }, async () => {
  const page = await world.page('ann')
  await page.goto(`/jobs/feedback-flow/${world.jobId}`)
  await page.locator('.card .answer').waitFor()
  const shown = await textOf(page.locator('.card-head .mono'))
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill('root causes')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/jobs/feedback-flow/${world.causeJobId}`)
  await page.goBack()
  await page.locator('.card .answer').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill('triage: replays')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/jobs/${world.jobId}/replays`)
  await page.goBack()
  await page.locator('.card .answer').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').pressSequentially('123')
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
