/** The manual, as the service shows it. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { startService, type TestService } from '../support/service.js'

let service: TestService

before(async () => {
  service = await startService()
})
after(() => service.close())

const names = readdirSync('server/docs')
  .filter((file) => file.endsWith('.md') && file !== 'README.md')
  .map((file) => file.slice(0, -3))
const paths = ['/docs', ...names.map((name) => `/docs/${name}`)]

function get(path: string) {
  return service.client.get(path, { key: null })
}

test('every page is shown without a key, under the policy of all pages', async () => {
  assert.ok(names.length >= 12)
  for (const path of paths) {
    const page = await get(path)
    assert.equal(page.status, 200, path)
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self'/)
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff')
    assert.doesNotMatch(page.text, /<script>|<style|\son\w+=/)
  }
})

test('every link leads somewhere, and everything that a page loads comes from the service', async () => {
  const pages = new Map(await Promise.all(paths.map(async (path) => [path, (await get(path)).text] as const)))
  const others = new Set<string>()
  for (const [path, text] of pages) {
    for (const [, tag, href] of text.matchAll(/<(\w+) [^>]*?(?:href|src|data-index)="([^"]+)"/g)) {
      if (tag === 'a' && href!.startsWith('https://')) continue
      const [to = '', anchor] = href!.split('#')
      const target = pages.get(to === '' ? path : to)
      if (target === undefined) others.add(to)
      else if (anchor !== undefined) assert.ok(target.includes(`id="${anchor}"`), `${path}: ${href}`)
    }
  }
  assert.ok(others.has('/docs/exposer'))
  for (const path of others) assert.equal((await get(path)).status, 200, path)
})

test('the search index leads to existing headings', async () => {
  const { body } = await get('/docs/assets/headings.json')
  assert.ok(body.length > 80)
  for (const { url, heading } of body) {
    const [path, anchor] = url.split('#')
    assert.ok((await get(path)).text.includes(anchor === undefined ? '<h1' : `id="${anchor}"`), `${heading}: ${url}`)
  }
})

test('other pages do not exist', async () => {
  for (const name of ['none', 'README', 'concepts.md', 'concepts.html', '..%2fsearch', '%00', '__proto__', 'assets'])
    assert.equal((await get(`/docs/${name}`)).status, 404, name)
})
