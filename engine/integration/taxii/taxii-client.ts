/**
 * A client for TAXII 2.1 servers (OASIS, taxii-v2.1-os): the collections of a server, and new objects in a collection.
 *
 * Owns: discovery, requests, paging. Leaves out: what happens to objects (threat-feed.ts).
 *
 * 1. All requests go to the origin of the configured URL, so credentials go nowhere else.
 * 2. Answers are limited in bytes, depth and number.
 */
import type { OpenedParameters, Tools } from '../contract.js'
import { SourceFailure } from '../contract.js'
import { HttpFailure, type HttpAnswer, type HttpClient } from '../http/http-client.js'
import { outcomeOf, openHttp, sourceFailureOf, sourceFailureOfError, textAt, timeoutMs } from '../http/http-kind.js'
import { parseBounded } from '../http/json.js'

const MEDIA_TYPE = 'application/taxii+json;version=2.1'
const PAGE_OBJECTS = 1_000
/** The most pages in one read; the next read continues. */
const PAGES_MAX = 2_000

export interface TaxiiCollection {
  /** URL of the collection, with a final slash. */
  readonly url: URL
  readonly title: string
}

/** The content of one page. */
export interface TaxiiPage {
  readonly objects: readonly unknown[]
}

type Document = Record<string, unknown>

export class TaxiiClient {
  readonly #http: HttpClient
  readonly #url: URL
  readonly #timeoutMs: number

  constructor(connection: OpenedParameters, tools: Tools) {
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

  /**
   * The readable collections with a wanted id, alias or title; all for an empty list. Rejects with SourceFailure.
   */
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
      throw new SourceFailure(
        wanted.length === 0
          ? 'the server has no readable collection'
          : 'the server has none of the collections in the parameter collections',
        0,
        'set_up',
      )
    return found
  }

  /**
   * Reads the indicators that were added after a time, page by page. Resolves with the time of the last one. Rejects
   * with SourceFailure.
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
      // Without `next` the read continues from the time of the last indicator. `next` may be the same on every page. An
      // empty
      // page with more to come would never end.
      if (objects.length === 0 || (behind === '' && last === after))
        throw new SourceFailure('the server has more pages, but does not say where')
      if (behind === '') after = last
      next = behind
    }
    return last
  }

  close(): void {
    this.#http.close()
  }

  /** The API roots: those of discovery, or the configured URL itself. */
  async #roots(signal: AbortSignal): Promise<URL[]> {
    const { document } = await this.#get(this.#url, signal)
    const roots = document.api_roots
    if (!Array.isArray(roots)) return [this.#url]
    const chosen = typeof document.default === 'string' ? [document.default] : roots.slice(0, 1)
    return chosen.map((root: unknown) => {
      const url = URL.canParse(String(root), this.#url.href) ? withSlash(new URL(String(root), this.#url)) : null
      if (url === null || url.origin !== this.#url.origin)
        throw new SourceFailure('the API root has another origin; set url to it', 0, 'set_up')
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
      const outcome = outcomeOf(answer)
      if (outcome.outcome !== 'delivered') throw sourceFailureOf(outcome)
      const document = parseBounded(answer.body) ?? {}
      if (typeof document !== 'object' || document === null || Array.isArray(document))
        throw new HttpFailure('the answer is not a JSON object')
      return { document: document as Document, answer }
    } catch (error) {
      throw sourceFailureOfError(error)
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
