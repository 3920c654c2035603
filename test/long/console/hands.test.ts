/** What people's hands do: names that are swapped, and other slips of a long day. */
import assert from 'node:assert/strict'
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
    await page.getByRole('button', { name: 'See what changes' }).click()
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
  await page.getByRole('button', { name: 'See what changes' }).click()
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
  await ann.getByText('It is yours now.').waitFor()
  await bob.unroute('**/assignment')
  await bob.keyboard.press('a')
  await bob.getByText('ann has it. Take it over?').waitFor()
  assert.equal(await assignee(), 'ann')
  await bob.getByRole('button', { name: 'Cancel' }).click()
  assert.equal(await assignee(), 'ann')
  await bob.keyboard.press('a')
  await bob.getByRole('button', { name: 'Take over' }).click()
  await eventually(assignee, (name) => name === 'bob')
  await bob.keyboard.press('u')
  await eventually(assignee, (name) => name === 'ann')
  for (const page of [ann, bob]) await page.context().close()
})
