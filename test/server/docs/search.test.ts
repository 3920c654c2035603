/** The search of the manual, with as much of a browser as it uses. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { FakeElement } from '../../support/browser.js'
import { eventually } from '../../support/client.js'

const index = [
  { page: 'Backup', heading: 'Backup', url: '/docs/backup' },
  { page: 'Backup', heading: 'Make a backup', url: '/docs/backup#make-a-backup' },
  { page: 'Upgrade', heading: 'Go back', url: '/docs/upgrade#go-back' },
  { page: 'Feedback', heading: 'Feedback', url: '/docs/feedback' },
]

class Part extends FakeElement {
  hidden = true
  readonly #runs = new Map<string, (event: { key?: string }) => void>()

  override addEventListener(type: string, run: (event: never) => void): void {
    this.#runs.set(type, run as (event: { key?: string }) => void)
  }

  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null
  }

  fire(type: string, key = ''): void {
    this.#runs.get(type)?.({ key })
  }
}

const box = new Part('input')
const list = new Part('ul')
const visited: string[] = []
const query: string[] = []
box.setAttribute('data-index', '/docs/assets/headings.json?v=1')
const browser = {
  document: {
    createElement: (tag: string) => new Part(tag),
    getElementById: (id: string) => (id === 'search' ? box : list),
  },
  location: { assign: (url: string) => visited.push(url) },
  fetch: async (url: string) => {
    query.push(url)
    return { json: async () => index }
  },
}
const realFetch = globalThis.fetch
let findHeadings: typeof import('../../../server/docs/search.js').findHeadings
// Not before: other files of the same process need the real fetch.
before(async () => {
  Object.assign(globalThis, browser)
  findHeadings = (await import('../../../server/docs/search.js')).findHeadings
})
after(() => {
  Reflect.deleteProperty(globalThis, 'document')
  Reflect.deleteProperty(globalThis, 'location')
  globalThis.fetch = realFetch
})

function urls(text: string): string[] {
  return findHeadings(index, text).map(({ url }) => url)
}

test('titles come before sections, and beginnings of words before their middles', () => {
  assert.deepEqual(urls('back'), [
    '/docs/backup',
    '/docs/backup#make-a-backup',
    '/docs/upgrade#go-back',
    '/docs/feedback',
  ])
  assert.deepEqual(urls('BACKUP make'), ['/docs/backup#make-a-backup'])
})

test('a section is found by its own words with those of its page', () => {
  assert.deepEqual(urls('upgrade go'), ['/docs/upgrade#go-back'])
  assert.deepEqual(urls('upgrade'), [])
  assert.deepEqual(urls('nothing like it'), [])
  assert.deepEqual(urls('  '), [])
})

test('what is typed is looked for, Enter goes to the first, Escape ends it', async () => {
  box.value = 'make'
  box.fire('input')
  await eventually(
    async () => list.textContent,
    (text) => text === 'Make a backup Backup',
  )
  assert.equal(list.hidden, false)
  assert.equal(list.all('a')[0]?.attributes.get('href'), '/docs/backup#make-a-backup')
  box.fire('keydown', 'Enter')
  assert.deepEqual(visited, ['/docs/backup#make-a-backup'])
  box.fire('keydown', 'Escape')
  await eventually(
    async () => list.hidden,
    (hidden) => hidden,
  )
  assert.equal(box.value, '')
  assert.deepEqual(query, ['/docs/assets/headings.json?v=1'])
})
