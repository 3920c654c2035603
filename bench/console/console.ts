/**
 * The console's budgets in a real browser: what it loads, when it answers, keys, lists over a million events, rows in
 * the document, memory.
 *
 * Times are taken by the page (probe.ts), so they hold the way to the service, its answer, and the frame that shows it.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { browserMissing, browserPath, launchBrowser } from '../harness/browser.js'
import type { RunSize, Row, Step } from '../harness/result.js'
import { linesFile, withSubject, type Subject } from '../harness/trained.js'
import { driveBulk } from '../load/drive.js'
import { loadedBytes, probe } from './probe.js'

const KEYS = 60
const LOADS = 9
const LISTS = 40
const ROWS = 10_000
const [SCRIPT_KB, STYLE_KB, READY_MS, KEY_MS, LIST_MS, ROWS_MAX, MEMORY_MB] = [60, 12, 300, 50, 50, 80, 60]

/** Queries by turns, so that the first row changes. */
const queries: readonly (readonly [what: string, first: string, second: string])[] = [
  ['label', 'label:Escalate', 'label:Drop'],
  ['confidence and label', 'confidence<60 label:Drop', 'confidence<60 label:Escalate'],
  ['outlier', 'outlier:true label:Escalate', 'outlier:true label:Drop'],
  ['state', 'state:in_knowledge_base label:Drop', 'state:in_knowledge_base label:Escalate'],
  ['decision point', 'rule.name:A*', 'rule.name:S*'],
]

function quantile(values: readonly number[], q: number): number {
  return [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] as number
}

type Amount = readonly [ours: number, unit: string]

function row(what: string, [ours, unit]: Amount, most: number, more: Partial<Row> = {}): Row {
  return { what, ours, unit, bar: `at most ${most} ${unit.split(',')[0]}`, met: ours <= most, ...more }
}

function loadRow(what: string, shows: string, times: readonly number[]): Row {
  const slowest = Math.max(...times).toFixed(0)
  const note = `median of ${LOADS} loads, from the address to the painted ${shows}; slowest ${slowest} ms`
  return row(what, [quantile(times, 0.5), 'ms'], READY_MS, { note })
}

function timeRow(what: string, times: readonly number[], most: number): Row {
  const spread = { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) }
  return row(what, [quantile(times, 0.95), 'ms, p95'], most, spread)
}

interface Site {
  readonly browser: Browser
  readonly subject: Subject
  readonly baseURL: string
}

async function signedIn({ browser, subject, baseURL }: Site): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL, viewport: { width: 1440, height: 900 } })
  await context.addInitScript({ content: probe })
  const headers = { 'x-requested-with': 'bench' }
  const answer = await context.request.post('/api/v2/session', { data: { key: subject.managementKey }, headers })
  if (answer.status() !== 200) throw new Error(`signing in answered ${answer.status()}`)
  return context
}

/** The value of an expression when there is one. Playwright's own wait needs `eval`, which the pages forbid. */
async function until(page: Page, expression: string): Promise<unknown> {
  for (let tries = 0; tries < 3_000; tries++) {
    const value = await page.evaluate(expression)
    if (value !== undefined && value !== false) return value
    await page.waitForTimeout(10)
  }
  throw new Error(`${expression} did not come true`)
}

/** Loads a page in a browser that knows nothing of it, and says when it was ready. */
async function firstLoads(site: Site, path: string, name: 'events' | 'next'): Promise<{ ms: number[]; page: Page }> {
  const ms: number[] = []
  for (let load = 0; ; load++) {
    const context = await signedIn(site)
    const page = await context.newPage()
    await page.goto(path)
    const shown = (await until(page, `window.probe.shown.${name}`)) as number
    // The first one finds the browser itself and the service cold.
    if (load > 0) ms.push(shown)
    if (load === LOADS) return { ms, page }
    await context.close()
  }
}

async function loadRows(site: Site): Promise<Row[]> {
  const { jobId } = site.subject
  const next = await firstLoads(site, `/jobs/feedback-flow/${jobId}`, 'next')
  const bytes = (await next.page.evaluate(loadedBytes)) as { js: number; css: number; files: number }
  await next.page.context().close()
  const events = await firstLoads(site, `/jobs/${jobId}/events`, 'events')
  await events.page.context().close()
  const note = `all that the page Next needs: ${bytes.files} files, nothing in the cache`
  return [
    row('first load: scripts, gzip', [bytes.js / 1024, 'KB'], SCRIPT_KB, { note }),
    row('first load: styles, gzip', [bytes.css / 1024, 'KB'], STYLE_KB),
    loadRow('Next can be answered, cold cache', 'answers', next.ms),
    loadRow('Events are listed, cold cache', 'rows', events.ms),
  ]
}

async function keyTimes(page: Page, keys: readonly string[], rounds: number): Promise<number[]> {
  await page.evaluate('window.probe.keys.length = 0')
  for (let n = 0; n < rounds; n++) {
    await page.keyboard.press(keys[n % keys.length] as string)
    await page.waitForTimeout(30)
  }
  await until(page, `window.probe.keys.length >= ${rounds}`)
  return (await page.evaluate('window.probe.keys')) as number[]
}

async function keyRows(site: Site): Promise<Row[]> {
  const { jobId } = site.subject
  const context = await signedIn(site)
  const page = await context.newPage()
  await page.goto(`/jobs/feedback-flow/${jobId}`)
  await page.locator('.card .answer-bar button').first().waitFor()
  const next = await keyTimes(page, ['s', 's', 'e', 'j', 'k'], KEYS)
  const votes = await keyTimes(page, ['1', '2', '3'], KEYS / 2)
  await page.goto(`/jobs/${jobId}/events`)
  await page.locator('.list-row').first().waitFor()
  const list = await keyTimes(page, ['j', 'j', 'x', 'j', 'k'], KEYS)
  await page.keyboard.press('/')
  const typed = await keyTimes(page, [...'label:Drop host.name:web-'], KEYS / 2)
  await context.close()
  return [
    timeRow('a key to its paint: Next (skip, why, up, down)', next, KEY_MS),
    timeRow('a key to its paint: a vote in Next', votes, KEY_MS),
    timeRow('a key to its paint: Events (up, down, select)', list, KEY_MS),
    timeRow('a key to its paint: typing a query', typed, KEY_MS),
  ]
}

async function listRows(site: Site, events: number): Promise<Row[]> {
  const context = await signedIn(site)
  const page = await context.newPage()
  await page.goto(`/jobs/${site.subject.jobId}/events`)
  await page.locator('.list-row').first().waitFor()
  const rows: Row[] = []
  const input = page.getByRole('searchbox')
  for (const [what, ...pair] of queries) {
    const times: number[] = []
    for (let n = 0; n <= LISTS; n++) {
      await input.fill(pair[n % 2] as string)
      const rowsThere = page.evaluate('window.probe.nextRows()') as Promise<number>
      // The page waits for the key now.
      await until(page, 'window.probe.waiting !== null')
      await page.keyboard.press('Enter')
      const ms = await rowsThere
      if (n > 0) times.push(ms)
    }
    rows.push(timeRow(`Enter to the rows, ${events} events: ${what}`, times, LIST_MS))
  }
  await context.close()
  return rows
}

async function memoryRows(site: Site): Promise<Row[]> {
  const context = await signedIn(site)
  const page = await context.newPage()
  await page.goto(`/jobs/${site.subject.jobId}/events`)
  await page.locator('.list-row').first().waitFor()
  const last = (): Promise<number> =>
    page.evaluate(`Number([...document.querySelectorAll('.list-row')].at(-1).dataset.at)`) as Promise<number>
  while ((await last()) < ROWS) {
    await page.evaluate(
      `(() => { const list = document.querySelector('.list'); list.scrollTop = list.scrollHeight })()`,
    )
    await page.waitForTimeout(10)
  }
  const session = await context.newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  const rowsMax = (await page.evaluate('window.probe.rowsMax')) as number
  await context.close()
  return [
    row('rows in the document, at most', [rowsMax, 'rows'], ROWS_MAX),
    row(`memory after ${ROWS} rows`, [usedSize / 1e6, 'MB'], MEMORY_MB, {
      note: 'the heap of scripts after a collection',
    }),
  ]
}

async function measure(subject: Subject, size: RunSize, path: string): Promise<Row[]> {
  const { port } = subject.service
  size.log(`storing ${size.million} events`)
  const { file } = linesFile(subject, 51_200)
  await driveBulk({ port, file, headers: subject.headers, connections: 1, seconds: 0, events: size.million, rate: 0 })
  for (;;) {
    const body = { job_ids: subject.jobId, count: true, within_ms: 2_000 }
    const answer = (await subject.service.client.ask('POST', '/api/v2/events/list', body)) as {
      total_count_is_exact: boolean
    }
    if (answer.total_count_is_exact) break
  }
  const browser = await launchBrowser(path)
  const site = { browser, subject, baseURL: `http://127.0.0.1:${port}` }
  try {
    return [
      ...(await loadRows(site)),
      ...(await keyRows(site)),
      ...(await listRows(site, size.million)),
      ...(await memoryRows(site)),
    ]
  } finally {
    await browser.close()
  }
}

async function run(size: RunSize): Promise<Row[]> {
  const path = browserPath()
  if (path === null)
    return [{ what: 'the console in a browser', ours: null, unit: '', bar: '', met: null, note: browserMissing }]
  return withSubject((subject) => measure(subject, size, path))
}

export const consoleBudgets: Step = { name: 'console', run }
