/** The manual in the repository, and how Markdown becomes pages. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isScope } from '../../../engine/api/scopes.js'
import { mappings } from '../../../engine/resource/mappings/mappings.js'
import { settingsTable } from '../../../server/config.js'
import { makeManual } from '../../../server/docs/manual.js'
import { routes } from '../../../server/routes/index.js'

const folder = 'server/docs'
const texts = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => [file.slice(0, -3), readFileSync(join(folder, file), 'utf8')]),
)

function manualOf(pages: Readonly<Record<string, string>>) {
  const list = Object.keys(pages).map((name) => `- [${name}](${name}.md)`)
  const index = `# Manual\n\n## Pages\n\n${list.join('\n')}\n`
  return makeManual(new Map([['README', index], ...Object.entries(pages)]), 'v')
}

function htmlOf(markdown: string): string {
  const html = manualOf({ page: `# Page\n\n${markdown}`, other: '# Other\n\n## Some `code`, and more\n' }).pages[1]!
    .html
  return html.slice(html.indexOf('<main'), html.indexOf('</main>'))
}

test('every page is short, and its second paragraph is one line that says what it answers', () => {
  for (const [name, text] of texts) {
    const lines = text.split('\n')
    assert.ok(lines.length <= 200, name)
    assert.match(lines[0]!, /^# \S/, name)
    assert.match(lines[2]!, /^[A-Z].*\.$/, name)
    assert.equal(lines[3], '', name)
  }
})

test('no example decides on a field that the field mappings advise against', () => {
  const avoided = new Set(mappings.flatMap(({ avoid }) => avoid.map(({ path }) => path)))
  assert.ok(avoided.has('source.ip'))
  const places = [...texts, ...routes.map((route) => [route.operationId, JSON.stringify(route.bodyExample ?? null)])]
  let examples = 0
  for (const [name, text] of places) {
    for (const [, points] of text!.matchAll(/"(?:decision_points|features)": ?\[([^\]]*)\]/g)) {
      examples++
      for (const [, path] of points!.matchAll(/"([^"]*)"/g)) assert.ok(!avoided.has(path!), `${name}: ${path}`)
    }
  }
  assert.ok(examples >= 4)
})

test('every page is made, and each of its headings is in the index for the search', () => {
  const { pages, headings } = makeManual(texts, 'v')
  assert.deepEqual(pages.map(({ name }) => name).sort(), [...texts.keys()].sort())
  for (const [name, text] of texts) {
    const found = headings.filter(({ url }) => url.split('#')[0] === (name === 'README' ? '/docs' : `/docs/${name}`))
    const written = [...text.replace(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, title]) => title!)
    assert.deepEqual(
      found.map(({ heading }) => heading),
      written.map((title) => title.replaceAll('`', '')),
    )
  }
})

test('a file of the repository that a page links to exists', () => {
  for (const [name, text] of texts) {
    for (const [, href] of text.matchAll(/\]\((\.\.[^)#]+)/g))
      assert.ok(existsSync(join(folder, href!)), `${name}: ${href}`)
  }
})

test('every operation, setting and scope that the manual names is one', () => {
  const settings = Object.values(settingsTable).map(({ name }) => name as string)
  const patterns = routes.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replace(/\/$/, '').replace(/\{\w+\}/g, '[^/]+')}/?$`),
  }))
  for (const [name, text] of texts) {
    for (const [, method, path] of text.matchAll(/\b(GET|POST|PUT|DELETE) (\/[\w{}/.-]+)/g))
      assert.ok(
        patterns.some((route) => route.method === method && route.pattern.test(path!)),
        `${name}: ${method} ${path}`,
      )
    for (const [, path] of text.matchAll(/"\$BASE(\/[^"?]+)/g))
      assert.ok(
        patterns.some(({ pattern }) => pattern.test(path!)),
        `${name}: ${path}`,
      )
    for (const [setting] of text.matchAll(/\b(?:SERVICE|OTEL)_[A-Z_]*[A-Z]\b/g))
      assert.ok(settings.includes(setting), `${name}: ${setting}`)
    for (const [, scope] of text.matchAll(/`((?:read|write|delete|execute):\w+)`/g))
      assert.ok(isScope(scope!), `${name}: ${scope}`)
  }
})

test('what is written is text and no HTML', () => {
  const html = htmlOf(
    'A <script>alert(1)</script> <b onclick="x">b</b> `<i>` & ![<u>](x)\n\n<div>block</div>\n\n```html\n<p>\n```\n',
  )
  assert.doesNotMatch(html, /<script|<b |<i>|<u>|<div>|<img|alert\(1\)<\/script/)
  assert.match(html, /&#60;script&#62;alert\(1\)/)
  assert.match(html, /<code>&lt;i&gt;<\/code>/)
  const { pages, headings } = manualOf({ page: '# A <b>"title"\n\n## <i>\n' })
  assert.doesNotMatch(pages[1]!.html, /<b>|<i>/)
  assert.equal(headings[2]?.heading, 'A <b>"title"')
})

test('links lead to pages and their headings, where they are served', () => {
  const html = htmlOf(
    '[a](other.md) [b](other.md#some-code-and-more) [c](README.md) [d](#page) [e](https://example.org/?a=1&b="2")',
  )
  assert.deepEqual(
    [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href),
    [
      '/docs/other',
      '/docs/other#some-code-and-more',
      '/docs',
      '/docs/page#page',
      'https://example.org/?a=1&#38;b=&#34;2&#34;',
    ],
  )
})

test('a link to another file of the repository, or to a script, is text', () => {
  const html = htmlOf('[the design](../../engine/DESIGN.md) [run](javascript:alert(1)) [data](data:text/html,x)')
  assert.doesNotMatch(html, /<a /)
  assert.match(html, /the design/)
})

test('a link to what does not exist is refused, and so is a page that no list has', () => {
  assert.throws(() => htmlOf('[a](none.md)'), /page\.md links to none\.md, and there is no such page/)
  assert.throws(() => htmlOf('[a](other.md#none)'), /no such heading/)
  assert.throws(() => htmlOf('[a](#none)'), /no such heading/)
  assert.throws(
    () =>
      makeManual(
        new Map([
          ['README', '# Manual\n'],
          ['page', '# Page\n'],
        ]),
        'v',
      ),
    /page\.md is not listed/,
  )
  assert.throws(() => makeManual(new Map([['README', 'Manual\n']]), 'v'), /does not begin with its title/)
})

test('headings with the same words have anchors of their own', () => {
  const html = htmlOf('## Twice\n\n## Twice\n\n### `a_b` & C: 1.5\n')
  assert.deepEqual(
    [...html.matchAll(/<h\d id="([^"]+)"/g)].map(([, id]) => id),
    ['page', 'twice', 'twice-1', 'a_b--c-15'],
  )
})
