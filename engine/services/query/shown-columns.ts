/**
 * Columns of an answer: any fields of the event, and fields of the service, by the names that filters have.
 *
 * 1. A field of the event is read as a decision point is. Where the event has none of that name, a column of answers
 *    (`result_label`, `voter`) is the service's own field.
 * 2. No value is null, several are a list.
 */
import { DecisionPoints } from '../../domain/event/decision-points.js'
import type { AggregationJson } from '../../domain/query/collector.js'
import { FieldSet, type Field } from '../../domain/query/field.js'
import { instantText } from '../../domain/query/instant.js'
import type { QueryStore } from './event-scan.js'
import type { QueriedJob } from './query-protocol.js'
import { RecordFields } from './record-fields.js'

interface Column {
  readonly name: string
  /** What the service says; null: nothing of that name. */
  readonly own: Field | null
}

export interface RecordToShow {
  readonly job: QueriedJob
  readonly micros: number
  readonly record: Uint8Array
  readonly body: Record<string, unknown>
}

export class ShownColumns {
  readonly #stores: (shard: number) => QueryStore
  readonly #fieldSet: FieldSet
  readonly #columns: readonly Column[]
  /** Those of them that events may have, and where each is among the columns. */
  readonly #sent: DecisionPoints
  readonly #places: readonly number[]
  readonly #fields = new Map<number, RecordFields>()

  /** @throws Refusal query_too_large */
  constructor(names: readonly string[], fieldSet: FieldSet, stores: (shard: number) => QueryStore) {
    this.#stores = stores
    this.#fieldSet = fieldSet
    const fields = names.map((name) => fieldSet.column(name))
    this.#columns = fields.map((field, at) => {
      const isOwn = field.kind !== 'body'
      const name = names[at] as string
      return { name, own: isOwn ? field : field.own === null ? null : fieldSet.own(field.own) }
    })
    this.#places = fields.flatMap((field, at) => (field.kind === 'body' ? [at] : []))
    this.#sent = new DecisionPoints(this.#places.map((at) => names[at] as string))
  }

  of({ job, micros, record, body }: RecordToShow): AggregationJson {
    const values: unknown[] = this.#columns.map(() => null)
    const sent = this.#sent.valuesOf(body)
    for (const [at, place] of this.#places.entries()) values[place] = sent[at] ?? null
    const fields = this.#fieldsOf(job)
    fields.event(micros, record)
    for (const [at, { own }] of this.#columns.entries())
      if (own !== null && values[at] === null) values[at] = ownValue(fields, own)
    return Object.fromEntries(this.#columns.map(({ name }, at) => [name, values[at]]))
  }

  #fieldsOf(job: QueriedJob): RecordFields {
    let fields = this.#fields.get(job.id)
    if (fields === undefined) {
      const { environment, codec, assignees } = this.#stores(job.shard)
      fields = new RecordFields(environment, codec, this.#fieldSet, assignees)
      fields.ofJob(job)
      this.#fields.set(job.id, fields)
    }
    return fields
  }
}

/** Those of a request; null: it asks for none. @throws Refusal query_too_large */
export function shownColumns(
  names: readonly string[] | undefined,
  serviceNames: readonly string[],
  stores: (shard: number) => QueryStore,
): ShownColumns | null {
  return names === undefined ? null : new ShownColumns(names, new FieldSet(serviceNames), stores)
}

function ownValue(fields: RecordFields, field: Field): unknown {
  const found = fields.values(field)
  const values = field.kind === 'time' ? found.map((value) => instantText(value as number)) : found
  return values.length > 1 ? [...values] : (values[0] ?? null)
}
