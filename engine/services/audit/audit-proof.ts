/**
 * The proof that the audit log is what was written: a walk over the whole chain.
 *
 * Owns: what counts as broken, and where the chain is broken first. Leaves out: the thread of the walk
 * (reader-thread.ts).
 *
 * 1. The walk finds every entry that was changed, added, removed or moved.
 * 2. It finds a chain that was cut at its end. The chain's head is stored apart, and witnesses must still be in the
 *    chain: heads that shards or an operator have noted.
 * 3. It finds an entry that filters no longer show because its row in the index by time was changed or removed.
 * 4. It cannot find a complete new history, with a new head and all witnesses in the data directory replaced. To
 *    exclude that, an operator keeps a head elsewhere now and then.
 */
import type { AuditProof } from '../../api/audit-service.js'
import type { Environment } from '../../store/environment.js'
import { fieldHashesOf } from './field-hashes.js'
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

/** A head of the chain that was noted elsewhere. */
export interface AuditWitness extends AuditHead {
  /** Where it was noted, in words for people. */
  readonly place: string
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

/** Walks the chain and stops at the first broken entry. */
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

/** What is wrong with an entry that has the right hash, or null. */
function faultOf(environment: Environment, canonical: Uint8Array, sequence: number): string | null {
  const entry = JSON.parse(
    Buffer.from(canonical.buffer, canonical.byteOffset, canonical.byteLength).toString('utf8'),
  ) as ChainedEntry
  if (entry.sequence !== sequence) return 'the entry is in another place than it was'
  const hashes = environment.get('audit_times', timesKey(entry.atMicros, sequence))
  if (hashes === undefined || !same(hashes, fieldHashesOf(entry)))
    return 'the index by time does not show the entry as it is'
  return null
}
