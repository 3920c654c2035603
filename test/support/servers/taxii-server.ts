/** A TAXII 2.1 server with only the API that the service uses: collections, pages, times. */
import type { ServerResponse } from 'node:http'
import { HttpReceiver, type Received } from './receiver.js'

interface Added {
  readonly object: Record<string, unknown>
  /** Microseconds, counting up. */
  readonly added: number
}

const MEDIA_TYPE = 'application/taxii+json;version=2.1'
const EPOCH_MS = Date.parse('2026-01-01T00:00:00Z')

function timeOf(added: number): string {
  return `${new Date(EPOCH_MS + added * 1_000).toISOString().slice(0, -1)}000Z`
}

export class TaxiiServer {
  readonly http: HttpReceiver
  readonly collections = new Map<string, Added[]>()
  pageMax = 2
  /** True if a page names the next one; false if the client must continue from the time of the last object. */
  saysNext = true
  #added = 0

  private constructor(http: HttpReceiver) {
    this.http = http
    http.answer = (received, response) => this.answer(received, response)
  }

  static async open(): Promise<TaxiiServer> {
    return new TaxiiServer(await HttpReceiver.open())
  }

  get connection(): Record<string, string> {
    return { url: `${this.http.url}/taxii2/`, user: 'reader', password: 'a-secret-password' }
  }

  add(collection: string, ...objects: Record<string, unknown>[]): void {
    const all = this.collections.get(collection) ?? []
    this.collections.set(collection, all)
    for (const object of objects)
      all.push({
        object: {
          type: 'indicator',
          spec_version: '2.1',
          pattern_type: 'stix',
          modified: '2026-01-01T00:00:00Z',
          valid_from: '2020-01-01T00:00:00Z',
          ...object,
        },
        added: ++this.#added,
      })
  }

  answer({ path, headers }: Received, response: ServerResponse): void {
    const json = (status: number, document: unknown, more: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': MEDIA_TYPE, ...more }).end(JSON.stringify(document))
    }
    const url = new URL(path, this.http.url)
    if (headers.authorization !== `Basic ${Buffer.from('reader:a-secret-password').toString('base64')}`)
      return json(401, { title: 'who are you' })
    if (headers.accept !== MEDIA_TYPE) return json(406, { title: 'another media type' })
    if (url.pathname === '/taxii2/')
      return json(200, { title: 'tests', default: `${this.http.url}/root/`, api_roots: ['/root/'] })
    if (url.pathname === '/root/')
      return json(200, { title: 'root', versions: [MEDIA_TYPE], max_content_length: 1_000 })
    if (url.pathname === '/root/collections/') {
      const collections = [...this.collections.keys()].map((id) => ({
        id,
        title: `Collection ${id}`,
        can_read: id !== 'unreadable',
        can_write: false,
      }))
      return json(200, { collections })
    }
    const [, id = ''] = /^\/root\/collections\/([^/]+)\/objects\/$/.exec(url.pathname) ?? []
    const all = this.collections.get(id)
    if (all === undefined || id === 'unreadable') return json(404, { title: 'no such collection' })
    const after = url.searchParams.get('added_after') ?? ''
    const wanted = all.filter(
      ({ object, added }) => timeOf(added) > after && object.type === url.searchParams.get('match[type]'),
    )
    const from = Number(url.searchParams.get('next') ?? 0)
    const page = wanted.slice(from, from + Math.min(this.pageMax, Number(url.searchParams.get('limit'))))
    const more = wanted.length > from + page.length
    const last = page.at(-1)
    json(
      200,
      {
        ...(page.length === 0 ? {} : { objects: page.map(({ object }) => object) }),
        ...(more ? { more, ...(this.saysNext ? { next: String(from + page.length) } : {}) } : {}),
      },
      last === undefined ? {} : { 'X-TAXII-Date-Added-Last': timeOf(last.added) },
    )
  }

  close(): Promise<void> {
    return this.http.close()
  }
}
