/**
 * The rows of audits, and of the deadlines of those that are not answered.
 *
 * 1. A row in `dues` is there exactly while its audit is pending.
 */
import type { Audit } from '../../domain/autonomy/audit.js'
import { autonomyBounds } from '../../domain/autonomy/bounds.js'
import { weekMicros } from '../../domain/autonomy/gate.js'
import { BUCKET_ID_BYTES } from '../../domain/event/bucket-key.js'
import type { StoredVote } from '../../store/ballot-row.js'
import { decodeAudit, encodeAudit } from '../../store/audit-row.js'
import type { Environment } from '../../store/environment.js'
import { changeKey, changeOfKey, jobRange, timeKey, timeOfKey } from '../../store/tables.js'
import type { Reads } from '../event-table.js'
import type { TurnStore } from '../turn-store.js'
import { readVotes, WHOLE_BUCKET } from '../votes/vote-rows.js'

export function readAudit(reads: Reads, jobId: number, micros: number): Audit | null {
  const bytes = reads.get('audits', timeKey(jobId, micros))
  return bytes === undefined ? null : decodeAudit(bytes)
}

/** Writes an audit in place of another. Null: there was none, or is none any more. */
export function putAudit(
  store: TurnStore,
  jobId: number,
  micros: number,
  { before, after }: { readonly before: Audit | null; readonly after: Audit | null },
): void {
  if (before?.outcome === 'pending' && after?.outcome !== 'pending')
    store.delete('dues', changeKey(jobId, before.dueMicros, micros))
  if (after === null) return store.delete('audits', timeKey(jobId, micros))
  if (after.outcome === 'pending' && before?.outcome !== 'pending')
    store.put('dues', changeKey(jobId, after.dueMicros, micros), new Uint8Array(0))
  store.put('audits', timeKey(jobId, micros), encodeAudit(after))
}

/** Ingest times of audits whose deadline is not after `nowMicros`, in the order of their deadlines. */
export function dueAudits(store: TurnStore, jobId: number, nowMicros: number): number[] {
  const range = { from: changeKey(jobId, 0, 0), to: changeKey(jobId, nowMicros + 1, 0) }
  return store
    .walk('dues', range)
    .map(({ key }) => changeOfKey(key))
    .sort((a, b) => a.changeMicros - b.changeMicros || a.eventMicros - b.eventMicros)
    .map(({ eventMicros }) => eventMicros)
}

/** The first deadline, or null where no audit is pending. */
export function firstDue(reads: Pick<Environment, 'range'>, jobId: number): number | null {
  const [first] = reads.range('dues', { ...jobRange(jobId), limit: 1 })
  return first === undefined ? null : changeOfKey(first.key).changeMicros
}

/**
 * The votes that answer an audit: those on its event, and those on the whole bucket where the event was there to be
 * looked at.
 */
export function votesOnAudit(reads: Reads, jobId: number, eventMicros: number, audit: Audit): readonly StoredVote[] {
  const subject = Buffer.from(audit.subject, 'hex')
  const own = readVotes(reads, jobId, subject, eventMicros)
  if (subject.length !== BUCKET_ID_BYTES) return own
  const whole = readVotes(reads, jobId, subject, WHOLE_BUCKET)
  return [...own, ...whole.filter((vote) => vote.eventMicros === eventMicros || vote.atMicros > audit.drawnMicros)]
}

/** Deletes audits that are too old to be evidence. */
export function forgetAudits(store: TurnStore, jobId: number, atMicros: number): void {
  const range = { ...jobRange(jobId), limit: autonomyBounds.auditsDeletedMax }
  for (const { key } of store.range('audits', range)) {
    const micros = timeOfKey(key)
    const audit = readAudit(store, jobId, micros)
    if (audit === null) continue
    if (audit.drawnMicros > atMicros - autonomyBounds.auditWeeks * weekMicros) return
    putAudit(store, jobId, micros, { before: audit, after: null })
  }
}

/** All audits of a job, for the thread that writes. */
export function auditsNow(store: TurnStore, jobId: number): { readonly micros: number; readonly audit: Audit }[] {
  return store
    .walk('audits', jobRange(jobId))
    .map(({ key, value }) => ({ micros: timeOfKey(key), audit: decodeAudit(value) }))
    .sort((a, b) => a.micros - b.micros)
}
