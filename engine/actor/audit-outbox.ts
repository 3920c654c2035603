/**
 * What a shard has to tell the audit log: written in the commit of the feedback, taken into the chain later.
 *
 * Owns: the rows of the table `outbox`, and what is noted in `meta` when they were taken. Leaves out: taking them
 * (audit-collector.ts).
 *
 * 1. A row is in the commit of the feedback that it tells of, under the time of its message: later rows have later keys.
 * 2. A row goes only after it is in the chain; with it the head of the chain is noted here, a witness that the chain was
 *    so long and no shorter.
 * 3. While a turn may run again, the rows that it wrote are there: what deletes them is a later message.
 */
import type { Environment } from '../store/environment.js'
import { metaKey, timeOfValue, timeValue } from '../store/tables.js'
import type { Reads } from './event-table.js'
import type { TurnStore } from './turn-store.js'
import type { AuditEntry } from '../api/audit-service.js'

const VERSION = 1
/** Rows that one message deletes. */
const FORGOTTEN_MAX = 2_000

/** Writes what is to be told. */
export function tell(store: TurnStore, entry: AuditEntry): void {
  store.put(
    'outbox',
    timeValue(entry.atMicros),
    Buffer.concat([Buffer.of(VERSION), Buffer.from(JSON.stringify(entry), 'utf8')]),
  )
}

/** True where the message of that time has told something: how a turn that runs again knows what it had done. */
export function isTold(reads: Reads, micros: number): boolean {
  return reads.get('outbox', timeValue(micros)) !== undefined
}

/** What is to be told after the time `after`, in order; at most `limit` entries. */
export function* untold(environment: Environment, after: number, limit: number): Iterable<AuditEntry> {
  for (const { value } of environment.range('outbox', { from: timeValue(after + 1), limit })) {
    yield JSON.parse(
      Buffer.from(value.buffer, value.byteOffset + 1, value.byteLength - 1).toString('utf8'),
    ) as AuditEntry
  }
}

/** True where rows up to that time are still there. */
export function hasTold(environment: Environment, through: number): boolean {
  for (const _ of environment.range('outbox', { to: timeValue(through + 1), limit: 1 })) return true
  return false
}

/** A message that says up to which time the rows are in the chain, and how the chain ended then. */
export function encodeCollected(through: number, head: Uint8Array): Buffer {
  return Buffer.concat([timeValue(through), head])
}

/** Deletes rows that are in the chain; the answer says whether there may be more. */
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
