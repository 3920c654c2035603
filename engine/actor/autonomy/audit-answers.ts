/**
 * What people answer on audits, and what becomes of audits whose events change.
 *
 * 1. Later changes of votes count anew: an audit always says what the votes say now.
 * 2. Where the contract says so, a confirmed miss revokes the gates that the audit is evidence for.
 */
import { answered, isConfirmedMiss, isCounted, type Audit } from '../../domain/autonomy/audit.js'
import { withAudit, revoked } from '../../domain/autonomy/ladder.js'
import type { Autonomy } from '../../domain/autonomy/passage.js'
import type { Decision } from '../../domain/decide/decision.js'
import type { AutonomyRow } from '../../store/autonomy-row.js'
import type { ActorDeps } from '../actor-deps.js'
import type { Bucket } from '../buckets/bucket.js'
import type { BallotChange } from '../votes/ballots.js'
import { idOf, type FoundEvent } from '../event-table.js'
import { auditsNow, putAudit, readAudit, votesOnAudit } from './audit-rows.js'
import { judgedRow } from './gate-state.js'

type AnswerDeps = Pick<ActorDeps, 'store' | 'settings' | 'gates'>

/** Votes on an event changed. */
export function voted(deps: AnswerDeps, eventMicros: number, atMicros: number): void {
  const audit = auditOf(deps, eventMicros)
  if (audit !== null) countVotes(deps, eventMicros, audit, atMicros)
}

/** Votes on a whole bucket changed: they answer all audits there. */
export function votedOnBucket(deps: AnswerDeps, bucketId: Uint8Array, atMicros: number): void {
  if (deps.gates.row === null) return
  const id = Buffer.from(bucketId).toString('hex')
  for (const { micros, audit } of auditsNow(deps.store, deps.settings.id))
    if (audit.subject === id) countVotes(deps, micros, audit, atMicros)
}

/** What becomes of an event that waited for its decision. It may have votes. */
export function passWaiting(
  deps: AnswerDeps,
  event: FoundEvent,
  { decision, bucket, atMicros }: { decision: Decision; bucket: Bucket | null; atMicros: number },
): Autonomy {
  const { micros: eventMicros } = event
  const autonomy = deps.gates.pass({ eventMicros, clientId: idOf(event), atMicros, decision, bucket })
  if (autonomy === 'audit') voted(deps, eventMicros, atMicros)
  return autonomy
}

/**
 * People have come to answer an event, or its bucket, with a protected label, or do so no more. Of the events that were
 * there before only this one is counted: a bound from fewer of them is larger. What comes after is counted as it comes.
 */
export function countProtected(
  { gates }: Pick<ActorDeps, 'gates'>,
  { header }: FoundEvent,
  { before, after }: Pick<BallotChange, 'before' | 'after'>,
  atMicros: number,
): void {
  if (gates.row === null || header.autonomy === 'none' || header.autonomy === 'settled') return
  const { protectedLabels } = gates.row.contract
  const [was, is] = [before, after].map((ballot) => ballot !== null && protectedLabels.includes(ballot.consensus))
  if (was !== is) gates.countProtected(is === true ? 1 : -1, atMicros)
}

/** The event is in another bucket from now on, and its votes with it. */
export function auditMoved(deps: AnswerDeps, eventMicros: number, subject: Uint8Array, atMicros: number): void {
  const audit = auditOf(deps, eventMicros)
  if (audit === null) return
  const moved: Audit = { ...audit, subject: Buffer.from(subject).toString('hex') }
  putAudit(deps.store, deps.settings.id, eventMicros, { before: audit, after: moved })
  countVotes(deps, eventMicros, moved, atMicros)
}

/** The event was replaced by another version. An audit that nobody has answered goes with it. */
export function auditReplaced(deps: AnswerDeps, eventMicros: number, atMicros: number): void {
  const audit = auditOf(deps, eventMicros)
  if (audit === null) return
  const isAnswered = audit.outcome === 'clean' || audit.outcome === 'failure'
  replaceAudit(deps, eventMicros, { before: audit, after: isAnswered ? { ...audit, gone: true } : null }, atMicros)
}

/** The event was erased. What people answered stands; without an answer it fails at its deadline. */
export function auditErased(deps: AnswerDeps, eventMicros: number, atMicros: number): void {
  const audit = auditOf(deps, eventMicros)
  if (audit !== null) replaceAudit(deps, eventMicros, { before: audit, after: { ...audit, gone: true } }, atMicros)
}

function auditOf({ gates, store, settings }: AnswerDeps, eventMicros: number): Audit | null {
  return gates.row === null ? null : readAudit(store, settings.id, eventMicros)
}

function countVotes(deps: AnswerDeps, eventMicros: number, audit: Audit, atMicros: number): void {
  const { gates, store, settings } = deps
  if (audit.gone === true) return
  gates.check(atMicros)
  const before = readAudit(store, settings.id, eventMicros) ?? audit
  const { protectedLabels } = (gates.row as AutonomyRow).contract
  const after = answered(before, votesOnAudit(store, settings.id, eventMicros, before), protectedLabels, atMicros)
  const { outcome, analysts, differ } = after
  if (outcome === before.outcome && analysts === before.analysts && differ === before.differ) return
  replaceAudit(deps, eventMicros, { before, after }, atMicros)
}

function replaceAudit(
  { gates: keeper, store, settings }: AnswerDeps,
  eventMicros: number,
  change: { readonly before: Audit; readonly after: Audit | null },
  atMicros: number,
): void {
  const row = keeper.row as AutonomyRow
  const { before, after } = change
  putAudit(store, settings.id, eventMicros, change)
  let gates = row.gates.map((gate) => withAudit(gate, before, after, atMicros))
  if (after !== null && row.contract.revokeOnMiss && isConfirmedMiss(after))
    gates = gates.map((gate) => (isCounted(after, gate) ? revoked(gate, 'miss', atMicros) : gate))
  keeper.replace(judgedRow({ ...row, gates }, atMicros), atMicros)
}
