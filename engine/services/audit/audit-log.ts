/**
 * The audit log: who changed what and when, chained by hashes so that no entry can be changed, added or removed unseen.
 *
 * Owns: adding entries to the catalog's transactions. Leaves out: queries (audit-query.ts), the proof (audit-proof.ts),
 * collecting feedback (audit-collector.ts).
 *
 * 1. Append-only: nothing here changes or deletes an entry.
 * 2. An entry is in the batch of its change. The chain's head is stored apart and moves in the same batch.
 * 3. The store is the truth: each transaction reads the head again, so one that failed leaves nothing behind.
 * 4. One writer: the thread that owns the catalog.
 */
import { cutText } from '../../domain/event/input/cut-text.js'
import { createHash } from 'node:crypto'
import { limits } from '../../limits.js'
import type { AuditEntry } from '../../api/audit-service.js'
import type { Environment, WriteBatch } from '../../store/environment.js'
import type { AuditTrail } from '../../resource/audit-trail.js'
import { fieldHashesOf } from './field-hashes.js'
import {
  canonicalBytes,
  chainHash,
  decodeHead,
  encodeChained,
  encodeHead,
  headKey,
  sequenceKey,
  splitChained,
  timesKey,
  type AuditHead,
} from './audit-tables.js'
import { FieldTerms } from './field-terms.js'

export { auditTables } from './audit-tables.js'

export class AuditLog implements AuditTrail {
  readonly #environment: Environment
  readonly #terms: FieldTerms
  /** The transaction that is being built, and the head after it. */
  #batch: WriteBatch | null = null
  #batchSize = 0
  #head: AuditHead

  constructor(environment: Environment) {
    this.#environment = environment
    this.#terms = new FieldTerms(environment)
    this.#head = this.head()
  }

  /** The committed head of the chain. */
  head(): AuditHead {
    return decodeHead(this.#environment.get('audit_meta', headKey))
  }

  /** True where the chain once had this head. */
  has({ count, hash }: AuditHead): boolean {
    if (count === 0) return true
    const entry = this.#environment.get('audit', sequenceKey(count))
    return entry !== undefined && Buffer.compare(splitChained(entry).hash, hash) === 0
  }

  /** Adds an entry to a batch, which the caller commits. */
  record(batch: WriteBatch, entry: AuditEntry): void {
    if (batch !== this.#batch || batch.size < this.#batchSize) {
      this.#batch = batch
      this.#head = this.head()
      this.#terms.begin()
    }
    const bounded = withBounds(entry)
    const sequence = this.#head.count + 1
    const canonical = canonicalBytes(bounded, sequence)
    const hash = chainHash(this.#head.hash, canonical)
    this.#head = { count: sequence, hash }
    batch.put('audit', sequenceKey(sequence), encodeChained(hash, canonical))
    batch.put('audit_times', timesKey(bounded.atMicros, sequence), fieldHashesOf(bounded))
    this.#terms.count(batch, bounded)
    batch.put('audit_meta', headKey, encodeHead(this.#head))
    this.#batchSize = batch.size
  }
}

/** The entry with long values cut: it reports a change, and is no copy of the data. */
function withBounds(entry: AuditEntry): AuditEntry {
  const { by, analyst, object, job, changes, details } = entry
  return {
    ...entry,
    by: { kind: by.kind, name: nameOf(by.name) },
    ...(analyst === undefined ? {} : { analyst: nameOf(analyst) }),
    object: { type: object.type, id: object.id, title: nameOf(object.title) },
    ...(job === undefined ? {} : { job: { id: job.id, title: nameOf(job.title) } }),
    ...(changes === undefined
      ? {}
      : { changes: mapValues(changes, ({ before, after }) => ({ before: cut(before), after: cut(after) })) }),
    ...(details === undefined ? {} : { details: mapValues(details, cut) }),
  }
}

function mapValues<T, U>(values: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}

function nameOf(text: string): string {
  return cutText(text, limits.nameCharsMax)
}

/** A long value becomes its beginning, its length and its SHA-256, so that two long values stay different. */
function cut(value: unknown): unknown {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
  if (text.length <= limits.auditValueCharsMax) return value
  const sha256 = createHash('sha256').update(text).digest('hex')
  return { cut: cutText(text, limits.auditValueCharsMax, ''), chars: text.length, sha256 }
}
