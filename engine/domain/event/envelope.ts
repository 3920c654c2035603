/**
 * The envelope: the request body around an event, `{job_id, raw_body, event_id?, title?, severity?, storage_tag?}`.
 *
 * Owns: which fields are read, and which are dropped. Leaves out: the job id, which has already routed the request.
 *
 * 1. `raw_body` is an object, or the event is refused.
 * 2. A body that this service has exported may be sent again (C3.2). Its section named after the service then loses the
 *    fields that the service had written, and keeps the client's. So does `metadata` beside it.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { DecisionPoints } from './decision-points.js'
import { timeOf } from './event-time.js'
import { eventTimeFields } from './event-time-fields.js'
import { isJsonObject, parseJson, WrittenNumber, type OnRepeated } from './json.js'
import { hasMoreNames } from './json-names.js'
import { hasMoreValues, valuesMaxOf } from './json-size.js'
import type { ScalarValue } from './point-value.js'

/** What the client sent beside raw_body. It is stored and exported, and never decides. */
export interface EventExtras {
  readonly title?: string | undefined
  readonly severity?: ScalarValue | undefined
  readonly storage_tag?: string | undefined
}

export interface Envelope {
  readonly rawBody: Record<string, unknown>
  readonly extras: EventExtras | null
  /** The id in the body, or null. Only callers that take ids from bodies use it. */
  readonly eventId: string | null
}

/** The fields of an exported section. read/export.ts writes these and no others: the compiler checks it. */
export const sectionFields = [
  'result',
  'result_label',
  'inference_status',
  'inference_result',
  'title',
  'severity',
  'original_index',
  'artifacts',
  'batch_uuid',
  'batch_master_uuid',
  'bucket_state',
  'bucket_id',
  'key_hash',
  'features_hash',
  'full_hash',
  'confidence_score',
  'outlier',
  'outlier_score',
  'consensus',
  'model',
  'timers',
  'log_messages',
  'previous_result',
  'previous_result_label',
  'agentic_notes',
  'cluster',
  'suggestion',
  'knowledge_base_state',
  'outlier_flag',
  'attention',
  'original_id',
  'storage_tag',
  'pipeline_status',
  'pipeline_stage',
  'last_compute_consensus_timestamp',
  'autonomy',
] as const

/** More fields that exports of other implementations of this API have (C3.11, and samples of exports). */
const foreignFields = ['storage_tag_display_name', 'confidence_percentage'] as const

const oldFields: ReadonlySet<string> = new Set([...sectionFields, ...foreignFields])

/** The most values in a request body. Those of the event in it have a bound of their own. */
const VALUES_MAX = valuesMaxOf(limits.eventBytesMax)

/**
 * Parses the text of a request body. `repeated` as parseJson.
 * @throws Refusal invalid_json, invalid_body, event_too_wide, number_too_large.
 */
export function parseEnvelope(text: string, sectionNames: readonly string[], repeated?: OnRepeated): Envelope {
  return readEnvelope(parseBody(text, repeated), sectionNames)
}

/**
 * Parses the text of a request body with an event in it. `repeated` as parseJson.
 * @throws Refusal invalid_json, event_too_wide, number_too_large.
 */
export function parseBody(text: string, repeated?: OnRepeated): unknown {
  if (hasMoreValues(text, VALUES_MAX))
    throw new Refusal('event_too_wide', `the body has more than ${VALUES_MAX} values`)
  if (hasMoreNames(text, limits.bodyNamesMax))
    throw new Refusal('event_too_wide', `the event has more than ${limits.bodyNamesMax} different field names`)
  try {
    return parseJson(text, repeated)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal('invalid_json', 'the body is not JSON')
  }
}

/** Reads a parsed request body. @throws Refusal invalid_body. */
export function readEnvelope(parsed: unknown, sectionNames: readonly string[]): Envelope {
  if (!isJsonObject(parsed)) throw wrongBody([], 'the body must be a JSON object', 'object_type')
  const rawBody = parsed.raw_body
  if (rawBody === undefined || rawBody === null) throw wrongBody(['raw_body'], 'Field required', 'missing')
  if (!isJsonObject(rawBody)) throw wrongBody(['raw_body'], 'Input should be an object', 'object_type')
  for (let i = 0; i < sectionNames.length; i++) {
    const section = rawBody[sectionNames[i] as string]
    if (section !== undefined) dropOldResult(rawBody, sectionNames[i] as string, section)
  }
  return { rawBody, extras: extrasOf(parsed), eventId: idIn(parsed) }
}

/** The job in a body is that of the address, or there is none in it. @throws Refusal invalid_body. */
export function mustNameJob({ job_id: named }: Readonly<Record<string, unknown>>, jobId: number): void {
  if (named === undefined || named === null || named === '' || Number(named) === jobId) return
  throw wrongBody(['job_id'], `The path names the job ${jobId}: name the same job here, or none`, 'value_error')
}

/** A refusal of the value at that path of the body. */
export function wrongBody(path: readonly string[], msg: string, type: string): Refusal {
  return new Refusal('invalid_body', `${['body', ...path].join('.')}: ${msg}`, {
    issues: [{ loc: ['body', ...path], msg, type }],
  })
}

function idIn(parsed: Record<string, unknown>): string | null {
  const id = parsed.event_id
  if (id === undefined || id === null || id === '') return null
  if (typeof id === 'string') return id
  if (typeof id === 'number' || id instanceof WrittenNumber) return String(id)
  throw wrongBody(['event_id'], 'Input should be a string', 'string_type')
}

/** Scalars only: depth and fields are bounded in `raw_body` alone (body-writer.ts). */
function extrasOf(parsed: Record<string, unknown>): EventExtras | null {
  const title = textIn(parsed.title)
  const severity = scalarIn(parsed.severity)
  const storageTag = textIn(parsed.storage_tag)
  if (title === undefined && severity === undefined && storageTag === undefined) return null
  return { title, severity, storage_tag: storageTag }
}

function scalarIn(value: unknown): ScalarValue | undefined {
  if (value instanceof WrittenNumber) return value.value
  return typeof value === 'object' ? undefined : (value as ScalarValue | undefined)
}

/** A number is taken as its text. */
function textIn(value: unknown): string | undefined {
  const scalar = value instanceof WrittenNumber ? value.text : scalarIn(value)
  return scalar === undefined ? undefined : String(scalar)
}

function dropOldResult(rawBody: Record<string, unknown>, name: string, section: unknown): void {
  if (!isJsonObject(section) || section.inference_status === undefined) return
  const rest: Record<string, unknown> = {}
  let left = false
  for (const [field, value] of Object.entries(section)) {
    if (oldFields.has(field)) continue
    rest[field] = value
    left = true
  }
  if (left) rawBody[name] = rest
  else delete rawBody[name]
  dropOldFrame(rawBody, section)
}

/** Drops what an export has beside its section, where the section has the same value. */
function dropOldFrame(rawBody: Record<string, unknown>, section: Record<string, unknown>): void {
  const { original_id: id, title, severity, timers } = section
  const ingested = isJsonObject(timers) ? timers.ingest_timestamp : undefined
  for (const name of ['@timestamp', 'timestamp_inference'])
    if (ingested !== undefined && rawBody[name] === ingested) delete rawBody[name]
  // Where it is another field's, an export has it beside that one.
  if (rawBody['@timestamp'] !== undefined && otherTimeOf(rawBody) === timeOf(rawBody['@timestamp']))
    delete rawBody['@timestamp']
  const { metadata } = rawBody
  if (!isJsonObject(metadata) || id === undefined || metadata.id !== id) return
  const old: Record<string, unknown> = {
    id,
    ingested_timestamp: ingested ?? metadata.ingested_timestamp,
    description: title ?? metadata.description,
    severity: severity ?? metadata.severity,
  }
  const rest = Object.entries(metadata).filter(([field, value]) => value !== old[field])
  if (rest.length > 0) rawBody.metadata = Object.fromEntries(rest)
  else delete rawBody.metadata
}

const otherTimes = new DecisionPoints(eventTimeFields.filter((field) => field !== '@timestamp'))

/** The first time in another field than `@timestamp`, microseconds; undefined without one. */
function otherTimeOf(rawBody: Record<string, unknown>): number | undefined {
  for (const value of otherTimes.valuesOf(rawBody)) {
    const micros = timeOf(Array.isArray(value) ? value[0] : value)
    if (micros !== null) return micros
  }
  return undefined
}
