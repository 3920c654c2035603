/**
 * Fields: what a question may name of an event.
 *
 * Owns: the way from a name to what is read. Leaves out: reading it (body-fields.ts, query/record-fields.ts).
 *
 * The rule:
 * - `@timestamp` is the original time of the alert: the first date in the body's `@timestamp` or `timestamp`, else the
 *   ingest time. `timestamp_inference` (or `ingest_timestamp`) is the ingest time.
 * - Under the service's configured name or the neutral one, the names of `ownFields` are what the service says of the event,
 *   and so are those of `otherNames`. What a label's place is called (`class_0`, `label_0`) equals a `result` as its id does.
 * - `event_id`, `job_id` and the other names of `bareFields` are the body's where it has a value there, else the
 *   service's. `_id` is the event's id.
 * - Every other name is a path in the body, by the rule of decision points: down through objects, each item of an array on
 *   the way; where that leads to no value, the top-level field that is spelled like the whole path. A path `x.keyword`
 *   means `x` where there is no such field.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'

/** What a field holds, in the words of field mappings. */
export type FieldType = 'keyword' | 'long' | 'double' | 'boolean' | 'date'

/** What the service says of an event, by name under its own, with its type. */
export const ownFields = {
  event_id: 'keyword',
  job_id: 'long',
  job_title: 'keyword',
  title: 'keyword',
  severity: 'keyword',
  storage_tag: 'keyword',
  inference_status: 'keyword',
  result: 'keyword',
  result_label: 'keyword',
  previous_result: 'keyword',
  consensus: 'keyword',
  bucket_state: 'keyword',
  knowledge_base_state: 'keyword',
  bucket_id: 'keyword',
  outlier: 'boolean',
  outlier_flag: 'boolean',
  outlier_score: 'double',
  confidence_score: 'double',
  model: 'keyword',
  'model.path': 'keyword',
  'model.timestamp': 'date',
  last_compute_consensus_timestamp: 'date',
  pipeline_status: 'keyword',
  pipeline_stage: 'keyword',
  'attention.low_confidence_score.attention_required': 'boolean',
  'attention.undecided_consensus.attention_required': 'boolean',
} as const satisfies Record<string, FieldType>

/** What the service says of an event; `…_words`: the id of a label, and what its place is called (wordsField). */
export type OwnName = keyof typeof ownFields | 'result_words' | 'previous_result_words'

/** What clients in production call a field of the service's besides. */
const otherNames = new Map<string, OwnName>([
  ['original_id', 'event_id'],
  ['key_hash', 'bucket_id'],
  ['confidence_percentage', 'confidence_score'],
])

const bareFields = new Map<string, OwnName>(
  (
    [
      'event_id',
      'job_id',
      'job_title',
      'title',
      'severity',
      'storage_tag',
      // Named bare in what the management MCP server tells its agents.
      'attention.low_confidence_score.attention_required',
      'attention.undecided_consensus.attention_required',
    ] as const
  ).map((name) => [name, name]),
)

/** Columns of an answer of events (query/event-documents.ts) that are the service's own under another name than theirs. */
const columnNames = new Map<string, OwnName>([['status', 'inference_status']])

/** Fields of the service's that are looked up beside the record: dearer than the body. */
const ballotFields: ReadonlySet<string> = new Set([
  'consensus',
  'bucket_state',
  'knowledge_base_state',
  'last_compute_consensus_timestamp',
  'attention.undecided_consensus.attention_required',
])

/** A path in the body: `slots` are tried in order, `own` is what counts where none of them has a value. */
export interface BodyField {
  readonly kind: 'body'
  readonly name: string
  readonly slots: readonly number[]
  readonly own: OwnName | null
}

export interface OwnField {
  readonly kind: 'own'
  readonly name: string
  readonly own: OwnName
}

/** A time: its one value is an instant, microseconds. */
export interface TimeField {
  readonly kind: 'time'
  readonly name: string
  readonly which: 'original' | 'ingest'
  /** Of the original time: where the body may have it. */
  readonly slots: readonly number[]
}

export type Field = BodyField | OwnField | TimeField

/** 0: in the record's key or header. 1: in its body. 2: to be looked up. */
export function costOf(field: Field): number {
  if (field.kind === 'own') return ballotFields.has(field.own) ? 2 : 0
  return field.slots.length > 0 ? 1 : 0
}

/** A decision's field as what it is compared with: the label's id and what its place is called; null of any other field. */
export function wordsField(field: Field): OwnField | null {
  if (field.kind !== 'own' || (field.own !== 'result' && field.own !== 'previous_result')) return null
  return { ...field, own: `${field.own}_words` }
}

/** A way into bodies. */
export interface BodyPath {
  readonly names: readonly string[]
  /** Every value of the body, at any depth. */
  readonly whole?: true
}

/** The fields that one question names: each once. */
export class FieldSet {
  /** By slot. */
  readonly paths: BodyPath[] = []
  readonly #serviceNames: readonly string[]
  readonly #fields = new Map<string, Field>()
  readonly #slots = new Map<string, number>()

  /** The configured name, and the neutral one. */
  constructor(serviceNames: readonly string[]) {
    this.#serviceNames = serviceNames
  }

  /** The field of that name. @throws Refusal query_too_large where a question names too many. */
  field(name: string): Field {
    let field = this.#fields.get(name)
    if (field === undefined) {
      if (this.#fields.size >= limits.queryFieldsMax) {
        throw new Refusal('query_too_large', `a query names at most ${limits.queryFieldsMax} fields`)
      }
      field = this.#make(name)
      this.#fields.set(name, field)
    }
    return field
  }

  /** What an answer of events shows in that column: the field, and where no body has it what the service says under that name. */
  column(name: string): Field {
    const field = this.field(name)
    if (field.kind !== 'body' || field.own !== null) return field
    const own = columnNames.get(name) ?? (Object.hasOwn(ownFields, name) ? (name as OwnName) : null)
    return { ...field, own }
  }

  /** Every value of the body. */
  wholeBody(): Field {
    let field = this.#fields.get('')
    if (field === undefined) {
      field = { kind: 'body', name: '*', slots: [this.paths.push({ names: [], whole: true }) - 1], own: null }
      this.#fields.set('', field)
    }
    return field
  }

  #make(name: string): Field {
    if (name === 'timestamp_inference' || name === 'ingest_timestamp')
      return { kind: 'time', name, which: 'ingest', slots: [] }
    if (name === '@timestamp') {
      return { kind: 'time', name, which: 'original', slots: [this.#slot(['@timestamp']), this.#slot(['timestamp'])] }
    }
    const bare = name.endsWith('.keyword') ? name.slice(0, -'.keyword'.length) : name
    if (bare === '_id') return { kind: 'own', name, own: 'event_id' }
    const own = this.#ownName(bare)
    if (own !== null) return { kind: 'own', name, own }
    const slots = [...this.#ways(name), ...(bare === name ? [] : this.#ways(bare))]
    return { kind: 'body', name, slots, own: bareFields.get(bare) ?? null }
  }

  #ownName(name: string): OwnName | null {
    const dot = name.indexOf('.')
    if (dot < 0 || !this.#serviceNames.includes(name.slice(0, dot))) return null
    const rest = name.slice(dot + 1)
    return Object.hasOwn(ownFields, rest) ? (rest as OwnName) : (otherNames.get(rest) ?? null)
  }

  #ways(path: string): number[] {
    const names = path.split('.')
    return names.length === 1 ? [this.#slot(names)] : [this.#slot(names), this.#slot([path])]
  }

  #slot(names: readonly string[]): number {
    const key = JSON.stringify(names)
    let slot = this.#slots.get(key)
    if (slot === undefined) {
      slot = this.paths.push({ names }) - 1
      this.#slots.set(key, slot)
    }
    return slot
  }
}
