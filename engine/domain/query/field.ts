/**
 * Fields: the names that a query may use for parts of an event.
 *
 * Owns: the meaning of a name. Leaves out: reading the value (body-fields.ts, query/record-fields.ts).
 *
 * | name                            | means                                                                          |
 * |---------------------------------|--------------------------------------------------------------------------------|
 * | `@timestamp`                    | the event's own time (event/event-time-fields.ts)                              |
 * | `timestamp_inference`           | the ingest time, as `ingest_timestamp`                                         |
 * | `<service>.<name>`              | the service's own field: a name in `ownFields` or `otherNames`                 |
 * | `_id`                           | the event's id                                                                 |
 * | a name in `bareFields`          | the body's field if it has a value, else the service's own                     |
 * | any other                       | a path in the body                                                             |
 *
 * `<service>` is the configured or the neutral name. An event without a time of its own has that of its arrival.
 *
 * 1. Paths are those of decision points (event/path.ts).
 * 2. A path `x.keyword` means `x` if there is no such field.
 * 3. A `result` equals the id of its label, and also the words for the label's place (`class_0`, `label_0`). An
 *    `inference_status` equals `finished`, and also `OK`.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'

/** A field's type, as field mappings name it. */
export type FieldType = 'keyword' | 'long' | 'double' | 'boolean' | 'date'

/** The service's own fields of an event, by name, with their types. */
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
  autonomy: 'keyword',
  assigned: 'keyword',
  voter: 'keyword',
  voted: 'keyword',
  note: 'keyword',
  'attention.low_confidence_score.attention_required': 'boolean',
  'attention.undecided_consensus.attention_required': 'boolean',
} as const satisfies Record<string, FieldType>

/** A field of the service's own. `…_words` holds the words that mean its value (wordsField). */
export type OwnName = keyof typeof ownFields | 'result_words' | 'previous_result_words' | 'inference_status_words'

/** Other names that clients in production use for own fields. */
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
      // The management MCP server tells its agents these names.
      'attention.low_confidence_score.attention_required',
      'attention.undecided_consensus.attention_required',
    ] as const
  ).map((name) => [name, name]),
)

/** Columns of an answer (query/event-documents.ts) that show an own field under another name. */
const columnNames = new Map<string, OwnName>([['status', 'pipeline_status']])

/** Fields in which '' stands for a decision that was not made (S4). */
export const undecidedFields: ReadonlySet<OwnName> = new Set(['result', 'result_label', 'previous_result'])

/** Own fields that need another read besides the record: they cost more than the body. */
const ballotFields: ReadonlySet<string> = new Set([
  'consensus',
  'bucket_state',
  'knowledge_base_state',
  'last_compute_consensus_timestamp',
  'assigned',
  'voter',
  'voted',
  'note',
  'attention.undecided_consensus.attention_required',
])

/** Own fields that are kept beside events: who has an event. */
const workFields: readonly OwnName[] = ['assigned']

/** A path in the body. `slots` are tried in order; if none has a value, the own field `own` counts. */
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

/** A time. It has one value, an instant in microseconds. */
export interface TimeField {
  readonly kind: 'time'
  readonly name: string
  readonly which: 'original' | 'ingest'
}

export type Field = BodyField | OwnField | TimeField

/** Cost of reading: 0 in the record's key or header, 1 in its body, 2 elsewhere. */
export function costOf(field: Field): number {
  if (field.kind === 'own') return ballotFields.has(field.own) ? 2 : 0
  return field.kind === 'body' ? 1 : 0
}

/** For a field whose values have several words: its field of words, which is compared instead. Null for others. */
export function wordsField(field: Field): OwnField | null {
  if (field.kind !== 'own') return null
  if (field.own !== 'result' && field.own !== 'previous_result' && field.own !== 'inference_status') return null
  return { ...field, own: `${field.own}_words` }
}

/** True for two names of the same values. */
export function isSameField(a: Field, b: Field): boolean {
  if (a.kind === 'own') return b.kind === 'own' && a.own.replace(/_words$/, '') === b.own.replace(/_words$/, '')
  if (a.kind === 'time') return b.kind === 'time' && a.which === b.which
  return b.kind === 'body' && a.name === b.name && a.own === b.own
}

/** A path into bodies. */
export interface BodyPath {
  /** Names with dots between them. */
  readonly text: string
  /** Every value of the body, at any depth. */
  readonly whole?: true
}

/** The fields that one query names, each once. */
export class FieldSet {
  /** By slot. */
  readonly paths: BodyPath[] = []
  readonly #serviceNames: readonly string[]
  readonly #fields = new Map<string, Field>()
  readonly #slots = new Map<string, number>()
  readonly #own = new Set<OwnName>()

  /** `serviceNames`: the configured name and the neutral one. */
  constructor(serviceNames: readonly string[]) {
    this.#serviceNames = serviceNames
  }

  /** The field of that name. @throws Refusal query_too_large if the query names too many. */
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

  /** The field shown in a column of an answer: the body's, or else the service's own of that name. */
  column(name: string): Field {
    const field = this.field(name)
    if (field.kind !== 'body' || field.own !== null) return field
    const own = columnNames.get(name) ?? (Object.hasOwn(ownFields, name) ? (name as OwnName) : null)
    return { ...field, own }
  }

  /** What a body has at a path, whatever else has that name. */
  path(name: string): BodyField {
    return { kind: 'body', name, slots: [this.#slot(name)], own: null }
  }

  /** The service's own field, whatever an event has under that name. */
  own(own: OwnName): OwnField {
    this.#own.add(own)
    return { kind: 'own', name: own, own }
  }

  /** @throws Refusal invalid_body where a field of the set is one of people's work: there it is not known. */
  mustBeDecided(place: readonly string[]): void {
    for (const name of workFields) {
      if (!this.#own.has(name)) continue
      const msg = `${name} is not known here: it is no part of a decision`
      throw new Refusal('invalid_body', `${place.at(-1)}: ${msg}`, {
        issues: [{ loc: place, msg, type: 'value_error' }],
      })
    }
  }

  /** Every value of the body. */
  wholeBody(): Field {
    let field = this.#fields.get('')
    if (field === undefined) {
      field = { kind: 'body', name: '*', slots: [this.paths.push({ text: '', whole: true }) - 1], own: null }
      this.#fields.set('', field)
    }
    return field
  }

  #make(name: string): Field {
    if (name === 'timestamp_inference' || name === 'ingest_timestamp') return { kind: 'time', name, which: 'ingest' }
    if (name === '@timestamp') return { kind: 'time', name, which: 'original' }
    const bare = name.endsWith('.keyword') ? name.slice(0, -'.keyword'.length) : name
    if (bare === '_id') return { kind: 'own', name, own: 'event_id' }
    const own = this.#ownName(bare)
    if (own !== null) this.#own.add(own)
    if (own !== null) return { kind: 'own', name, own }
    const slots = bare === name ? [this.#slot(name)] : [this.#slot(name), this.#slot(bare)]
    return { kind: 'body', name, slots, own: bareFields.get(bare) ?? null }
  }

  #ownName(name: string): OwnName | null {
    const dot = name.indexOf('.')
    if (dot < 0 || !this.#serviceNames.includes(name.slice(0, dot))) return null
    const rest = name.slice(dot + 1)
    return Object.hasOwn(ownFields, rest) ? (rest as OwnName) : (otherNames.get(rest) ?? null)
  }

  #slot(text: string): number {
    let slot = this.#slots.get(text)
    if (slot === undefined) {
      slot = this.paths.push({ text }) - 1
      this.#slots.set(text, slot)
    }
    return slot
  }
}
