/**
 * A TAXII 2.1 server (OASIS, taxii-v2.1-os) over HTTP: which collections it has, and what has been added to one.
 *
 * Owns: discovery, the requests, paging. Leaves out: what becomes of objects (threat-feed.ts).
 *
 * 1. Everything asked is at the origin of the integration's own address: what identifies us goes nowhere else.
 * 2. Answers are bounded in bytes, depth and number.
 */
import type { Opened, Tools } from '../contract.js'
import { EnrichmentFailure } from '../contract.js'
import { HostRefused } from '../http/host-policy.js'
import { HttpFailure, type HttpAnswer, type HttpClient } from '../http/http-client.js'
import { fateOf, openHttp, textAt, timeoutMs } from '../http/http-kind.js'
import { parseBounded } from '../http/json.js'

const MEDIA_TYPE = 'application/taxii+json;version=2.1'
const PAGE_OBJECTS = 1_000
/** Pages that are read in a row; the rest is read the next time. */
const PAGES_MAX = 2_000

export interface TaxiiCollection {
  /** Address of the collection, with a slash at the end. */
  readonly url: URL
  readonly title: string
}

/** What one page gave. */
export interface TaxiiPage {
  readonly objects: readonly unknown[]
}

type Document = Record<string, unknown>

export class TaxiiClient {
  readonly #http: HttpClient
  readonly #url: URL
  readonly #timeoutMs: number

  constructor(connection: Opened, tools: Tools) {
    const [user, key] = [textAt(connection, 'user'), textAt(connection, 'api_key')]
    const basic =
      user === undefined
        ? undefined
        : `Basic ${Buffer.from(`${user}:${String(connection.password ?? '')}`).toString('base64')}`
    const authorization = basic ?? (key === undefined ? undefined : `Bearer ${key}`)
    this.#http = openHttp(connection, tools, authorization === undefined ? {} : { authorization })
    this.#url = withSlash(new URL(String(connection.url)))
    this.#timeoutMs = timeoutMs(connection)
  }

  /** The collections that may be read, those named by id, alias or title, or all of them. Rejects with EnrichmentFailure. */
  async collections(wanted: readonly string[], signal: AbortSignal): Promise<TaxiiCollection[]> {
    const found: TaxiiCollection[] = []
    for (const root of await this.#roots(signal)) {
      const { document } = await this.#get(new URL('collections/', root), signal)
      for (const one of listIn(document.collections)) {
        const { id, title, alias } = one
        if (typeof id !== 'string' || one.can_read === false) continue
        if (wanted.length > 0 && ![id, title, alias].some((name) => wanted.includes(String(name)))) continue
        found.push({
          url: new URL(`collections/${encodeURIComponent(id)}/`, root),
          title: typeof title === 'string' ? title : id,
        })
      }
    }
    if (found.length === 0)
      throw new EnrichmentFailure(
        wanted.length === 0
          ? 'the server has no collection that may be read'
          : 'the server has none of the collections that are named',
      )
    return found
  }

  /**
   * Reads the indicators that were added after that time, page by page; resolves with the time of the last. Rejects with
   * EnrichmentFailure.
   */
  async read(
    { url }: TaxiiCollection,
    addedAfter: string,
    take: (page: TaxiiPage) => void,
    signal: AbortSignal,
  ): Promise<string> {
    let [after, next, last] = [addedAfter, '', addedAfter]
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const page = new URL('objects/', url)
      if (after !== '') page.searchParams.set('added_after', after)
      page.searchParams.set('limit', String(PAGE_OBJECTS))
      page.searchParams.set('match[type]', 'indicator')
      if (next !== '') page.searchParams.set('next', next)
      const { document, answer } = await this.#get(page, signal)
      const objects = listIn(document.objects)
      take({ objects })
      const added = answer.headers['x-taxii-date-added-last']
      if (typeof added === 'string' && added !== '') last = added
      if (document.more !== true) return last
      const behind = typeof document.next === 'string' ? document.next : ''
      // Without a place to go on from, the time of the last one is it. `next` may be the same on every page; a page without anything
      // on it would be the first of many.
      if (objects.length === 0 || (behind === '' && last === after))
        throw new EnrichmentFailure('the server says that there is more, and not where')
      if (behind === '') after = last
      next = behind
    }
    return last
  }

  close(): void {
    this.#http.close()
  }

  /** The API roots: those that discovery tells of, or the address itself where it is one. */
  async #roots(signal: AbortSignal): Promise<URL[]> {
    const { document } = await this.#get(this.#url, signal)
    const roots = document.api_roots
    if (!Array.isArray(roots)) return [this.#url]
    const chosen = typeof document.default === 'string' ? [document.default] : roots.slice(0, 1)
    return chosen.map((root: unknown) => {
      const url = URL.canParse(String(root), this.#url.href) ? withSlash(new URL(String(root), this.#url)) : null
      if (url === null || url.origin !== this.#url.origin)
        throw new EnrichmentFailure('the API root is at another address; give that as the url')
      return url
    })
  }

  async #get(url: URL, signal: AbortSignal): Promise<{ document: Document; answer: HttpAnswer }> {
    try {
      const answer = await this.#http.send({
        method: 'GET',
        url,
        headers: { accept: MEDIA_TYPE },
        signal,
        timeoutMs: this.#timeoutMs,
      })
      const fate = fateOf(answer)
      if (fate.fate !== 'delivered')
        throw new EnrichmentFailure(fate.reason, fate.fate === 'failed' ? fate.retryAfterMs : 0)
      const document = parseBounded(answer.body) ?? {}
      if (typeof document !== 'object' || document === null || Array.isArray(document))
        throw new HttpFailure('an answer that is no JSON object')
      return { document: document as Document, answer }
    } catch (error) {
      throw error instanceof HttpFailure || error instanceof HostRefused ? new EnrichmentFailure(error.message) : error
    }
  }
}

function listIn(value: unknown): Document[] {
  return Array.isArray(value) ? value.filter((one): one is Document => typeof one === 'object' && one !== null) : []
}

function withSlash(url: URL): URL {
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return url
}
