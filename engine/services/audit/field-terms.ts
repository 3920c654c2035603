/**
 * Terms: the values in use of each field that the audit log can be filtered by, with the number of entries.
 *
 * Owns: the counts, written with the entries that they count. Leaves out: `object_id`, which has as many values as
 * entries.
 *
 * 1. At most limits.auditTermsMax values of a field are listed: the earliest.
 */
import { limits } from '../../limits.js'
import type { AuditEntry, ListedField } from '../../api/audit-service.js'
import type { Environment, WriteBatch } from '../../store/environment.js'
import { fieldOf, type FilterField } from './field-hashes.js'

/** Listed fields, in the order of their numbers in keys. */
export const listedFields = [
  'user',
  'analyst',
  'action',
  'object_type',
  'job_id',
] as const satisfies readonly (ListedField & FilterField)[]

export interface FieldTerm {
  readonly value: string
  /** Entries that have it. */
  readonly count: number
}

function termKey(field: ListedField, value: string): Buffer {
  return Buffer.concat([Buffer.of(listedFields.indexOf(field)), Buffer.from(value, 'utf8')])
}

export class FieldTerms {
  readonly #environment: Environment
  /** Counts in the transaction that is being built, by key. */
  readonly #counts = new Map<string, number>()
  /** Values of each field, including those of the transaction. */
  readonly #sizes = new Map<ListedField, number>()

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** Begins a new transaction, and forgets the counts of one that was discarded. */
  begin(): void {
    this.#counts.clear()
    this.#sizes.clear()
  }

  /** Counts the values of an entry. */
  count(batch: WriteBatch, entry: AuditEntry): void {
    for (const field of listedFields) {
      const value = fieldOf(field, entry)
      if (value === null || value === '') continue
      const key = termKey(field, value)
      const name = key.toString('latin1')
      const before = this.#counts.get(name) ?? this.#stored(key)
      if (before === 0 && !this.#hasRoom(field)) continue
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(Math.min(before + 1, 0xffffffff))
      batch.put('audit_terms', key, bytes)
      this.#counts.set(name, before + 1)
    }
  }

  #stored(key: Uint8Array): number {
    const bytes = this.#environment.get('audit_terms', key)
    return bytes === undefined ? 0 : Buffer.from(bytes).readUInt32BE(0)
  }

  #hasRoom(field: ListedField): boolean {
    const size = this.#sizes.get(field) ?? readFieldTerms(this.#environment, field).length
    const hasRoom = size < limits.auditTermsMax
    this.#sizes.set(field, size + Number(hasRoom))
    return hasRoom
  }
}

/** The terms of a field, in the order of their bytes. */
export function readFieldTerms(environment: Environment, field: ListedField): FieldTerm[] {
  const at = listedFields.indexOf(field)
  const terms: FieldTerm[] = []
  for (const { key, value } of environment.range('audit_terms', { from: Buffer.of(at, 0), to: Buffer.of(at + 1) })) {
    terms.push({ value: Buffer.from(key.subarray(1)).toString('utf8'), count: Buffer.from(value).readUInt32BE(0) })
  }
  return terms
}
