/**
 * The search box of the manual, in the browser: titles of pages and sections that have all the words that were typed.
 *
 * The names of the browser are declared here, as in console/, and text is set as text.
 */

interface Heading {
  readonly page: string
  readonly heading: string
  readonly url: string
}

const FOUND_MAX = 12

/** How well a heading fits: 0 not at all; titles of pages before sections, beginnings of words before their middles. */
function fit({ page, heading, url }: Heading, words: readonly string[]): number {
  const [title, whole] = [` ${heading.toLowerCase()}`, ` ${heading.toLowerCase()} ${page.toLowerCase()}`]
  if (!words.every((word) => whole.includes(word))) return 0
  const inTitle = words.filter((word) => title.includes(word)).length
  if (inTitle === 0) return url.includes('#') ? 0 : 1
  const atStart = words.filter((word) => title.includes(` ${word}`)).length
  return 1 + inTitle * 4 + atStart * 2 + (url.includes('#') ? 0 : 1)
}

/** The headings that fit best, in the order of the manual where they fit alike. */
export function findHeadings(index: readonly Heading[], text: string): Heading[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return index
    .map((heading) => ({ heading, score: fit(heading, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, FOUND_MAX)
    .map(({ heading }) => heading)
}

interface Element {
  value: string
  textContent: string
  hidden: boolean
  append(...children: readonly (Element | string)[]): void
  replaceChildren(...children: readonly Element[]): void
  addEventListener(type: string, run: (event: { readonly key?: string }) => void): void
  getAttribute(name: string): string | null
  setAttribute(name: string, value: string): void
}

interface Document {
  createElement(tag: string): Element
  getElementById(id: string): Element
}

function shown(document: Document, { page, heading, url }: Heading): Element {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.setAttribute('href', url)
  link.append(heading)
  if (heading !== page) {
    const where = document.createElement('span')
    where.textContent = page
    link.append(' ', where)
  }
  item.append(link)
  return item
}

function start(document: Document, goTo: (url: string) => void): void {
  const [box, list] = [document.getElementById('search'), document.getElementById('found')]
  let index: Promise<readonly Heading[]> | null = null
  let latest: readonly Heading[] = []
  const search = async (): Promise<void> => {
    index ??= fetch(box.getAttribute('data-index') ?? '').then((answer) => answer.json() as Promise<readonly Heading[]>)
    latest = findHeadings(await index, box.value)
    list.replaceChildren(...latest.map((heading) => shown(document, heading)))
    list.hidden = latest.length === 0
  }
  const failed = (): void => {
    index = null
  }
  box.addEventListener('input', () => void search().catch(failed))
  box.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter' && latest[0] !== undefined) goTo(latest[0].url)
    if (key !== 'Escape') return
    box.value = ''
    void search().catch(failed)
  })
  list.addEventListener('click', () => {
    list.hidden = true
  })
}

const browser = globalThis as unknown as { document?: Document; location: { assign(url: string): void } }
if (browser.document !== undefined) start(browser.document, (url) => browser.location.assign(url))
