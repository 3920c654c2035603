import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { source } from '../../../bench/harness/paths.js'
import { escaped, imageOf } from '../../../server/docs/html.js'

const BYTES_MAX = 1_500_000

test('a picture of the folder is shown with its words, and no other is loaded', () => {
  assert.equal(
    imageOf('screens/a-b.png', 'A "page"', 'v1'),
    '<img class="screen" src="/docs/assets/a-b.png?v=v1" alt="A &#34;page&#34;" loading="lazy">',
  )
  for (const href of ['https://elsewhere/a.png', '../a.png', 'screens/../a.png', 'a.svg'])
    assert.equal(imageOf(href, '<words>', 'v1'), escaped('<words>'))
})

test('every picture that the manual shows is there, each is shown, and they are small', () => {
  const text = readFileSync(source('server/docs/console.md'), 'utf8')
  const shown = [...text.matchAll(/\]\(screens\/([\w-]+\.png)\)/g)].map(([, name]) => name as string)
  const there = readdirSync(source('server/docs/screens'))
  assert.deepEqual(
    shown.filter((name) => !there.includes(name)),
    [],
  )
  const bytes = there.reduce((sum, name) => sum + statSync(source(`server/docs/screens/${name}`)).size, 0)
  assert.ok(bytes < BYTES_MAX, `${bytes} bytes`)
})
