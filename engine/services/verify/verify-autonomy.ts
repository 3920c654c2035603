/**
 * The gates of a job, counted again: the evidence from the audits, and the outcomes of audits from the votes.
 *
 * An audit whose event was erased keeps its outcome: its votes are gone.
 */
import { answered, isCounted, type Audit } from '../../domain/autonomy/audit.js'
import type { Gate } from '../../domain/autonomy/gate.js'
import { decodeAudit } from '../../store/audit-row.js'
import { decodeAutonomy, type AutonomyRow } from '../../store/autonomy-row.js'
import { changeKey, changeOfKey, jobKey, timeKey, timeOfKey } from '../../store/tables.js'
import { votesOnAudit } from '../../actor/autonomy/audit-rows.js'
import { recounted } from '../../actor/autonomy/gate-state.js'
import type { ShardCheck } from './verify-shard.js'

export function checkAutonomy(shard: ShardCheck, jobId: number): void {
  const key = jobKey(jobId)
  const value = shard.get('autonomy', key)
  const row = value === undefined ? null : shard.read('autonomy', { key, value }, decodeAutonomy)
  const audits: Audit[] = []
  let pending = 0
  for (const entry of shard.entries('audits', jobId)) {
    const audit = shard.read('audits', entry, decodeAudit)
    if (audit === null) continue
    audits.push(audit)
    if (audit.outcome === 'pending') pending++
    checkAudit(shard, jobId, row, { key: entry.key, audit })
  }
  let dues = 0
  for (const entry of shard.entries('dues', jobId)) {
    dues++
    if (shard.get('audits', timeKey(jobId, changeOfKey(entry.key).eventMicros)) === undefined)
      shard.note('dues', entry.key, 'is of no audit')
  }
  if (dues !== pending) shard.note('dues', null, `job ${jobId}: ${dues} deadlines of ${pending} unanswered audits`)
  if (row === null) return
  for (const [place, gate] of recounted(row, audits).entries()) {
    const stored = row.gates[place] as Gate
    const { hours } = stored.evidence
    const [says, is] = [countsOf(stored), countsOf(hours === undefined ? withoutHours(gate) : gate)]
    if (says !== is) shard.note('autonomy', key, `says ${says} of gate ${gate.number} instead of ${is}`)
  }
}

function countsOf({ evidence, pending, second }: Gate): string {
  return JSON.stringify([evidence, pending, second])
}

/** A row of before answers waited has none. */
function withoutHours(gate: Gate): Gate {
  return { ...gate, evidence: { weeks: gate.evidence.weeks } }
}

/** An audit and its votes. */
function checkAudit(
  shard: ShardCheck,
  jobId: number,
  row: AutonomyRow | null,
  { key, audit }: { key: Uint8Array; audit: Audit },
): void {
  const micros = timeOfKey(key)
  if (row === null) return shard.note('audits', key, 'is of no contract')
  if (audit.outcome === 'pending' && shard.get('dues', changeKey(jobId, audit.dueMicros, micros)) === undefined)
    shard.note('audits', key, 'is not answered, and has no deadline')
  if (audit.gone === true || !row.gates.some((gate) => isCounted(audit, gate))) return
  const votes = votesOnAudit(shard, jobId, micros, audit)
  const { outcome } = answered(audit, votes, row.contract.protectedLabels, row.judgedMicros)
  // A deadline may have passed since the gates were last looked at.
  if (outcome !== audit.outcome && !(outcome === 'late' && audit.outcome === 'pending'))
    shard.note('audits', key, `is ${audit.outcome}, and its votes say ${outcome}`)
}
