/**
 * What a search should answer, computed the simple way over plain documents, without any code of engine/domain/query.
 * Only fields of the service are compared as times; bodies hold dates as texts.
 */
import { exists, passes, valuesOf, type OracleDocument } from './query-oracle.js'

type Json = Record<string, any>

/** The words of the tests' texts: separated by white space, a colon after a word, `*` or `?`. */
function words(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}.:]+/u)
    .flatMap((word) => (/^\d/.test(word) && word.includes(':') ? word.split(':') : [word]))
    .map((word) => word.replace(/[.:]+$/, ''))
    .filter((word) => word !== '')
}

const own = (field: string): boolean =>
  field.startsWith('service.') || field.startsWith('@') || field === '_id' || field.startsWith('timestamp_')
const filter = (document: OracleDocument, field: string, operator: string, value?: unknown): boolean =>
  passes(document, { field, operator, value })

function pattern(wildcard: string): RegExp {
  return new RegExp(
    `^${wildcard
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '[^]*')
      .replaceAll('?', '[^]')}$`,
    'u',
  )
}

/** Whether the document passes the clause. */
export function holds(document: OracleDocument, clause: Json): boolean {
  const [name, body] = Object.entries(clause)[0] as [string, Json]
  const [field, raw] = (Object.entries(body)[0] ?? ['', null]) as [string, any]
  const value = typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? (raw.value ?? raw.query) : raw
  switch (name) {
    case 'match_all':
      return true
    case 'match_none':
      return false
    case 'bool':
      return holdsBool(document, body)
    case 'constant_score':
      return holds(document, body.filter)
    case 'dis_max':
      return body.queries.some((one: Json) => holds(document, one))
    case 'ids':
      return body.values.includes(document.id)
    case 'exists':
      return exists(document, body.field)
    case 'term':
      return filter(document, field, 'is', value)
    case 'terms':
      return filter(document, field, 'is one of', raw)
    case 'prefix':
      return filter(document, field, 'starts with', value)
    case 'wildcard':
      return valuesOf(document, field).some((one) => pattern(value).test(String(one)))
    case 'range':
      return valuesOf(document, field).some((one) =>
        Object.entries(raw as Json).every(([operator, bound]) => {
          return passes(
            { ...document, body: { x: one }, micros: one as number },
            { field: own(field) ? field : 'x', operator, value: bound },
          )
        }),
      )
    case 'match':
      return own(field)
        ? filter(document, field, 'is', value)
        : matchesWords(document, field, String(value), raw.operator === 'and')
    case 'match_phrase':
      return own(field)
        ? filter(document, field, 'is', value)
        : valuesOf(document, field).some((one) => {
            return (
              words(String(value)).length > 0 &&
              `\n${words(String(one)).join('\n')}\n`.includes(`\n${words(String(value)).join('\n')}\n`)
            )
          })
    default:
      throw new Error(`the oracle does not know ${name}`)
  }
}

function matchesWords(document: OracleDocument, field: string, text: string, all: boolean): boolean {
  const has = new Set(valuesOf(document, field).flatMap((one) => words(String(one))))
  const wanted = words(text)
  if (
    valuesOf(document, field).some((one) => typeof one === 'number' && text.trim() !== '' && Number(text) === one) &&
    wanted.length > 0
  )
    return true
  return wanted.length > 0 && (all ? wanted.every((word) => has.has(word)) : wanted.some((word) => has.has(word)))
}

function holdsBool(
  document: OracleDocument,
  { must = [], filter: also = [], should = [], must_not = [], minimum_should_match }: Json,
): boolean {
  const list = (clauses: Json | Json[]): Json[] => (Array.isArray(clauses) ? clauses : [clauses])
  const needed = [...list(must), ...list(also)]
  const least = minimum_should_match ?? (list(should).length > 0 && needed.length === 0 ? 1 : 0)
  return (
    needed.every((one) => holds(document, one)) &&
    !list(must_not).some((one) => holds(document, one)) &&
    list(should).filter((one) => holds(document, one)).length >= least
  )
}

const numeric = (value: unknown): number | null => {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'number') return value
  return typeof value === 'string' && value.trim() !== '' && !Number.isNaN(Number(value)) ? Number(value) : null
}

function figures(documents: readonly OracleDocument[], field: string): number[] {
  return documents
    .flatMap((document) => valuesOf(document, field))
    .flatMap((value) => {
      const number = numeric(value)
      if (number !== null) return [number]
      return typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) ? [Date.parse(value)] : []
    })
}

const close = (number: number | null): number | null => (number === null ? null : Number(number.toPrecision(12)))

/** The expected aggregation: figures to twelve digits, buckets with their counts. */
export function aggregate(documents: readonly OracleDocument[], aggregation: Json): Json {
  const inner = (aggregation.aggs ?? {}) as Json
  const [kind, body] = Object.entries(aggregation).find(([name]) => name !== 'aggs') as [string, Json]
  const bucket = (inside: readonly OracleDocument[]): Json => ({
    doc_count: inside.length,
    ...Object.fromEntries(Object.entries(inner).map(([name, one]) => [name, aggregate(inside, one)])),
  })
  const field = body.field as string
  const numbers = figures(documents, field ?? '')
  const sum = numbers.reduce((a, b) => a + b, 0)
  const [min, max] = numbers.length === 0 ? [null, null] : [Math.min(...numbers), Math.max(...numbers)]
  switch (kind) {
    case 'min':
      return { value: min }
    case 'max':
      return { value: max }
    case 'sum':
      return { value: close(sum) }
    case 'avg':
      return { value: numbers.length === 0 ? null : close(sum / numbers.length) }
    case 'stats':
      return {
        count: numbers.length,
        min,
        max,
        avg: numbers.length === 0 ? null : close(sum / numbers.length),
        sum: close(sum),
      }
    case 'value_count':
      return { value: documents.flatMap((document) => valuesOf(document, field)).length }
    case 'cardinality':
      return { value: new Set(documents.flatMap((document) => valuesOf(document, field))).size }
    case 'filter':
      return bucket(documents.filter((document) => holds(document, body)))
    case 'missing':
      return bucket(documents.filter((document) => !exists(document, field)))
    case 'filters':
      return {
        buckets: Object.fromEntries(
          Object.entries(body.filters as Json).map(([name, one]) => [
            name,
            bucket(documents.filter((document) => holds(document, one))),
          ]),
        ),
      }
    case 'range':
      return {
        buckets: (body.ranges as Json[]).map(({ key, from = -Infinity, to = Infinity }) => ({
          key,
          ...bucket(documents.filter((document) => figures([document], field).some((one) => one >= from && one < to))),
        })),
      }
    case 'histogram':
      return histogram(
        documents,
        (document) => valuesOf(document, field).map(numeric),
        (value) => Math.floor(value / body.interval) * body.interval,
        bucket,
      )
    case 'date_histogram':
      return histogram(
        documents,
        (document) =>
          valuesOf(document, field).map((value) => {
            if (own(field)) return (value as number) / 1000
            if (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value)) return Date.parse(value)
            return typeof value === 'number' && value > 1e8 ? (value < 1e11 ? value * 1e3 : value) : null
          }),
        (value) => Math.floor(value / 86_400e3) * 86_400e3,
        bucket,
      )
    case 'terms':
      return terms(documents, body, field, bucket)
    default:
      throw new Error(`the oracle does not know ${kind}`)
  }
}

function histogram(
  documents: readonly OracleDocument[],
  valuesAt: (document: OracleDocument) => (number | null)[],
  floor: (value: number) => number,
  bucket: (inside: readonly OracleDocument[]) => Json,
): Json {
  const starts = [
    ...new Set(
      documents
        .flatMap(valuesAt)
        .filter((value) => value !== null)
        .map(floor),
    ),
  ].sort((a, b) => a - b)
  const inside = (start: number): OracleDocument[] =>
    documents.filter((document) => valuesAt(document).some((value) => value !== null && floor(value) === start))
  return { buckets: starts.map((key) => ({ key, ...bucket(inside(key)) })) }
}

function terms(
  documents: readonly OracleDocument[],
  body: Json,
  field: string,
  bucket: (inside: readonly OracleDocument[]) => Json,
): Json {
  const keys = [...new Set(documents.flatMap((document) => valuesOf(document, field)))]
  const order = (a: any, b: any): number => {
    if (typeof a.key === 'number' || typeof b.key === 'number')
      return typeof a.key === typeof b.key ? a.key - b.key : typeof a.key === 'number' ? -1 : 1
    return String(a.key) < String(b.key) ? -1 : 1
  }
  const buckets = keys
    .map((key) => ({ key, ...bucket(documents.filter((document) => valuesOf(document, field).includes(key))) }) as Json)
    .sort((a, b) => b.doc_count - a.doc_count || order(a, b))
  const shown = buckets.slice(0, body.size ?? 10)
  const count = (list: readonly Json[]): number => list.reduce((all, one) => all + one.doc_count, 0)
  return {
    sum_other_doc_count: count(buckets) - count(shown),
    buckets: shown.map((one) => (typeof one.key === 'boolean' ? { ...one, key: Number(one.key) } : one)),
  }
}

/**
 * An answer's aggregation in the form of aggregate(): without texts of keys and error bounds, figures to twelve digits.
 */
export function plain(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(plain)
  if (typeof result === 'number') return close(result)
  if (typeof result !== 'object' || result === null) return result
  const dropped = ['doc_count_error_upper_bound', 'key_as_string', 'from', 'to']
  return Object.fromEntries(
    Object.entries(result)
      .filter(([name]) => !dropped.includes(name))
      .map(([name, value]) => [name, plain(value)]),
  )
}
