/** The row of `autonomy`: reading it, judging its gates, counting them anew. */
import type { Audit } from '../../domain/autonomy/audit.js'
import { autonomyBounds } from '../../domain/autonomy/bounds.js'
import type { Gate, StateReason } from '../../domain/autonomy/gate.js'
import { judged, recount, revoked } from '../../domain/autonomy/ladder.js'
import { decodeAutonomy, type AutonomyRow } from '../../store/autonomy-row.js'
import { jobKey } from '../../store/tables.js'
import type { Environment } from '../../store/environment.js'
import { findEvent, type Reads } from '../event-table.js'
import type { TurnStore } from '../turn-store.js'
import { auditsNow, firstDue } from './audit-rows.js'

/** The row of a job, or null where it never had a contract. */
export function readAutonomy(reads: Reads, jobId: number): AutonomyRow | null {
  const bytes = reads.get('autonomy', jobKey(jobId))
  return bytes === undefined ? null : decodeAutonomy(bytes)
}

/** The row, and what a check of deadlines needs. */
export interface AutonomyNow {
  readonly row: AutonomyRow
  /** The first deadline of an audit that is not answered, or null. */
  readonly firstDueMicros: number | null
  /** Whether the event is an audit; false for an unknown one. */
  isAudit(eventId: string): boolean
}

export function autonomyNow(reads: Reads & Pick<Environment, 'range'>, jobId: number): AutonomyNow | null {
  const row = readAutonomy(reads, jobId)
  if (row === null) return null
  const isAudit = (eventId: string): boolean => findEvent(reads, jobId, eventId)?.header.autonomy === 'audit'
  return { row, firstDueMicros: firstDue(reads, jobId), isAudit }
}

/** The gates of a row with their evidence counted anew from all audits. */
export function recounted({ gates, judgedMicros }: AutonomyRow, audits: Iterable<Audit>): Gate[] {
  const all = [...audits]
  return gates.map((gate) => recount(gate, all, judgedMicros))
}

/** The row of a job that is opened. One of before answers waited for earlier audits is counted anew. */
export function openedRow(store: TurnStore, jobId: number): AutonomyRow | null {
  const row = readAutonomy(store, jobId)
  if (row === null || row.gates.every(({ evidence }) => evidence.hours !== undefined)) return row
  return {
    ...row,
    gates: recounted(
      row,
      auditsNow(store, jobId).map(({ audit }) => audit),
    ),
  }
}

/** The row with the states that the evidence gives its gates. */
export function judgedRow(row: AutonomyRow, atMicros: number): AutonomyRow {
  const labels = [...new Set(row.gates.map(({ label }) => label))]
  const gates = labels.flatMap((label) => judged(gatesOf(row, label), row.contract, atMicros))
  return { ...row, gates, judgedMicros: atMicros }
}

/** The gates of a label, from strict to lax. */
export function gatesOf({ gates }: Pick<AutonomyRow, 'gates'>, label: number): Gate[] {
  return gates.filter((gate) => gate.label === label)
}

/** The ended gates of a row with more of them, latest first. */
export function endedWith(
  { ended }: Pick<AutonomyRow, 'ended'>,
  gates: readonly Gate[],
  reason: StateReason,
  atMicros: number,
): Gate[] {
  const all = [...gates.map((gate) => revoked(gate, reason, atMicros)), ...ended]
  return all.slice(0, autonomyBounds.endedGatesMax)
}
