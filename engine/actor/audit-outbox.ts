/**
 * The outbox of a shard for the audit log. Entries are written in the commit of what they are about, and taken into the
 * chain later.
 *
 * Owns: the rows of the table `outbox`, and what `meta` notes when they were taken. Leaves out: taking them
 * (audit-collector.ts).
 *
 * 1. A row is in the commit of what it is about, under the time of its message. Later rows have later keys.
 * 2. A row is deleted only when it is in the chain. The head of the chain is noted with it: evidence that the chain was
 *    at least so long.
 * 3. A message may have further entries beside its own: certificates of gates. Entries of one message are taken
 *    together.
 * 4. While a turn may run again, the rows that it wrote are there: only a later message deletes them.
 */
import type { AuditEntry } from '../api/audit-service.js'
import type { Environment } from '../store/environment.js'
import { metaKey, timeOfValue, timeValue } from '../store/tables.js'
import type { Reads } from './event-table.js'
import type { TurnStore } from './turn-store.js'

const VERSION = 1
/** Rows that one message deletes at most. */
const FORGOTTEN_MAX = 2_000

/** `place`: 0 for the message's own entry, from 1 for further ones. */
export function addAuditEntry(store: TurnStore, entry: AuditEntry, place = 0): void {
  const row = Buffer.concat([Buffer.of(VERSION), Buffer.from(JSON.stringify(entry), 'utf8')])
  const key = timeValue(entry.atMicros)
  store.put('outbox', place === 0 ? key : Buffer.concat([key, placeBytes(place)]), row)
}

/** True where the message of that time has an entry: so a turn that runs again knows that it was applied. */
export function hasAuditEntry(reads: Reads, micros: number): boolean {
  return reads.get('outbox', timeValue(micros)) !== undefined
}

function placeBytes(place: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(place)
  return bytes
}

/** Entries after the time `after`, in order; at most `limit`, and those of the same message as the last (3). */
export function* untold(environment: Environment, after: number, limit: number): Iterable<AuditEntry> {
  let [count, last] = [0, 0]
  for (const { key, value } of environment.range('outbox', { from: timeValue(after + 1) })) {
    const micros = timeOfValue(key)
    if (++count > limit && micros !== last) return
    last = micros
    const text = Buffer.from(value.buffer, value.byteOffset + 1, value.byteLength - 1).toString('utf8')
    yield JSON.parse(text) as AuditEntry
  }
}

/** True where entries up to that time are still there. */
export function hasTold(environment: Environment, through: number): boolean {
  for (const _ of environment.range('outbox', { to: timeValue(through + 1), limit: 1 })) return true
  return false
}

/** A message: entries up to `through` are in the chain, and `head` was its last hash then. */
export function encodeCollected(through: number, head: Uint8Array): Buffer {
  return Buffer.concat([timeValue(through), head])
}

/** Deletes entries that are in the chain. The answer says whether there may be more. */
export function forgetCollected(store: TurnStore, message: Buffer): { more: boolean } {
  const through = timeOfValue(message)
  // A copy: the message lies in the memory of its turn.
  store.put('meta', metaKey('audit_head'), Buffer.from(message.subarray(timeValue(0).length)))
  let forgotten = 0
  for (const { key } of store.range('outbox', { to: timeValue(through + 1), limit: FORGOTTEN_MAX })) {
    store.delete('outbox', key)
    forgotten++
  }
  return { more: forgotten === FORGOTTEN_MAX }
}

/** The head of the chain that was noted last, or undefined. */
export function notedHead(reads: Reads): Uint8Array | undefined {
  return reads.get('meta', metaKey('audit_head'))
}
