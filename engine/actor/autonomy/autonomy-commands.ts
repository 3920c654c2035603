/**
 * Commands about a job's safety contract: setting it, looking at its deadlines, sending settled events back to people.
 *
 * 1. Another model, label, threshold, list of exclusions, ε, δ or set of protected labels is another gate. Only where
 *    buckets are added to the exclusions does the new gate keep its evidence, with every failure in them
 *    (audit.ts, 2).
 * 2. A revoked gate begins anew when the contract is set again.
 * 3. An event is sent back once: a message that runs again finds it sent back.
 */
import { Refusal } from '../../errors.js'
import { autonomyBounds } from '../../domain/autonomy/bounds.js'
import type { LabelTerms, SafetyContract } from '../../domain/autonomy/contract.js'
import type { Gate } from '../../domain/autonomy/gate.js'
import { judged, newGate, recount } from '../../domain/autonomy/ladder.js'
import { withHeader } from '../../store/event-record.js'
import { autonomyOf } from '../../store/record-header.js'
import type { AutonomyRow } from '../../store/autonomy-row.js'
import { timeKey, timeOfKey } from '../../store/tables.js'
import type { ActorDeps } from '../actor-deps.js'
import { addAuditEntry } from '../audit-outbox.js'
import { eventAt } from '../event-table.js'
import { authorOf } from '../message-author.js'
import type { Message } from '../message.js'
import { auditsNow } from './audit-rows.js'
import { decodeAutonomyCommand, type AutonomyCommand, type Reopened } from './autonomy-command.js'
import { endedWith } from './gate-state.js'

/** @throws Refusal gate_without_model, contract_not_found. */
export function takeAutonomyCommand(deps: ActorDeps, message: Message): Reopened | null {
  const command = decodeAutonomyCommand(message.body)
  const { micros, applied } = message
  if (command.op === 'reopen') return reopen(deps, command, message)
  if (applied) return null
  if (command.op === 'check') deps.gates.check(micros, true)
  else setContract(deps, command, micros)
  return null
}

function setContract(deps: ActorDeps, command: Extract<AutonomyCommand, { op: 'set' }>, atMicros: number): void {
  const { store, settings, stats, buckets, gates: keeper, model } = deps
  const { contract, by } = command
  if (contract.mode !== 'off' && !model.isTrained) {
    throw new Refusal('gate_without_model', 'the job has no model, so there is nothing that a gate could be about', {
      details: 'train the job first',
    })
  }
  // What is late fails before anything is judged.
  keeper.check(atMicros, true)
  const { row } = keeper
  const { modelVersion } = stats.row
  const audits = row === null ? [] : auditsNow(store, settings.id).map(({ audit }) => audit)
  let nextGate = row?.nextGate ?? 1
  const gates: Gate[] = []
  const kept = new Set<number>()
  for (const terms of contract.mode === 'off' ? [] : contract.labels) {
    const old = row === null ? null : keptGates(row, contract, terms, modelVersion)
    const ladder = terms.thresholds.map((threshold, place) => {
      const before = old?.[place]
      if (before === undefined) return newGate(terms, { number: nextGate++, threshold, modelVersion, atMicros })
      kept.add(before.number)
      if (before.exclusions.length === terms.exclusions.length) return before
      // The same gate for its number's sake: its certificates follow one another.
      return recount({ ...before, exclusions: terms.exclusions }, audits, atMicros)
    })
    gates.push(...judged(ladder, contract, atMicros))
  }
  const gone = (row?.gates ?? []).filter(({ number }) => !kept.has(number))
  const next: AutonomyRow = {
    contract,
    setMicros: atMicros,
    setBy: by.name,
    drawKey: row?.drawKey ?? command.drawKey,
    nextGate,
    gates,
    ended: endedWith({ ended: row?.ended ?? [] }, gone, 'by_hand', atMicros),
    judgedMicros: atMicros,
    checkMicros: atMicros + autonomyBounds.checkMicros,
  }
  const { id, title, labels } = settings
  addAuditEntry(store, {
    atMicros,
    by: authorOf(by),
    action: 'safety contract set',
    object: { type: 'job', id: String(id), title },
    job: { id, title },
    changes: { mode: { before: row?.contract.mode ?? 'off', after: contract.mode } },
    details: {
      hold_out_rate: contract.holdOutRate,
      revoke_on_miss: contract.revokeOnMiss,
      protected_labels: contract.protectedLabels.map((label) => labels[label]?.name ?? ''),
      labels: contract.labels.map(({ label, epsilon, delta, thresholds, exclusions }) => ({
        label: labels[label]?.name ?? '',
        epsilon,
        delta,
        thresholds: thresholds.map((threshold) => threshold / 100),
        exclusions: exclusions.length,
      })),
    },
  })
  keeper.replace(next, atMicros, by)
  buckets.forgetDecisions()
}

/** The gates of a label that go on under the new terms, or null (1, 2). */
function keptGates(
  row: AutonomyRow,
  contract: SafetyContract,
  terms: LabelTerms,
  modelVersion: number,
): readonly Gate[] | null {
  const before = row.contract.labels.find(({ label }) => label === terms.label)
  const gates = row.gates.filter(({ label }) => label === terms.label)
  const isSame =
    before !== undefined &&
    gates.length > 0 &&
    gates.every((gate) => gate.state !== 'revoked' && gate.modelVersion === modelVersion) &&
    before.epsilon === terms.epsilon &&
    before.delta === terms.delta &&
    before.thresholds.join() === terms.thresholds.join() &&
    before.exclusions.every((id) => terms.exclusions.includes(id)) &&
    row.contract.protectedLabels.join() === contract.protectedLabels.join()
  return isSame ? gates : null
}

function reopen(
  { store, settings, gates, stats }: ActorDeps,
  command: Extract<AutonomyCommand, { op: 'reopen' }>,
  { micros, applied }: Message,
): Reopened {
  const { label, from, through, first, by } = command
  if (gates.row === null) throw new Refusal('contract_not_found', 'the job has no safety contract')
  if (applied) return { reopened: 0, next: from }
  const { id, title, labels } = settings
  const range = { from: timeKey(id, from), to: timeKey(id, through), limit: autonomyBounds.reopenEventsMax }
  let [seen, reopened, next] = [0, 0, from]
  const settled: number[] = []
  for (const { key, value } of store.range('events', range)) {
    seen++
    next = timeOfKey(key) + 1
    if (autonomyOf(value) === 'settled') settled.push(timeOfKey(key))
  }
  for (const eventMicros of settled) {
    // The walk sees committed rows only: an earlier message of this turn may have changed the event.
    const event = eventAt(store, id, eventMicros)
    if (event === null || event.header.autonomy !== 'settled') continue
    if (label !== null && event.header.label !== label) continue
    store.put('events', timeKey(id, eventMicros), withHeader(event.record, { ...event.header, autonomy: 'review' }))
    reopened++
  }
  stats.touch()
  if (first)
    addAuditEntry(store, {
      atMicros: micros,
      by: authorOf(by),
      action: 'settled events reopened',
      object: { type: 'job', id: String(id), title },
      job: { id, title },
      details: { label: label === null ? null : (labels[label]?.name ?? ''), from_micros: from },
    })
  return { reopened, next: seen === autonomyBounds.reopenEventsMax ? next : null }
}
