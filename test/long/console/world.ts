/** A service with a job that has learned something, people who may look at it, and a browser. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { generatedStream, type DemoStream } from '../../../bench/demo/stream.js'
import { eventually as until, type Client } from '../../support/client.js'
import { ADMIN_PASSWORD, startService, type TestService } from '../../support/service.js'
import { launch } from './browser.js'

export const PASSWORD = 'correct horse battery'
/** A wait ends when it comes true. The limit is for a machine that does many other things. */
export const WAIT_MS = 60_000
const EVENTS = 900
const VOTES = 60

/** Asks until the answer holds. */
export function eventually<T>(ask: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  return until(ask, holds, WAIT_MS)
}

/** The text of the first element. */
export async function textOf(locator: Locator): Promise<string> {
  return (await locator.first().textContent()) ?? ''
}

/** Texts that would do harm if they were taken for anything but text. */
export const hostile = {
  title: '<img src=x onerror="window.harmed=1">\u202Egnp.exe',
  script: '<script>window.harmed=1</script>',
  name: '"><svg onload=window.harmed=1>',
  long: 'x'.repeat(1_000_000),
}

export interface World {
  readonly service: TestService
  readonly client: Client
  readonly jobId: number
  /** A root cause job. */
  readonly causeJobId: number
  /** A page that this person is signed in to. */
  page(user: 'ann' | 'bob' | 'admin', options?: BrowserContextOptions): Promise<Page>
  /** A page that nobody is signed in to. */
  stranger(options?: BrowserContextOptions): Promise<Page>
  /** What pages have complained about. */
  readonly complaints: string[]
  close(): Promise<void>
}

async function post(client: Client, path: string, body: unknown): Promise<any> {
  const answer = await client.post(path, body)
  assert.ok(answer.status < 300, `${path}: ${answer.text}`)
  return answer.body
}

export async function makeJobs(client: Client, stream: DemoStream): Promise<{ jobId: number; causeJobId: number }> {
  const custom_labels = stream.labels.map((name, at) => ({ name, hex_color: ['#ED0A2C', '#1264FE', '#9A00FF'][at] }))
  const { created } = await post(client, '/api/v2/resources', {
    resources: {
      job: {
        type: 'job',
        properties: {
          title: 'Alert triage',
          category: 'Decision intelligence',
          decision_points: [...stream.points],
          advanced_settings: { custom_labels },
        },
      },
      causes: {
        type: 'job',
        properties: {
          title: 'Root causes',
          category: 'Automated root cause analysis',
          decision_points: ['alertname', 'host'],
        },
      },
    },
  })
  const idOf = (title: string): number => Number(created.find((one: any) => one.title === title).internal_id)
  return { jobId: idOf('Alert triage'), causeJobId: idOf('Root causes') }
}

export async function sendEvents(client: Client, jobId: number, stream: DemoStream): Promise<void> {
  const lines = stream.events.map(({ json }, at) => {
    const body = JSON.parse(json) as { rule?: { name?: string } }
    return JSON.stringify({ job_id: jobId, event_id: `e-${at}`, title: body.rule?.name ?? 'Alert', raw_body: body })
  })
  const half = Math.floor(lines.length / 2)
  await client.bulk(lines.slice(0, half).join('\n'))
  for (let at = 0; at < VOTES; at++) {
    const index = Math.floor((at * half) / VOTES)
    const feedback = stream.labels[stream.events[index]!.truth]
    const path = `/api/v1/events/${jobId}/e-${index}/feedback`
    assert.equal((await client.put(path, { cortex_user: at % 2 === 0 ? 'carl' : 'dora', feedback })).status, 200)
  }
  // Two people who do not agree, for the page of buckets.
  const disagreed = `/api/v1/events/${jobId}/e-0/feedback`
  for (const [cortex_user, feedback] of [
    ['carl', 'Drop'],
    ['dora', 'Escalate'],
  ])
    assert.equal((await client.put(disagreed, { cortex_user, feedback })).status, 200)
  await post(client, `/api/v1/jobs/${jobId}/train`, undefined)
  // A machine that does other things as well may take a minute.
  for (let tries = 0; tries < 600; tries++) {
    const { body } = await client.get(`/api/v1/jobs/${jobId}`)
    if (body.retrain_state === 'RETRAIN_FINISHED') break
    await sleep(200)
  }
  await client.bulk(lines.slice(half).join('\n'))
}

export async function sendAlerts(client: Client, jobId: number): Promise<void> {
  const start = Date.now() - 3_600_000
  for (let cluster = 0; cluster < 3; cluster++) {
    for (const [at, alertname] of ['DiskFull', 'DatabaseDown', 'ApiErrors', 'HighLatency'].entries()) {
      const startsAt = new Date(start + cluster * 600_000 + at * 20_000).toISOString()
      await post(client, `/api/v1/events/a-${cluster}-${at}`, {
        job_id: jobId,
        title: alertname,
        raw_body: { alertname, host: `node-${cluster}`, startsAt },
      })
    }
  }
}

/** Starts all of it. */
export async function makeWorld(): Promise<World> {
  const service = await startService()
  const { client } = service
  const stream = generatedStream(5, EVENTS)
  const ids = await makeJobs(client, stream)
  await sendEvents(client, ids.jobId, stream)
  await sendAlerts(client, ids.causeJobId)
  await post(client, '/api/v1/events/hostile', {
    job_id: ids.jobId,
    title: hostile.title,
    raw_body: {
      rule: { name: hostile.script, id: hostile.name },
      [hostile.name]: [hostile.script],
      text: hostile.long,
    },
  })
  for (const username of ['ann', 'bob'])
    await post(client, '/api/v2/users', { username, password: PASSWORD, role: 'analyst' })
  const browser: Browser = await launch()
  const complaints: string[] = []
  const stranger = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({
      baseURL: service.baseUrl,
      viewport: { width: 1440, height: 900 },
      ...options,
    })
    const page = await context.newPage()
    page.setDefaultTimeout(WAIT_MS)
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (/Content Security Policy|TrustedHTML/i.test(message.text())) complaints.push(message.text())
    })
    page.on('dialog', (dialog) => {
      complaints.push(`a dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    return page
  }
  return {
    service,
    client,
    ...ids,
    complaints,
    stranger,
    async page(user, options) {
      const page = await stranger(options)
      const data = { username: user, password: user === 'admin' ? ADMIN_PASSWORD : PASSWORD }
      const headers = { 'x-requested-with': 'test' }
      assert.equal((await page.request.post('/api/v2/session', { data, headers })).status(), 200)
      return page
    },
    async close() {
      await browser.close()
      await service.close()
    },
  }
}
