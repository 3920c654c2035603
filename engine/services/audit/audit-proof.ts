/**
 * The proof that the audit log is what was written: a walk over the whole chain.
 *
 * Owns: what counts as broken, and the first place where it is. Leaves out: where the walk runs (readers/reader-thread.ts).
 *
 * 1. Found are: an entry that was changed, put in, taken out or moved; a cut end, by the head that is kept apart, and by
 *    witnesses: heads that were noted elsewhere (in the shards, by an operator) and must still be in the chain.
 * 2. Found too: an entry that filters would no longer show, because its row in the index was changed or taken away.
 * Not to be found from inside: a whole history written anew, with the head and every witness in the data directory. Who
 * must exclude that notes a head outside now and then.
 */
import type { Environment } from '../../store/environment.js'
import { filtersOf } from './field-hashes.js'
import {
  chainHash,
  decodeHead,
  genesis,
  headKey,
  isReadable,
  sequenceOfKey,
  splitChained,
  timesKey,
  type AuditHead,
  type ChainedEntry,
} from './audit-tables.js'
import type { AuditProof } from '../../api/audit-service.js'

/** A head that was noted somewhere: the chain had so many entries, and this hash. */
export interface AuditWitness extends AuditHead {
  /** Where it was noted, for people. */
  readonly place: string
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

/** Walks the chain; stops at the first broken entry. */
export function proveChain(environment: Environment, witnesses: readonly AuditWitness[] = []): AuditProof {
  let hash: Uint8Array = genesis
  let count = 0
  const broken = (sequence: number, reason: string): AuditProof => ({
    intact: false,
    entries: count,
    head: hex(hash),
    broken: { sequence, reason },
  })
  const noted = new Map<number, AuditWitness[]>()
  for (const witness of witnesses) noted.set(witness.count, [...(noted.get(witness.count) ?? []), witness])
  for (const { key, value } of environment.range('audit', {})) {
    const sequence = sequenceOfKey(key)
    if (sequence !== count + 1) return broken(count + 1, 'the entry is missing')
    if (!isReadable(value)) return broken(sequence, 'the entry cannot be read')
    const { hash: stored, canonical } = splitChained(value)
    if (!same(chainHash(hash, canonical), stored)) return broken(sequence, 'the entry was changed, or one before it')
    const reason = faultOf(environment, canonical, sequence)
    if (reason !== null) return broken(sequence, reason)
    const doubted = (noted.get(sequence) ?? []).find((witness) => !same(witness.hash, stored))
    if (doubted !== undefined) return broken(sequence, `the entry is not the one that ${doubted.place} had noted`)
    hash = stored
    count = sequence
  }
  const head = decodeHead(environment.get('audit_meta', headKey))
  if (head.count > count) return broken(count + 1, `the last ${head.count - count} entries are missing`)
  if (head.count < count) return broken(head.count + 1, 'the entry is not one that the head of the chain knows')
  if (!same(head.hash, hash))
    return broken(Math.max(count, 1), 'the entry is not the one that the head of the chain knows')
  const beyond = witnesses.find((witness) => witness.count > count)
  if (beyond !== undefined)
    return broken(count + 1, `the entry is missing: ${beyond.place} had noted ${beyond.count} entries`)
  let indexed = 0
  for (const _ of environment.range('audit_times', {})) indexed++
  if (indexed !== count) return broken(count + 1, 'the index by time has a row without an entry')
  return { intact: true, entries: count, head: hex(hash), broken: null }
}

/** What is wrong with an entry whose hash is right, or null. */
function faultOf(environment: Environment, canonical: Uint8Array, sequence: number): string | null {
  const entry = JSON.parse(
    Buffer.from(canonical.buffer, canonical.byteOffset, canonical.byteLength).toString('utf8'),
  ) as ChainedEntry
  if (entry.sequence !== sequence) return 'the entry is in another place than it was'
  const marks = environment.get('audit_times', timesKey(entry.atMicros, sequence))
  if (marks === undefined || !same(marks, filtersOf(entry))) return 'the index by time does not show the entry as it is'
  return null
}
