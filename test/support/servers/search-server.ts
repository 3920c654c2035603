/**
 * A search engine with only the API that the service uses: a real HTTP server over a map of documents. It refuses what
 * a real one refuses: pages over an index's `max_result_window`, sorting by a field that is not mapped or is no date.
 * test/long/integrations has the same tests with a real one.
 */
import type { ServerResponse } from 'node:http'
import { HttpReceiver, withFurther, type Received } from './receiver.js'

export interface StoredDocument {
  readonly index: string
  readonly id: string
  readonly source: Record<string, unknown>
  /** Counts up in the shard of the document. */
  readonly seqNo: number
}

type Clause = Record<string, any>

const SHARDS = 3

/** The value at a dot path. */
function valueAt(source: Record<string, unknown>, path: string): unknown {
  return Object.hasOwn(source, path)
    ? source[path]
    : path.split('.').reduce<any>((value, name) => value?.[name], source)
}

function dateOf(document: StoredDocument, field: string): number {
  const value = valueAt(document.source, field)
  return typeof value === 'number' ? value : Date.parse(String(value))
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
  if (kind === 'exists') return valueAt(document.source, given.field) !== undefined
  if (kind === 'query_string') {
    const [field = '', value = ''] = given.query.split(':')
    return String(document.source[field]) === value
  }
  if (kind === 'ids') return given.values.includes(document.id)
  if (kind === 'terms' || kind === 'term') {
    const [[field, wanted]] = Object.entries(given) as [[string, any]]
    if (field === '_index') return [wanted].flat().includes(document.index)
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
  /** Indexes, with what is special about them; others are made with their first document. */
  readonly indexes = new Map<string, { fields?: Record<string, string>; withoutSource?: true; window?: number }>()
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
      response.writeHead(status, { 'content-type': 'application/json' }).end(withFurther(JSON.stringify(document)))
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
    const [, asked, fields] = /^\/([^/?]+)\/_field_caps\?fields=([^&]+)/.exec(path) ?? []
    if (asked !== undefined)
      return json(200, this.#fieldTypes(decodeURIComponent(asked), decodeURIComponent(fields as string).split(',')))
    const [, pattern] = /^\/([^/?]+)\/_search/.exec(path) ?? []
    if (pattern === undefined) return json(404, { error: { type: 'not_found', reason: path } })
    const query = JSON.parse(body)
    const reason = this.#fault(decodeURIComponent(pattern), query)
    if (reason !== null) return json(400, { error: { root_cause: [{ type: 'illegal_argument_exception', reason }] } })
    json(200, this.#search(decodeURIComponent(pattern), query))
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

  /** The names of indexes that a pattern matches. */
  #matched(pattern: string): string[] {
    const all = new Set([...this.indexes.keys(), ...[...this.documents.values()].map(({ index }) => index)])
    const is = (one: string, index: string): boolean =>
      new RegExp(`^${one.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(index)
    return [...all].filter((index) =>
      pattern.split(',').reduce((isIn, one) => {
        return one.startsWith('-') ? isIn && !is(one.slice(1), index) : isIn || is(one, index)
      }, false),
    )
  }

  /** The type of a field in an index; undefined where it is not mapped. */
  #typeOf(index: string, field: string): string | undefined {
    const { fields } = this.indexes.get(index) ?? {}
    if (fields !== undefined) return fields[field]
    const has = [...this.documents.values()].some(
      (one) => one.index === index && valueAt(one.source, field) !== undefined,
    )
    return has ? 'date' : undefined
  }

  #fieldTypes(pattern: string, fields: readonly string[]): unknown {
    const indices = this.#matched(pattern)
    const answer: Record<string, Record<string, unknown>> = {}
    for (const field of fields) {
      const byType = new Map<string, string[]>()
      for (const index of indices) {
        const type = this.#typeOf(index, field) ?? 'unmapped'
        byType.set(type, [...(byType.get(type) ?? []), index])
      }
      // As the real one: a field that no index has is not named, and a field of one type names no indexes.
      if ([...byType.keys()].every((type) => type === 'unmapped')) continue
      answer[field] = Object.fromEntries(
        [...byType].map(([type, names]) => [type, { type, ...(byType.size > 1 ? { indices: names } : {}) }]),
      )
    }
    return { indices, fields: answer }
  }

  /** Why a real search engine would refuse the query, or null. */
  #fault(pattern: string, { size = 10, sort = [] }: Clause): string | null {
    for (const index of this.#matched(pattern)) {
      const { window = 10_000 } = this.indexes.get(index) ?? {}
      if (size > window)
        return `Result window is too large, from + size must be less than or equal to: [${window}] but was [${size}].`
      for (const one of sort as Clause[]) {
        const [[field, options]] = Object.entries(one) as [[string, Clause]]
        const isOwn = field === '_seq_no' && Object.keys(this.indexes.get(index)?.fields ?? { any: '' }).length > 0
        const type = isOwn ? 'date' : this.#typeOf(index, field)
        if (type === undefined && options.unmapped_type === undefined)
          return `No mapping found for [${field}] in order to sort on`
        if (type !== undefined && !type.startsWith('date'))
          return `Text fields are not optimised for sorting: [${field}]`
      }
    }
    return null
  }

  #search(pattern: string, query: Clause): unknown {
    const named = new Set(this.#matched(pattern))
    const found = [...this.documents.values()].filter(
      (document) => named.has(document.index) && holds(document, query.query),
    )
    if (query.aggs !== undefined) {
      const steps = ({ filter, aggs }: Clause): unknown => {
        const { field, fixed_interval: interval } = aggs.steps.date_histogram
        const step = Number.parseInt(interval, 10)
        const counts = new Map<number, number>()
        for (const document of found) {
          if (!holds(document, filter)) continue
          const key = Math.floor(dateOf(document, field) / step) * step
          counts.set(key, (counts.get(key) ?? 0) + 1)
        }
        const buckets = [...counts].sort(([one], [other]) => one - other)
        return { steps: { buckets: buckets.map(([key, count]) => ({ key, doc_count: count })) } }
      }
      const aggregations = Object.fromEntries(
        Object.entries(query.aggs as Clause).map(([name, one]) => [name, steps(one)]),
      )
      return { hits: { hits: [] }, aggregations }
    }
    const [dateField] = Object.keys(query.sort?.[0] ?? { '@timestamp': 1 }) as [string]
    const sorted = found.sort((a, b) => dateOf(a, dateField) - dateOf(b, dateField) || a.seqNo - b.seqNo)
    return {
      hits: {
        hits: sorted.slice(0, query.size).map((document) => ({
          _index: document.index,
          _id: document.id,
          _seq_no: document.seqNo,
          ...(query._source === false || this.indexes.get(document.index)?.withoutSource
            ? {}
            : { _source: chosen(document.source, query._source) }),
          sort: [dateOf(document, dateField), document.seqNo],
        })),
      },
    }
  }
}
