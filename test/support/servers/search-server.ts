/** A search engine with only the API that the service uses: a real HTTP server over a map of documents. */
import type { ServerResponse } from 'node:http'
import { HttpReceiver, type Received } from './receiver.js'

export interface StoredDocument {
  readonly index: string
  readonly id: string
  readonly source: Record<string, unknown>
  /** Counts up in the shard of the document. */
  readonly seqNo: number
}

type Clause = Record<string, any>

const SHARDS = 3

function dateOf(document: StoredDocument, field: string): number {
  return Date.parse(String(document.source[field]))
}

function holds(document: StoredDocument, clause: Clause): boolean {
  const [[kind, given]] = Object.entries(clause) as [[string, any]]
  if (kind === 'bool') {
    const { filter = [], should = [], must_not: mustNot = [] } = given
    return (
      filter.every((one: Clause) => holds(document, one)) &&
      (should.length === 0 || should.some((one: Clause) => holds(document, one))) &&
      !mustNot.some((one: Clause) => holds(document, one))
    )
  }
  if (kind === 'exists') return document.source[given.field] !== undefined
  if (kind === 'query_string') {
    const [field = '', value = ''] = given.query.split(':')
    return String(document.source[field]) === value
  }
  if (kind === 'ids') return given.values.includes(document.id)
  if (kind === 'terms' || kind === 'term') {
    const [[field, wanted]] = Object.entries(given) as [[string, any]]
    return [wanted]
      .flat()
      .map(String)
      .includes(String(document.source[field.replace(/\.keyword$/, '')]))
  }
  if (kind !== 'range') throw new Error(`a query of ${kind}`)
  const [[field, bounds]] = Object.entries(given) as [[string, any]]
  const value = field === '_seq_no' ? document.seqNo : dateOf(document, field)
  const at = (bound: unknown): number => (typeof bound === 'number' ? bound : Date.parse(String(bound)))
  return (
    (bounds.gte === undefined || value >= at(bounds.gte)) &&
    (bounds.gt === undefined || value > at(bounds.gt)) &&
    (bounds.lt === undefined || value < at(bounds.lt)) &&
    (bounds.lte === undefined || value <= at(bounds.lte))
  )
}

/** The fields of `_source`: all of them, those of a list of paths, or all but some at the top. */
function chosen(source: Clause, wanted: unknown): Clause {
  if (!Array.isArray(wanted)) {
    const { includes, excludes = [] } = (typeof wanted === 'object' ? wanted : {}) as {
      includes?: string[]
      excludes?: string[]
    }
    return Object.fromEntries(
      Object.entries(includes === undefined ? source : chosen(source, includes)).filter(
        ([name]) => !excludes.includes(name),
      ),
    )
  }
  const kept: Clause = {}
  for (const path of wanted as string[]) {
    const names = path.split('.')
    const value = names.reduce<any>((at, name) => at?.[name], source)
    if (value !== undefined)
      names.reduce<any>((at, name, place) => (at[name] ??= place === names.length - 1 ? value : {}), kept)
  }
  return kept
}

export class SearchServer {
  readonly documents = new Map<string, StoredDocument>()
  readonly http: HttpReceiver
  /** The fault of a document that is written, or null. */
  refuses: (source: Record<string, unknown>) => string | null = () => null
  readonly #counters = new Array<number>(SHARDS).fill(0)

  private constructor(http: HttpReceiver) {
    this.http = http
    http.answer = (received, response) => this.answer(received, response)
  }

  static async open(port = 0): Promise<SearchServer> {
    return new SearchServer(await HttpReceiver.open(port))
  }

  /** Connection parameters of an integration. */
  get connection(): Record<string, string | number> {
    return { hosts: '127.0.0.1', port: this.http.port, user: 'elastic', password: 'changeme-now', schema: 'http' }
  }

  put(index: string, id: string, source: Record<string, unknown>): void {
    const shard = [...id].reduce((sum, char) => sum + char.charCodeAt(0), 0) % SHARDS
    const seqNo = (this.#counters[shard] as number)++
    this.documents.set(`${index}/${id}`, { index, id, source, seqNo })
  }

  /** Answers as the engine does; tests add faults around it. */
  answer(received: Received, response: ServerResponse): void {
    const json = (status: number, document: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document))
    }
    const { path, body, headers } = received
    if (headers.authorization !== `Basic ${Buffer.from('elastic:changeme-now').toString('base64')}`)
      return json(401, { error: 'who are you' })
    if (path.startsWith('/_bulk')) return json(200, this.#bulk(body))
    if (path.startsWith('/_msearch')) {
      const lines = body
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      const responses = lines.flatMap((header, at) =>
        at % 2 === 0 ? [this.#search(header.index.join(','), lines[at + 1])] : [],
      )
      return json(200, { responses })
    }
    const [, pattern] = /^\/([^/?]+)\/_search/.exec(path) ?? []
    if (pattern === undefined) return json(404, { error: { type: 'not_found', reason: path } })
    json(200, this.#search(decodeURIComponent(pattern), JSON.parse(body)))
  }

  close(): Promise<void> {
    return this.http.close()
  }

  #bulk(body: string): unknown {
    const lines = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const items: unknown[] = []
    for (let at = 0; at < lines.length; at += 2) {
      if (lines[at].update !== undefined) {
        items.push({ update: this.#update(lines[at].update, lines[at + 1].doc) })
        continue
      }
      const { _index: index, _id: id } = lines[at].index
      const reason = this.refuses(lines[at + 1])
      if (reason === null) this.put(index, id, lines[at + 1])
      items.push({
        index: reason === null ? { status: 201 } : { status: 400, error: { type: 'mapper_parsing_exception', reason } },
      })
    }
    return { errors: items.some((item: any) => (item.index ?? item.update).status >= 300), items }
  }

  #update({ _index: index, _id: id }: Clause, doc: Record<string, unknown>): unknown {
    const known = this.documents.get(`${index}/${id}`)
    if (known === undefined) return { status: 404, error: { type: 'document_missing_exception', reason: id } }
    this.documents.set(`${index}/${id}`, { ...known, source: { ...known.source, ...doc } })
    return { status: 200 }
  }

  #search(pattern: string, query: Clause): unknown {
    const named = pattern.split(',').map((one) => new RegExp(`^${one.replaceAll('.', '\\.').replaceAll('*', '.*')}$`))
    const found = [...this.documents.values()].filter((document) => {
      return named.some((one) => one.test(document.index)) && holds(document, query.query)
    })
    if (query.aggs !== undefined) {
      const { field, fixed_interval: interval } = query.aggs.steps.date_histogram
      const step = Number.parseInt(interval, 10)
      const counts = new Map<number, number>()
      for (const document of found) {
        const key = Math.floor(dateOf(document, field) / step) * step
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
      return {
        hits: { hits: [] },
        aggregations: { steps: { buckets: [...counts].map(([key, count]) => ({ key, doc_count: count })) } },
      }
    }
    const [dateField] = Object.keys(query.sort?.[0] ?? { '@timestamp': 1 }) as [string]
    const sorted = found.sort((a, b) => dateOf(a, dateField) - dateOf(b, dateField) || a.seqNo - b.seqNo)
    return {
      hits: {
        hits: sorted.slice(0, query.size).map((document) => ({
          _index: document.index,
          _id: document.id,
          _seq_no: document.seqNo,
          _source: chosen(document.source, query._source),
          sort: [dateOf(document, dateField), document.seqNo],
        })),
      },
    }
  }
}
