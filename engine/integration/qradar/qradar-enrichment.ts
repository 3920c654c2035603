/**
 * What QRadar has on the values of one field of an event.
 *
 * Owns: the queries, and the fields that are added. Leaves out: when it asks (enrichment-requests.ts).
 *
 * 1. A value of the event is a quoted text in a filter, and never part of its language. One that cannot be quoted makes
 *    only its own query fail.
 * 2. Entries of a reference set are compared again here, so a filter that matched more adds nothing.
 * 3. A reference map is read whole, once for up to 50 subjects, within the bound of one answer.
 */
import type { EnrichmentFields, EnrichmentSource, Known, OpenedParameters, Tools } from '../contract.js'
import { SourceFailure, QueryRefused } from '../contract.js'
import { RequestedValues } from '../enrichment/event-values.js'
import { textAt } from '../http/http-kind.js'
import { JsonLookup } from '../http/json-lookup.js'

export const dataKinds = ['reference_set', 'reference_map', 'offenses'] as const
type DataKind = (typeof dataKinds)[number]

export const OFFENSES_MAX = 50
const MAP_SUBJECTS_MAX = 50
const ENTRIES_MAX = 32
const MAP_ENTRIES_MAX = 100_000
const AT_ONCE = 4
const offenseFields = 'id,description,status,magnitude,severity,credibility,relevance,categories,start_time'

type Document = Readonly<Record<string, unknown>>

export class QRadarEnrichment implements EnrichmentSource {
  readonly batchMax: number
  readonly atOnce = AT_ONCE
  readonly #lookup: JsonLookup
  readonly #base: string
  readonly #values: RequestedValues
  readonly #data: DataKind
  readonly #reference: string
  readonly #filter: string | undefined
  readonly #size: number

  constructor(connection: OpenedParameters, parameters: OpenedParameters, tools: Tools) {
    this.#data = (textAt(parameters, 'data') ?? 'reference_set') as DataKind
    const reference = textAt(parameters, 'reference')
    if (this.#data !== 'offenses' && reference === undefined)
      throw new Error('the parameter reference has to name the reference set or map')
    const version = textAt(connection, 'api_version')
    this.#lookup = new JsonLookup(connection, tools, {
      credentials: { SEC: String(connection.token) },
      headers: version === undefined ? {} : { version },
    })
    this.batchMax = this.#data === 'reference_map' ? MAP_SUBJECTS_MAX : 1
    this.#base = String(connection.url).replace(/\/+$/, '')
    this.#values = new RequestedValues(String(parameters.event_field))
    this.#reference = encodeURIComponent(reference ?? '')
    this.#filter = textAt(parameters, 'filter')
    this.#size = Number(parameters.size ?? 5)
  }

  subjectOf(document: Document): string | null {
    const values = this.#values.of(document)
    return values.length === 0 ? null : JSON.stringify(values)
  }

  async find(subjects: readonly string[], signal: AbortSignal): Promise<Known[]> {
    const queries = subjects.map((subject) => JSON.parse(subject) as string[])
    if (this.#data === 'reference_map') return await this.#inMap(queries, signal)
    const known: Known[] = []
    for (const values of queries)
      known.push(await (this.#data === 'offenses' ? this.#offenses(values, signal) : this.#inSet(values, signal)))
    return known
  }

  async close(): Promise<void> {
    this.#lookup.close()
  }

  async #inSet(values: readonly string[], signal: AbortSignal): Promise<Known> {
    const filter = anyOf('value', values)
    if (filter === null) return unquotable
    const url = this.#url(`reference_data/sets/${this.#reference}`, { filter })
    const answer = await this.#lookup.get(url, signal, { range: `items=0-${ENTRIES_MAX - 1}` })
    if (answer === null || answer instanceof QueryRefused) return answer
    const wanted = new Set(values.map(plain))
    return entryFields(listOf((answer as Document).data).filter(({ value }) => wanted.has(plain(String(value)))))
  }

  async #inMap(queries: readonly (readonly string[])[], signal: AbortSignal): Promise<Known[]> {
    const url = this.#url(`reference_data/maps/${this.#reference}`, {})
    // Without a range QRadar answers with the first 20 entries.
    const answer = await this.#lookup.get(url, signal, { range: `items=0-${MAP_ENTRIES_MAX - 1}` })
    if (answer === null || answer instanceof QueryRefused) return queries.map(() => answer)
    const { data, number_of_elements: size } = answer as Document
    if (typeof size === 'number' && size > MAP_ENTRIES_MAX)
      throw new SourceFailure(`the reference map has more than ${MAP_ENTRIES_MAX} entries; use a reference set`)
    const entries = new Map<string, Document>()
    if (isDocument(data))
      for (const [key, entry] of Object.entries(data)) if (isDocument(entry)) entries.set(plain(key), entry)
    return queries.map((values) => {
      return entryFields(values.map((value) => entries.get(plain(value))).filter((entry) => entry !== undefined))
    })
  }

  async #offenses(values: readonly string[], signal: AbortSignal): Promise<Known> {
    const source = anyOf('offense_source', values)
    if (source === null) return unquotable
    const filter = this.#filter === undefined ? source : `(${source}) and (${this.#filter})`
    const url = this.#url('siem/offenses', { filter, fields: offenseFields, sort: '-start_time' })
    const answer = await this.#lookup.get(url, signal, { range: `items=0-${this.#size - 1}` })
    if (answer === null || answer instanceof QueryRefused) return answer
    const offenses = listOf(answer)
    if (offenses.length === 0) return null
    return {
      count: offenses.length,
      open: offenses.filter(({ status }) => status === 'OPEN').length,
      ids: offenses.map(({ id }) => id),
      statuses: textsOf(offenses, 'status'),
      descriptions: textsOf(offenses, 'description'),
      categories: [
        ...new Set(offenses.flatMap(({ categories }) => (Array.isArray(categories) ? (categories as unknown[]) : []))),
      ].sort(),
      magnitude: largest(offenses, 'magnitude'),
      severity: largest(offenses, 'severity'),
      credibility: largest(offenses, 'credibility'),
      relevance: largest(offenses, 'relevance'),
      latest: timeText(largest(offenses, 'start_time')),
    }
  }

  #url(path: string, query: Readonly<Record<string, string>>): URL {
    const url = new URL(`${this.#base}/api/${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return url
  }
}

const unquotable = new QueryRefused('a value with a quotation mark or a backslash cannot be part of a filter of QRadar')

/** A filter for entries with one of the values, or null where a value cannot be quoted. */
function anyOf(field: string, values: readonly string[]): string | null {
  if (values.some((value) => /["\\\u0000-\u001f]/.test(value))) return null
  return values.map((value) => `${field} = "${value}"`).join(' or ')
}

/** Some kinds of reference data do not tell case apart. */
function plain(value: string): string {
  return value.toLowerCase()
}

/** Entries of a reference set or map. */
function entryFields(entries: readonly Document[]): EnrichmentFields | null {
  if (entries.length === 0) return null
  return {
    count: entries.length,
    values: textsOf(entries, 'value'),
    sources: textsOf(entries, 'source'),
    first_seen: timeText(smallest(entries, 'first_seen')),
    last_seen: timeText(largest(entries, 'last_seen')),
  }
}

function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function listOf(value: unknown): Document[] {
  return Array.isArray(value) ? value.filter(isDocument) : []
}

function textsOf(documents: readonly Document[], name: string): string[] {
  const texts = documents.flatMap(({ [name]: value }) => (value === undefined || value === null ? [] : [String(value)]))
  return [...new Set(texts)].sort()
}

function numbersOf(documents: readonly Document[], name: string): number[] {
  return documents.flatMap(({ [name]: value }) => (typeof value === 'number' ? [value] : []))
}

/** undefined where no document has a number. */
function largest(documents: readonly Document[], name: string): number | undefined {
  const numbers = numbersOf(documents, name)
  return numbers.length === 0 ? undefined : Math.max(...numbers)
}

function smallest(documents: readonly Document[], name: string): number | undefined {
  const numbers = numbersOf(documents, name)
  return numbers.length === 0 ? undefined : Math.min(...numbers)
}

/** Milliseconds since 1970 as ISO 8601; undefined for no time. */
function timeText(ms: number | undefined): string | undefined {
  return ms !== undefined && Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : undefined
}
