/**
 * Step of the build, after the compiler: makes the pages that the service shows at `/docs` from the Markdown beside
 * this file.
 *
 * The result is in `.build/server/docs/html`: a page for each text, the index of headings, the style, and the pictures
 * of the console, which `npm run docs:screenshots` makes.
 */
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeManual } from './manual.js'

const source = fileURLToPath(new URL('../../../server/docs/', import.meta.url))
const target = fileURLToPath(new URL('html/', import.meta.url))

const texts = new Map(
  readdirSync(source)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => [file.slice(0, -'.md'.length), readFileSync(join(source, file), 'utf8')]),
)
const style = readFileSync(join(source, 'manual.css'), 'utf8')
const script = readFileSync(new URL('search.js', import.meta.url), 'utf8')
const screens = join(source, 'screens')
const pictures = readdirSync(screens)
  .sort()
  .map((file) => readFileSync(join(screens, file)).toString('base64'))
const version = createHash('sha256')
  .update([...texts.values(), style, script, ...pictures].join('\0'))
  .digest('hex')
  .slice(0, 12)
const { pages, headings } = makeManual(texts, version)

rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
for (const { name, html } of pages) writeFileSync(join(target, `${name}.html`), html)
writeFileSync(join(target, 'headings.json'), JSON.stringify(headings))
writeFileSync(join(target, 'manual.css'), style)
cpSync(screens, join(target, 'screens'), { recursive: true })
