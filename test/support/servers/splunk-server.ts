/**
 * Splunk as its public documentation describes it, as far as the service uses it: search export (of the service's own
 * searches), notable_update, the HTTP event collector. There is no free server to test against.
 */
import type { ServerResponse } from 'node:http'
import { HttpReceiver, withFurther, type Received } from './receiver.js'

export interface Indexed {
  readonly bkt: string
  readonly cd: string
  /** Seconds since 1970. */
  readonly indexed: number
  readonly fields: Record<string, unknown>
}

export class SplunkServer {
  readonly http: HttpReceiver
  readonly events: Indexed[] = []
  readonly searches: string[] = []
  /** Before 9.0.1. */
  isOld = false
  readonly updates: Record<string, string>[] = []
  readonly collected: any[] = []
  /** Ids of notable events that do not exist. */
  readonly missing = new Set<string>()
  /** The line of a batch that the collector calls invalid, or null. */
  refuses: (line: any) => boolean = () => false

  private constructor(http: HttpReceiver) {
    this.http = http
    http.answer = (received, response) => this.answer(received, response)
  }

  static async open(): Promise<SplunkServer> {
    return new SplunkServer(await HttpReceiver.open())
  }

  get connection(): Record<string, string> {
    return { url: this.http.url, token: 'a-secret-token', hec_url: this.http.url, hec_token: 'a-hec-token' }
  }

  index(indexed: number, fields: Record<string, unknown> = {}): void {
    const number = this.events.length
    this.events.push({ bkt: `main~${number % 3}~GUID`, cd: `${number % 3}:${1_000 + number}`, indexed, fields })
  }

  answer({ path, headers, body }: Received, response: ServerResponse): void {
    const json = (status: number, document: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document))
    if (path === '/services/collector/event') {
      return headers.authorization === 'Splunk a-hec-token'
        ? json(...this.#collect(body))
        : json(403, { text: 'Invalid token', code: 4 })
    }
    if (headers.authorization !== 'Bearer a-secret-token')
      return json(401, { messages: [{ type: 'WARN', text: 'call not properly authenticated' }] })
    const form = Object.fromEntries(new URLSearchParams(body)) as Record<string, string>
    if (path === '/services/notable_update') return json(200, this.#update(form))
    if (
      path !== (this.isOld ? '/services/search/jobs/export' : '/services/search/v2/jobs/export') ||
      form.output_mode !== 'json' ||
      form.preview !== '0'
    )
      return json(404, { messages: [] })
    const rows = this.#search(form.search ?? '', Number(form.earliest_time), Number(form.latest_time))
    const lines = rows.map((result, offset) =>
      JSON.stringify({ preview: false, offset, ...(offset === rows.length - 1 ? { lastrow: true } : {}), result }),
    )
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(rows.length === 0 ? '{"preview":false,"lastrow":true}\n' : `${withFurther(lines.join('\n'))}\n`)
  }

  close(): Promise<void> {
    return this.http.close()
  }

  /** Events are dated by their field `dated`, or when they were indexed. */
  #search(query: string, earliest: number, latest: number): Record<string, unknown>[] {
    this.searches.push(query)
    const [, terms = '', from = '', to = '', rest = ''] =
      /^search _index_earliest=\d+ _index_latest=\d+ (.*?) \| where _indextime>=(\d+) AND _indextime<(\d+) \| (.*)$/.exec(
        query,
      ) ?? []
    if (rest === '') throw new Error(`a search of ${query}`)
    const found = this.events.filter(
      ({ indexed, fields }) =>
        indexed >= Number(from) &&
        indexed < Number(to) &&
        Number(fields.dated ?? indexed) >= earliest &&
        Number(fields.dated ?? indexed) < latest &&
        terms.includes(`index=${String(fields.index ?? 'main')}`),
    )
    const [, step] =
      /^eval ds_step=floor\(_indextime\/(\d+)\)\*\1 \| stats count AS ds_count BY ds_step$/.exec(rest) ?? []
    if (step !== undefined) {
      const counts = new Map<number, number>()
      for (const { indexed } of found) {
        const at = Math.floor(indexed / Number(step)) * Number(step)
        counts.set(at, (counts.get(at) ?? 0) + 1)
      }
      return [...counts].map(([at, count]) => ({ ds_step: String(at), ds_count: String(count) }))
    }
    const [, second, key, size] =
      /^eval ds_key=_bkt\."\/"\._cd, ds_indexed=_indextime(?: \| where _indextime>(\d+) OR ds_key>"([^"]*)")? \| sort (\d+) \+num\(ds_indexed\) \+str\(ds_key\)$/.exec(
        rest,
      ) ?? []
    if (size === undefined) throw new Error(`a search of ${query}`)
    const keyOf = ({ bkt, cd }: Indexed): string => `${bkt}/${cd}`
    return found
      .filter((one) => second === undefined || one.indexed > Number(second) || keyOf(one) > (key as string))
      .sort((a, b) => a.indexed - b.indexed || (keyOf(a) < keyOf(b) ? -1 : 1))
      .slice(0, Number(size))
      .map((one) => ({
        ...one.fields,
        _time: new Date(one.indexed * 1_000).toISOString(),
        _raw: 'raw',
        _indextime: String(one.indexed),
        _bkt: one.bkt,
        _cd: one.cd,
        _serial: '0',
        ds_key: keyOf(one),
        ds_indexed: String(one.indexed),
      }))
  }

  #update(form: Record<string, string>): unknown {
    this.updates.push(form)
    if (this.missing.has(form.ruleUIDs ?? ''))
      return {
        success: false,
        success_count: 0,
        failure_count: 1,
        message: 'None of the given events was found',
        warnings: [],
        details: {},
      }
    return {
      success: true,
      success_count: 1,
      failure_count: 0,
      message: '1 event updated successfully',
      warnings: [],
      details: {},
    }
  }

  #collect(body: string): [number, unknown] {
    const lines = body.split('\n').map((line) => JSON.parse(line))
    for (const [at, line] of lines.entries()) {
      if (this.refuses(line)) return [400, { text: 'Invalid data format', code: 6, 'invalid-event-number': at }]
      this.collected.push(line)
    }
    return [200, { text: 'Success', code: 0 }]
  }
}
