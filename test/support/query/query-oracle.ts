/**
 * What a filter should say of an event, computed the simple way: over the exported document, with plain objects,
 * without any code of engine/domain/query.
 */
import type { ScalarValue } from '../../../engine/domain/event/point-value.js'

type Json = Record<string, unknown>

/** One event as the oracle knows it. */
export interface OracleDocument {
  readonly id: string
  readonly jobId: number
  readonly jobTitle: string
  readonly micros: number
  /** The body's fields, title, severity and storage_tag. */
  readonly body: Json
  readonly extras: Json
  /** The service's own section of the export. */
  readonly section: Json
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Every value at the end of a path: at each object, the longest key that leads to one counts. */
function ends(value: unknown, names: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => ends(item, names))
  if (names.length === 0) return [value]
  if (!isObject(value)) return []
  for (let count = names.length; count > 0; count--) {
    const name = names.slice(0, count).join('.')
    const at = Object.hasOwn(value, name) ? ends(value[name], names.slice(count)) : []
    if (at.some(isAnything)) return at
  }
  return []
}

function isAnything(value: unknown): boolean {
  if (value === null || value === undefined) return false
  return typeof value === 'object' ? Object.values(value).some(isAnything) : true
}

function found(document: OracleDocument, path: string): unknown[] {
  const own = ownValue(document, path)
  if (own !== undefined) return own
  const at = ends(document.body, path.split('.'))
  if (at.some(isAnything)) return at
  if (path.endsWith('.keyword')) return found(document, path.slice(0, -8))
  const bare: Json = {
    event_id: document.id,
    job_id: document.jobId,
    job_title: document.jobTitle,
    ...document.extras,
    'attention.undecided_consensus.attention_required': document.section.consensus === 'Undecided',
  }
  return Object.hasOwn(bare, path) ? [bare[path]] : []
}

function ownValue(document: OracleDocument, path: string): unknown[] | undefined {
  if (path === 'timestamp_inference' || path === 'ingest_timestamp') return [document.micros]
  if (path === '@timestamp') return [originalTime(document)]
  if (path === '_id') return [document.id]
  if (!path.startsWith('service.')) return undefined
  const { section } = document
  const name = path.slice('service.'.length)
  const score = section.confidence_score as number
  const trained = section.model as { path: string; timestamp: string } | null
  const model = trained?.path ?? null
  const own: Json = {
    ...section,
    outlier_flag: section.outlier,
    knowledge_base_state: section.bucket_state,
    'model.path': model,
    'model.timestamp': trained?.timestamp ?? null,
    model,
    key_hash: section.bucket_id,
    confidence_percentage: score,
    original_id: document.id,
    event_id: document.id,
    job_id: document.jobId,
    job_title: document.jobTitle,
    title: null,
    severity: null,
    storage_tag: null,
    ...document.extras,
    'attention.low_confidence_score.attention_required': section.result !== '' && score < 60,
    'attention.undecided_consensus.attention_required': section.consensus === 'Undecided',
  }
  for (const other of [
    'timers',
    'log_messages',
    'agentic_notes',
    'previous_result_label',
    'features_hash',
    'full_hash',
  ])
    delete own[other]
  return Object.hasOwn(own, name) ? [own[name]] : undefined
}

export function originalTime(document: OracleDocument): number {
  for (const name of ['@timestamp', 'timestamp']) {
    for (const value of ends(document.body, [name])) {
      const micros = instant(value)
      if (micros !== null) return micros
    }
  }
  return document.micros
}

/** The dates that the tests make: whole milliseconds, UTC; seconds or milliseconds since 1970. */
function instant(value: unknown): number | null {
  if (typeof value === 'number') return value < 1e8 ? null : value < 1e11 ? value * 1e6 : value * 1e3
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return null
  const ms = Date.parse(value)
  return Number.isNaN(ms) ? null : ms * 1000
}

const isNumeric = (value: unknown): boolean =>
  typeof value === 'number' ||
  (typeof value === 'string' && value.trim() === value && value !== '' && !Number.isNaN(Number(value)))

function same(value: unknown, wanted: unknown): boolean {
  if (typeof value === 'number' || typeof wanted === 'number') {
    return (
      isNumeric(value) &&
      isNumeric(wanted) &&
      typeof value !== 'boolean' &&
      typeof wanted !== 'boolean' &&
      Number(value) === Number(wanted)
    )
  }
  return String(value) === String(wanted)
}

/** The values of a field; times in microseconds. */
export function valuesOf(document: OracleDocument, path: string): ScalarValue[] {
  return found(document, path).filter(
    (value) => value !== null && value !== undefined && typeof value !== 'object',
  ) as ScalarValue[]
}

export function exists(document: OracleDocument, path: string): boolean {
  return found(document, path).some(
    (value) => isAnything(value) && !(value === '' && /^service\.(previous_)?result/.test(path)),
  )
}

const timeFields = ['@timestamp', 'timestamp_inference', 'ingest_timestamp']

function ordered(operator: string, left: number | string, right: number | string, rightEnd: number | string): boolean {
  return operator === 'lt'
    ? left < right
    : operator === 'lte'
      ? left <= rightEnd
      : operator === 'gt'
        ? left > rightEnd
        : left >= right
}

/** First and last microsecond of a date as the tests write them: a day, or whole milliseconds. */
function span(date: unknown): [number, number] {
  const first = instant(date) as number
  return [
    first,
    first +
      (typeof date === 'string' && date.length === 10
        ? 86_400e6
        : typeof date === 'number' && date < 1e11
          ? 1e6
          : 1e3) -
      1,
  ]
}

function compare(operator: string, isTime: boolean, value: ScalarValue, wanted: ScalarValue): boolean {
  if (isTime) return ordered(operator, value as number, ...span(wanted))
  if (isNumeric(wanted)) return isNumeric(value) && ordered(operator, Number(value), Number(wanted), Number(wanted))
  if (instant(wanted) !== null) {
    const own = isNumeric(value) ? instant(Number(value)) : instant(value)
    return own !== null && ordered(operator, own, ...span(wanted))
  }
  return typeof value === 'string' && ordered(operator, value, wanted as string, wanted as string)
}

/** Whether the event passes the filter. */
export function passes(
  document: OracleDocument,
  filter: { field: string; operator: string; value?: unknown },
): boolean {
  const { field, operator, value: wanted } = filter
  const negated = /^not |^is not/.test(operator)
  const plain = operator.replace(/^not /, '').replace(/^is not/, 'is')
  const isTime = timeFields.includes(field)
  const values = valuesOf(document, field)
  const text = (value: ScalarValue): string =>
    isTime
      ? `${new Date(Math.floor((value as number) / 1000)).toISOString().slice(0, -1)}${String((value as number) % 1000).padStart(3, '0')}Z`
      : String(value)
  const positive =
    plain === 'exists'
      ? exists(document, field)
      : values.some((value) => {
          switch (plain) {
            case 'is':
              return isTime
                ? (value as number) >= span(wanted)[0] && (value as number) <= span(wanted)[1]
                : same(value, wanted)
            case 'is one of':
              return (wanted as ScalarValue[]).some((one) =>
                isTime ? (value as number) >= span(one)[0] && (value as number) <= span(one)[1] : same(value, one),
              )
            case 'starts with':
              return text(value).startsWith(String(wanted))
            case 'contains':
              return text(value).includes(String(wanted))
            default:
              return compare(plain, isTime, value, wanted as ScalarValue)
          }
        })
  return positive !== negated
}
