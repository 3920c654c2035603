/**
 * A search engine as enrichment: documents with the same value as a field of the event, and their fields.
 *
 * Owns: the query, and which fields of the documents are added. Leaves out: when it runs (enrichment-requests.ts).
 *
 * 1. A value of the event is a value in the query, and never part of the query language.
 * 2. A partial answer counts as none.
 * 3. The fields of documents are read as those of events are (domain/event/field-reader.ts), and put at their paths.
 * 4. A value that the document field cannot have, such as a name for an address, makes only its own query fail.
 */
import { cutText } from '../../domain/event/input/cut-text.js'
import { DecisionPoints } from '../../domain/event/decision-points.js'
import { eventOfPaths } from '../../domain/event/input/event-of-paths.js'
import { FieldReader } from '../../domain/event/field-reader.js'
import type { ScalarValue } from '../../domain/event/point-value.js'
import type { ParameterSpec } from '../../resource/registry/parameters.js'
import { bounds } from '../bounds.js'
import type { Known, EnrichmentSource, OpenedParameters, Tools } from '../contract.js'
import { SourceFailure, QueryRefused } from '../contract.js'
import { HttpFailure } from '../http/http-client.js'
import { lastingOf, outcomeOf, sourceFailureOf, sourceFailureOfError, textAt } from '../http/http-kind.js'
import { exactDocumentIn, reasonOf, SearchClient } from './search-client.js'
import { checkComplete, sourcesIn } from './search-query.js'

const BATCH_MAX = 50
const AT_ONCE = 4
export const SIZE_MAX = 20
/** Values of the event's field in one query, and characters of one value. */
const VALUES_MAX = 16
const VALUE_CHARS_MAX = 1_024
/** Paths of one answer; further ones are left out. */
const PATHS_MAX = 1_000

/** Parameters of the role enrichment, in addition to those of all kinds. */
export const searchEnrichmentParameters: readonly ParameterSpec[] = [
  {
    name: 'index_pattern',
    type: 'string',
    required: true,
    description: 'Indexes to search, separated by commas; * is allowed.',
    check: (text) => (/^[^\s\\/?"<>|#]+$/.test(text) ? null : 'must be names of indexes, separated by commas'),
  },
  {
    name: 'event_field',
    type: 'string',
    required: true,
    description: 'The field of the event whose value is searched, such as source.ip.',
  },
  {
    name: 'document_field',
    type: 'string',
    required: true,
    description: 'The field of the documents that must have the same value: a keyword, an address or a number.',
  },
  {
    name: 'fields',
    type: 'string',
    required: false,
    description: 'Fields of the documents to add, separated by commas; empty for all.',
  },
  {
    name: 'size',
    type: 'number',
    required: false,
    minimum: 1,
    maximum: SIZE_MAX,
    default: 1,
    description: 'The most documents to use. With more than one, each field is a list of its values.',
  },
  {
    name: 'newest_by',
    type: 'string',
    required: false,
    description: 'A date field. The newest documents are used first.',
  },
  {
    name: 'filter',
    type: 'string',
    required: false,
    description: 'A query string that the documents must also match.',
  },
]

export class SearchEnrichment implements EnrichmentSource {
  readonly batchMax = BATCH_MAX
  readonly atOnce = AT_ONCE
  readonly #client: SearchClient
  readonly #header: string
  readonly #point: DecisionPoints
  readonly #reader = new FieldReader('kept')
  readonly #field: string
  readonly #source: readonly string[]
  readonly #size: number
  readonly #newestBy: string | undefined
  readonly #filter: string | undefined

  constructor(connection: OpenedParameters, parameters: OpenedParameters, tools: Tools) {
    this.#client = new SearchClient(connection, tools)
    this.#header = JSON.stringify({ index: String(parameters.index_pattern).split(','), ignore_unavailable: true })
    this.#point = new DecisionPoints([String(parameters.event_field)], 'kept')
    this.#field = String(parameters.document_field)
    this.#source = (textAt(parameters, 'fields') ?? '')
      .split(',')
      .map((field) => field.trim())
      .filter((field) => field !== '')
    this.#size = Number(parameters.size ?? 1)
    this.#newestBy = textAt(parameters, 'newest_by')
    this.#filter = textAt(parameters, 'filter')
  }

  subjectOf(document: Readonly<Record<string, unknown>>): string | null {
    const [value] = this.#point.valuesOf(document)
    if (value === null || value === undefined) return null
    const values = (Array.isArray(value) ? (value as readonly ScalarValue[]) : [value as ScalarValue])
      .filter(isQueried)
      .slice(0, VALUES_MAX)
    return values.length === 0 ? null : JSON.stringify(values)
  }

  async find(subjects: readonly string[], signal: AbortSignal): Promise<Known[]> {
    const lines = subjects
      .map((subject) => `${this.#header}\n${JSON.stringify(this.#query(JSON.parse(subject)))}\n`)
      .join('')
    try {
      const answer = await this.#client.send({ path: '/_msearch', body: lines, signal })
      const outcome = outcomeOf(answer)
      if (outcome.outcome !== 'delivered') throw sourceFailureOf(outcome)
      const { responses } = exactDocumentIn(answer)
      if (!Array.isArray(responses) || responses.length !== subjects.length)
        throw new HttpFailure('the answer does not cover every query')
      return responses.map((one: unknown) => this.#fieldsOf(one))
    } catch (error) {
      throw sourceFailureOfError(error)
    }
  }

  async close(): Promise<void> {
    this.#client.close()
  }

  #query(values: readonly ScalarValue[]): Record<string, unknown> {
    const filter = [
      { terms: { [this.#field]: values } },
      ...(this.#filter === undefined ? [] : [{ query_string: { query: this.#filter } }]),
    ]
    return {
      size: this.#size,
      track_total_hits: false,
      _source: this.#source.length === 0 ? true : this.#source,
      ...(this.#newestBy === undefined
        ? {}
        : { sort: [{ [this.#newestBy]: { order: 'desc', unmapped_type: 'date' } }] }),
      query: { bool: { filter } },
    }
  }

  #fieldsOf(answer: unknown): Known {
    if (typeof answer !== 'object' || answer === null) throw new HttpFailure('the answer is not that of a search')
    const document = answer as Record<string, unknown>
    if (document.error !== undefined) {
      const reason = cutText(rootCause(document.error), bounds.reasonCharsMax)
      if (document.status === 400) return new QueryRefused(reason)
      throw new SourceFailure(reason, 0, lastingOf(Number(document.status)))
    }
    checkComplete(document)
    const sources = sourcesIn(document)
    if (sources.length === 0) return null
    return { ...this.#merged(sources), count: sources.length }
  }

  /** The values at each path of the documents. If several may be used, each is a list of the distinct ones. */
  #merged(sources: readonly Readonly<Record<string, unknown>>[]): Record<string, unknown> {
    const found = new Map<string, Set<ScalarValue>>()
    for (const source of sources)
      this.#reader.each(source, (path, value) => {
        const values = found.get(path) ?? new Set()
        for (const one of Array.isArray(value) ? (value as readonly ScalarValue[]) : [value as ScalarValue])
          values.add(one)
        if (found.size < PATHS_MAX) found.set(path, values)
      })
    const merged = [...found].map(([path, values]) => {
      const all = [...values]
      return [path, all.length === 1 && this.#size === 1 ? all[0] : all] as const
    })
    return eventOfPaths(Object.fromEntries(merged))
  }
}

/** The cause of an error of all shards. */
function rootCause(error: unknown): string {
  const { root_cause: causes } = (error ?? {}) as { root_cause?: unknown }
  return reasonOf(Array.isArray(causes) && causes.length > 0 ? causes[0] : error)
}

function isQueried(value: ScalarValue): boolean {
  return typeof value !== 'string' || (value !== '' && value.length <= VALUE_CHARS_MAX)
}
