/**
 * `npm run docs:screenshots`: makes the pictures of the console that the manual shows (server/docs/screens/), from a
 * service that has learned something of a generated stream.
 */
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { generatedStream } from '../../../bench/demo/stream.js'
import { source } from '../../../bench/harness/paths.js'
import { ADMIN_PASSWORD, startService } from '../../support/service.js'
import { launch, skip } from './browser.js'
import { makeJobs, sendAlerts, sendEvents } from './world.js'

const EVENTS = 900
const BYTES_MAX = 1_500_000
const SETTLED_MS = 1_500
const folder = source('server/docs/screens')

interface Shot {
  readonly name: string
  readonly path: string
  /** What shows that the page is there. */
  readonly shows: string
  readonly before?: (page: Page) => Promise<void>
}

function shotsOf(jobId: number, clusters: string): Shot[] {
  return [
    {
      name: 'new-job',
      path: '/jobs/new',
      shows: '.drop',
      before: async (page) => {
        await page.getByRole('button', { name: 'Try it' }).click()
        await page.locator('.fields table').waitFor()
      },
    },
    {
      name: 'next',
      path: `/jobs/feedback-flow/${jobId}`,
      shows: '.card .facts',
      // The next one has a decision of the model.
      before: async (page) => {
        await page.keyboard.press('s')
        await page.locator('.card .effect').first().waitFor()
      },
    },
    {
      name: 'events',
      path: `/jobs/${jobId}/events?q=confidence%3C95`,
      shows: '.list-row',
      before: async (page) => {
        for (const key of ['j', 'x', 'j', 'j', 'Shift+X']) await page.keyboard.press(key)
      },
    },
    { name: 'event', path: `/jobs/${jobId}/events/e-700`, shows: '.tree' },
    { name: 'job', path: `/use-cases/overview/${jobId}`, shows: '.numbers .big' },
    { name: 'cluster', path: clusters, shows: '.cluster-tree' },
    {
      name: 'keys',
      path: `/jobs/${jobId}/events`,
      shows: '.list-row',
      before: async (page) => {
        await page.keyboard.press('?')
        await page.locator('.key-list').waitFor()
      },
    },
  ]
}

async function main(): Promise<void> {
  if (skip !== false) throw new Error(skip)
  const service = await startService()
  const browser = await launch()
  try {
    const { client } = service
    const stream = generatedStream(5, EVENTS)
    const { jobId, causeJobId } = await makeJobs(client, stream)
    await sendEvents(client, jobId, stream)
    await sendAlerts(client, causeJobId)
    const { clusters } = (await client.get(`/api/v2/jobs/${causeJobId}/clusters`)).body
    const viewport = { width: 1280, height: 800 }
    const context = await browser.newContext({ baseURL: service.baseUrl, viewport, colorScheme: 'light' })
    const data = { username: 'admin', password: ADMIN_PASSWORD }
    await context.request.post('/api/v2/session', { data, headers: { 'x-requested-with': 'screenshots' } })
    mkdirSync(folder, { recursive: true })
    for (const { name, path, shows, before } of shotsOf(
      jobId,
      `/jobs/${causeJobId}/clusters/${clusters[0].cluster_id}`,
    )) {
      const page = await context.newPage()
      await page.goto(path)
      await page.locator(shows).first().waitFor()
      await before?.(page)
      // The page's stream never ends, so the network is never idle.
      await page.waitForTimeout(SETTLED_MS)
      await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
      await page.close()
    }
  } finally {
    await browser.close()
    await service.close()
  }
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  console.log(`${readdirSync(folder).length} pictures, ${Math.round(bytes / 1000)} KB, in ${folder}`)
  if (bytes > BYTES_MAX) throw new Error(`the pictures have more than ${BYTES_MAX} bytes`)
}

await main()
