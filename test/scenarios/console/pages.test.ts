/** The files of the console, as browsers get them. What pages do is in test/browser/. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { MANAGEMENT_KEY, startService, type TestService } from '../../support/service.js'

/** What the first load may weigh, compressed. */
const SCRIPT_BYTES_MAX = 62 * 1024
const STYLE_BYTES_MAX = 12 * 1024

const addresses = [
  '/jobs',
  '/jobs/1',
  '/jobs/new',
  '/jobs/feedback-flow/1',
  '/use-cases/overview/1',
  '/jobs/1/events',
  '/jobs/1/events/a%2Fb',
  '/integrations',
  '/integrations/6/edit',
  '/operations',
  '/audit',
  '/people',
  '/api-keys/',
]

let service: TestService
before(async () => void (service = await startService()))
after(() => service.close())

function get(path: string, headers: Record<string, string> = {}) {
  return service.client.get(path, { key: null, headers })
}

/** Files that a text loads from the service. */
function filesIn(text: string): string[] {
  return [...text.matchAll(/\/console\/[\w-]+\.(?:js|css|svg)/g)].map(([path]) => path)
}

/** Scripts that are loaded with a script: those that it imports, and not those that it loads later. */
function importsIn(text: string): string[] {
  return [...text.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)].map(([, name]) => `/console/${name}`)
}

async function firstScripts(page: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const open = filesIn(page).filter((path) => path.endsWith('.js'))
  for (const path of open) {
    if (found.has(path)) continue
    const { status, text } = await get(path)
    assert.equal(status, 200, path)
    found.set(path, text)
    open.push(...importsIn(text))
  }
  return found
}

test('links in incidents lead to the console, and all that it loads is from the service', async () => {
  for (const path of addresses) {
    const page = await get(path)
    assert.equal(page.status, 200, path)
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'self'; /)
    assert.doesNotMatch(page.headers.get('content-security-policy') ?? '', /unsafe|data:|https?:|\*/)
    assert.doesNotMatch(page.text, /https?:\/\/|style=|<script>/)
    for (const file of filesIn(page.text)) assert.equal((await get(file)).status, 200, file)
  }
})

test('a browser gets the console at the root, and a program the links', async () => {
  assert.match((await get('/', { accept: 'text/html,*/*;q=0.8' })).text, /^<!doctype html>/)
  assert.equal((await get('/')).body.name, 'service')
})

test('a browser gets the console at an address that leads nowhere, and a program the error', async () => {
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
  for (const path of ['/nowhere', '/jobs/1/events/a/b/c', '/nowhere/deep/']) {
    const page = await get(path, { accept })
    assert.equal(page.status, 404, path)
    assert.match(page.text, /^<!doctype html>/, path)
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'self'; /)
    assert.equal((await get(path, { accept, 'if-none-match': page.headers.get('etag') as string })).status, 404)
    assert.deepEqual((await get(path)).body, { error: 'not found' })
  }
  for (const path of ['/api/v1/nowhere', '/console/nowhere.js']) {
    const { status, text } = await get(path, { accept })
    assert.deepEqual([status, text], [404, '{"error":"not found"}'], path)
  }
})

test('a file is kept for good, the page is asked for again and has not changed', async () => {
  const page = await get('/jobs', { 'accept-encoding': 'gzip' })
  const tag = page.headers.get('etag') as string
  assert.equal(page.headers.get('cache-control'), 'no-cache')
  const again = await get('/jobs', { 'if-none-match': tag, 'accept-encoding': 'gzip' })
  assert.equal(again.status, 304)
  assert.equal(again.text, '')
  const [script] = filesIn((await get('/jobs')).text).filter((path) => path.endsWith('.js'))
  const file = await get(script as string)
  assert.match(file.headers.get('cache-control') ?? '', /immutable/)
  assert.equal(file.headers.get('x-content-type-options'), 'nosniff')
})

test('files are sent compressed to whom they may be', async () => {
  const plain = await fetch(`${service.baseUrl}/jobs`, { headers: { 'accept-encoding': 'identity' } })
  assert.equal(plain.headers.get('content-encoding'), null)
  const zipped = await fetch(`${service.baseUrl}/jobs`, { headers: { 'accept-encoding': 'gzip, br' } })
  assert.equal(zipped.headers.get('content-encoding'), 'gzip')
  assert.equal(await zipped.text(), await plain.text())
})

test('every part that is loaded late is there', async () => {
  const found = new Set((await firstScripts((await get('/jobs')).text)).keys())
  for (const path of found) {
    const { status, text } = await get(path)
    assert.equal(status, 200, path)
    for (const [, name] of text.matchAll(/(?:from|import)\s*\(?"\.\/([^"]+\.js)"/g)) found.add(`/console/${name}`)
  }
  assert.ok([...found].some((path) => /uplot/i.test(path)))
  assert.ok(found.size > 8)
})

test('the page asks for the first answers while its program is loaded, in few files', async () => {
  const { text } = await get('/jobs')
  const early = [...text.matchAll(/<link rel="preload" as="fetch" crossorigin href="([^"]+)">/g)].map(
    ([, path]) => path,
  )
  assert.deepEqual(early, ['/api/v2/session', '/api/v2/jobs/', '/api/v2/resources?resource_type=job'])
  for (const path of early) {
    assert.equal((await get(path as string)).status, 401, path)
    assert.equal((await service.client.get(path as string)).status, 200, path)
  }
  assert.ok((await firstScripts(text)).size <= 8)
})

test('nothing but files of the console is under its path', async () => {
  for (const name of ['other.js', 'index.html', '..%2findex.html', '%2e%2e%2fpackage.json', 'main.js.map', ''])
    assert.equal((await get(`/console/${name}`)).status, 404, name)
})

test('the first load is small', async () => {
  const { text } = await get('/jobs')
  const scripts = [...(await firstScripts(text)).values()]
  const bytes = scripts.reduce((sum, script) => sum + gzipSync(script).length, 0)
  assert.ok(bytes < SCRIPT_BYTES_MAX, `${bytes} bytes of scripts`)
  const styles = filesIn(text).filter((path) => path.endsWith('.css'))
  assert.ok(styles.length > 0)
  for (const path of styles) assert.ok(gzipSync((await get(path)).text).length < STYLE_BYTES_MAX, path)
})

test('the pages need no key, and show nothing without one', async () => {
  const { text } = await get('/jobs/feedback-flow/1')
  assert.doesNotMatch(text, new RegExp(MANAGEMENT_KEY))
  assert.equal((await get('/api/v2/jobs')).status, 401)
})
