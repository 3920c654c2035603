/**
 * The manual as HTML: Markdown in, pages and an index of their headings out.
 *
 * Owns: anchors, links, navigation, the frame of a page. Leaves out: files (build-docs.ts), style (manual.css),
 * searching (search.ts). `marked` reads the Markdown: it has no dependencies, brings its types, and shows every token
 * to whoever renders it.
 *
 * 1. A page is escaped: HTML in the Markdown is shown as text.
 * 2. Anchors are those of GitHub, so that a link works in the repository and in the served page.
 * 3. A link to a page or heading that does not exist is an error. A link to another file of the repository becomes
 *    text, since that file is not served.
 */
import { Marked, type Token, type Tokens } from 'marked'
import { escaped, imageOf } from './html.js'

/** The page that lists all others; it is served at `/docs`. */
export const INDEX = 'README'

/** A heading as the search finds it. */
export interface Heading {
  readonly page: string
  readonly heading: string
  readonly url: string
}

export interface Page {
  /** As in `/docs/<name>`. */
  readonly name: string
  readonly title: string
  readonly html: string
}

export interface Manual {
  readonly pages: readonly Page[]
  readonly headings: readonly Heading[]
}

interface Group {
  readonly title: string
  readonly links: { readonly name: string; readonly title: string }[]
}

interface Read {
  readonly name: string
  readonly title: string
  readonly tokens: Token[]
  readonly headings: readonly { readonly depth: number; readonly text: string; readonly anchor: string }[]
}

const PAGE_LINK = /^([\w-]+)\.md(?:#(.+))?$/

export function urlOf(name: string): string {
  return name === INDEX ? '/docs' : `/docs/${name}`
}

/** The text that people see, without marks. */
function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      'tokens' in token && token.tokens !== undefined
        ? plainText(token.tokens)
        : 'text' in token
          ? String(token.text)
          : '',
    )
    .join('')
}

/** The anchor that GitHub gives a heading; `taken` has those of the page so far. */
function anchorOf(text: string, taken: Set<string>): string {
  const base = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
  let anchor = base
  for (let i = 1; taken.has(anchor); i++) anchor = `${base}-${i}`
  taken.add(anchor)
  return anchor
}

const reader = new Marked()

function read(name: string, markdown: string): Read {
  const tokens = reader.lexer(markdown)
  const taken = new Set<string>()
  const headings = tokens
    .filter((token): token is Tokens.Heading => token.type === 'heading')
    .map(({ depth, tokens }) => {
      const text = plainText(tokens)
      return { depth, text, anchor: anchorOf(text, taken) }
    })
  const [first] = headings
  if (first?.depth !== 1 || tokens[0]?.type !== 'heading') throw new Error(`${name}.md does not begin with its title`)
  return { name, title: first.text, tokens, headings }
}

/** The address of a link in the served pages; null where it leads to a file that is not served. */
function servedLink(href: string, from: Read, pages: ReadonlyMap<string, Read>): string | null {
  if (/^https?:\/\//.test(href)) return href
  const [, name = from.name, anchor] = href.startsWith('#')
    ? [href, from.name, href.slice(1)]
    : (PAGE_LINK.exec(href) ?? [])
  if (!href.startsWith('#') && !PAGE_LINK.test(href)) return null
  const page = pages.get(name)
  if (page === undefined) throw new Error(`${from.name}.md links to ${href}, and there is no such page`)
  if (anchor === undefined) return urlOf(name)
  if (!page.headings.some((heading) => heading.anchor === anchor))
    throw new Error(`${from.name}.md links to ${href}, and there is no such heading`)
  return `${urlOf(name)}#${anchor}`
}

function bodyOf(page: Read, pages: ReadonlyMap<string, Read>, version: string): string {
  let next = 0
  const marked = new Marked({
    renderer: {
      html: ({ text }) => escaped(text),
      heading({ depth, tokens }) {
        const { anchor } = page.headings[next++]!
        const link = depth === 1 ? '' : ` <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}${link}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const address = servedLink(href, page, pages)
        return address === null ? `<span class="file">${text}</span>` : `<a href="${escaped(address)}">${text}</a>`
      },
      image: ({ href, text }) => imageOf(href, text, version),
      table({ header, rows }) {
        const line = (cells: readonly Tokens.TableCell[], tag: string) =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>\n`
        const body = rows.map((row) => line(row, 'td')).join('')
        return `<div class="wide"><table>\n<thead>${line(header, 'th')}</thead>\n<tbody>${body}</tbody>\n</table></div>\n`
      },
    },
  })
  return marked.parser(page.tokens)
}

/** The groups of the navigation: the sections of the index, with the pages that they link to. */
function groupsOf(index: Read): Group[] {
  const groups: Group[] = []
  const collect = (tokens: readonly Token[]): void => {
    void reader.walkTokens(tokens as Token[], (token) => {
      if (token.type !== 'link') return
      const [, name] = PAGE_LINK.exec((token as Tokens.Link).href) ?? []
      if (name !== undefined) groups.at(-1)?.links.push({ name, title: plainText((token as Tokens.Link).tokens) })
    })
  }
  for (const token of index.tokens) {
    if (token.type === 'heading' && (token as Tokens.Heading).depth === 2)
      groups.push({ title: plainText((token as Tokens.Heading).tokens), links: [] })
    else collect([token])
  }
  return groups
}

const apiLinks = `<h2>API</h2>
<ul>
<li><a href="/docs/exposer">Try it in the browser</a></li>
<li><a href="/openapi.json">OpenAPI document</a></li>
</ul>`

function navigation(page: Read, groups: readonly Group[]): string {
  const sections = page.headings
    .filter(({ depth }) => depth === 2)
    .map(({ text, anchor }) => `<li><a href="#${anchor}">${escaped(text)}</a></li>`)
  const item = ({ name, title }: { name: string; title: string }): string => {
    const isHere = name === page.name
    const own = isHere && name !== INDEX && sections.length > 0 ? `\n<ul>${sections.join('')}</ul>` : ''
    return `<li><a href="${urlOf(name)}"${isHere ? ' aria-current="page"' : ''}>${escaped(title)}</a>${own}</li>`
  }
  const start = { title: '', links: [{ name: INDEX, title: 'All pages' }] }
  const lists = [start, ...groups].map(
    ({ title, links }) =>
      `${title === '' ? '' : `<h2>${escaped(title)}</h2>\n`}<ul>\n${links.map(item).join('\n')}\n</ul>`,
  )
  return [...lists, apiLinks].join('\n')
}

/** One page in its frame. `version` changes with style, script and index, so that a browser never shows old ones. */
function framed(page: Read, body: string, groups: readonly Group[], version: string): string {
  const title = page.name === INDEX ? 'Decision service: manual' : `${page.title} · Decision service`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/assets/manual.css?v=${version}">
</head>
<body>
<a class="skip" href="#content">To the text</a>
<input type="checkbox" id="menu" aria-label="Show the list of pages">
<header>
<label for="menu" aria-hidden="true">Pages</label>
<a class="home" href="/docs">Decision service</a>
<search><input type="search" id="search" placeholder="Search titles" aria-label="Search titles" autocomplete="off" data-index="/docs/assets/headings.json?v=${version}">
<ul id="found" aria-live="polite" hidden></ul></search>
</header>
<nav aria-label="Pages">
${navigation(page, groups)}
</nav>
<main id="content">
${body}</main>
<script type="module" src="/docs/assets/search.js?v=${version}"></script>
</body>
</html>
`
}

/**
 * The manual of these texts, by name without `.md`. Every page has to be in the index.
 * @throws Error that names the page, where a link or a title is wrong.
 */
export function makeManual(texts: ReadonlyMap<string, string>, version: string): Manual {
  const pages = new Map([...texts].map(([name, markdown]) => [name, read(name, markdown)]))
  const index = pages.get(INDEX)
  if (index === undefined) throw new Error(`${INDEX}.md is missing`)
  const groups = groupsOf(index)
  const listed = [INDEX, ...groups.flatMap(({ links }) => links.map(({ name }) => name))]
  for (const name of pages.keys())
    if (!listed.includes(name)) throw new Error(`${name}.md is not listed in ${INDEX}.md`)
  const inOrder = [...new Set(listed)].map((name) => pages.get(name)).filter((page) => page !== undefined)
  return {
    pages: inOrder.map((page) => ({
      name: page.name,
      title: page.title,
      html: framed(page, bodyOf(page, pages, version), groups, version),
    })),
    headings: inOrder.flatMap(({ name, title, headings }) =>
      headings.map(({ depth, text, anchor }) => ({
        page: title,
        heading: text,
        url: depth === 1 ? urlOf(name) : `${urlOf(name)}#${anchor}`,
      })),
    ),
  }
}
