/**
 * What VirusTotal knows of the observables in one field of an event.
 *
 * Owns: the path of an observable, and the fields that are added. Leaves out: when it asks (enrichment-requests.ts).
 *
 * 1. One request for each observable. The fields are those of the observable that most engines find malicious.
 * 2. Only public information is asked for: nothing is uploaded.
 */
import type { EnrichmentFields, EnrichmentSource, Known, OpenedParameters, Tools } from '../contract.js'
import { QueryRefused } from '../contract.js'
import { RequestedValues } from '../enrichment/event-values.js'
import { observablesIn, type ObservableType } from '../enrichment/observable.js'
import { textAt } from '../http/http-kind.js'
import { JsonLookup } from '../http/json-lookup.js'

export const STANDARD_URL = 'https://www.virustotal.com/api/v3'
const AT_ONCE = 4
/** Each costs a request of a small quota. */
const OBSERVABLES_MAX = 4
/** MD5, SHA-1 and SHA-256, in hexadecimal. */
const hashLengths: ReadonlySet<number> = new Set([32, 40, 64])

type Document = Readonly<Record<string, unknown>>

export class VirusTotalEnrichment implements EnrichmentSource {
  readonly batchMax = 1
  readonly atOnce = AT_ONCE
  readonly #lookup: JsonLookup
  readonly #base: string
  readonly #values: RequestedValues

  constructor(connection: OpenedParameters, parameters: OpenedParameters, tools: Tools) {
    this.#lookup = new JsonLookup(connection, tools, {
      credentials: { 'x-apikey': String(connection.api_key) },
      // A wrong URL of the API gives 404, too, but not this document.
      isNothing: (document) => objectAt(document, 'error').code === 'NotFoundError',
    })
    this.#base = (textAt(connection, 'url') ?? STANDARD_URL).replace(/\/+$/, '')
    this.#values = new RequestedValues(String(parameters.event_field))
  }

  subjectOf(document: Document): string | null {
    const paths = new Map<string, string>()
    for (const value of this.#values.of(document))
      for (const [type, text] of observablesIn(value)) {
        const path = pathOf(type, text)
        if (path !== null && paths.size < OBSERVABLES_MAX) paths.set(path, text)
      }
    return paths.size === 0 ? null : JSON.stringify([...paths])
  }

  async find(subjects: readonly string[], signal: AbortSignal): Promise<Known[]> {
    const known: Known[] = []
    for (const subject of subjects) known.push(await this.#find(JSON.parse(subject) as [string, string][], signal))
    return known
  }

  async close(): Promise<void> {
    this.#lookup.close()
  }

  async #find(observables: readonly (readonly [path: string, value: string])[], signal: AbortSignal): Promise<Known> {
    const found: EnrichmentFields[] = []
    let refused: QueryRefused | null = null
    for (const [path, value] of observables) {
      const answer = await this.#lookup.get(new URL(`${this.#base}/${path}`), signal)
      if (answer instanceof QueryRefused) refused = answer
      else if (answer !== null) found.push(fieldsOf(value, objectAt(answer, 'data')))
    }
    if (found.length === 0) return refused
    const [worst] = found.toSorted((a, b) => Number(b.malicious) - Number(a.malicious))
    return { ...worst, count: found.length }
  }
}

function pathOf(type: ObservableType, value: string): string | null {
  switch (type) {
    case 'ipv4-addr':
    case 'ipv6-addr':
      return `ip_addresses/${encodeURIComponent(value)}`
    case 'domain-name':
      return `domains/${encodeURIComponent(value)}`
    case 'url':
      return `urls/${Buffer.from(value, 'utf8').toString('base64url')}`
    case 'file':
      return hashLengths.has(value.length) ? `files/${value}` : null
    case 'email-addr':
      return null
  }
}

function fieldsOf(value: string, data: Document): EnrichmentFields {
  const attributes = objectAt(data, 'attributes')
  const stats = objectAt(attributes, 'last_analysis_stats')
  const threat = objectAt(attributes, 'popular_threat_classification')
  const analysed = attributes.last_analysis_date
  return {
    value,
    type: data.type,
    malicious: countAt(stats, 'malicious'),
    suspicious: countAt(stats, 'suspicious'),
    harmless: countAt(stats, 'harmless'),
    undetected: countAt(stats, 'undetected'),
    reputation: attributes.reputation,
    tags: textsIn(attributes.tags),
    categories: textsIn(Object.values(objectAt(attributes, 'categories'))),
    country: attributes.country,
    as_owner: attributes.as_owner,
    registrar: attributes.registrar,
    file_name: attributes.meaningful_name,
    file_type: attributes.type_description,
    threat_label: threat.suggested_threat_label,
    ...(typeof analysed === 'number' && Number.isFinite(analysed) && Math.abs(analysed) < 8e12
      ? { last_analysis: new Date(analysed * 1_000).toISOString() }
      : {}),
  }
}

function objectAt(value: unknown, name: string): Document {
  const found = typeof value === 'object' && value !== null ? (value as Document)[name] : undefined
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as Document) : {}
}

function countAt(stats: Document, name: string): number {
  const count = stats[name]
  return typeof count === 'number' ? count : 0
}

function textsIn(value: unknown): string[] {
  if (!Array.isArray(value)) return []
  return [...new Set(value.filter((one): one is string => typeof one === 'string'))].sort()
}
