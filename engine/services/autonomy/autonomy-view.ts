/** A safety contract and its gates, as the API shows them. */
import {
  assumptions,
  count,
  figuresOf,
  gateId,
  percent,
  ratesInWords,
  statementOf,
} from '../../domain/autonomy/certificate.js'
import { contractDefaults, deadlineOf, pauseOf } from '../../domain/autonomy/contract.js'
import type { Gate, StateReason } from '../../domain/autonomy/gate.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { PeopleHours } from '../../domain/job/working-hours.js'
import type { AutonomyView, GateView } from '../../api/autonomy-service.js'
import type { AutonomyRow } from '../../store/autonomy-row.js'
import { modelIdOf } from '../../actor/model-id.js'

const HOUR_MICROS = 3_600_000_000

/** The state of a gate as a sentence. */
function messageOf({ state, reason }: Pick<Gate, 'state' | 'reason'>): string {
  if (state === 'open') return 'audits prove that its events may be settled'
  if (state === 'shadow') return shadowMessages[reason] ?? 'it collects evidence and settles nothing'
  return `it settles nothing any more: ${revokedMessages[reason] ?? reason}`
}

const shadowMessages: Partial<Record<StateReason, string>> = {
  not_certified: 'it is closed: the audits of the last 28 days do not prove enough any more',
  by_hand: 'it is closed: the contract was set to shadow',
}

const revokedMessages: Partial<Record<StateReason, string>> = {
  new_model: 'another model was installed, and its own gate begins without evidence',
  drift: 'the model is ageing; train it',
  miss: 'people confirmed that it would have settled an event with a protected label',
  evidence: 'audits show that it is wrong more often than the contract allows',
  by_hand: 'the contract was changed or switched off',
  stricter_revoked: 'a stricter threshold of the label was revoked',
}

export function gateView(job: JobSettings, row: AutonomyRow, gate: Gate): GateView {
  const { contract, judgedMicros } = row
  const name = nameIn(job)
  const figures = figuresOf(gate, judgedMicros)
  const { answered, differ } = gate.second
  return {
    gateId: gateId(job.id, gate),
    label: name(gate.label),
    threshold: gate.threshold / 100,
    modelId: modelIdOf(job.id, gate.modelVersion),
    exclusions: gate.exclusions.length,
    state: gate.state,
    reason: gate.reason,
    message: messageOf(gate),
    sinceMicros: gate.stateMicros,
    startedMicros: gate.startedMicros,
    epsilon: gate.epsilon,
    delta: gate.delta,
    statement: statementOf(gate, contract, name),
    bound: figures.bound === 1 ? null : figures.bound,
    protectedBound: figures.protectedBound,
    rates: ratesInWords(gate, figures, contract, name),
    certified: figures.certified,
    audits: figures.audits,
    failures: figures.failures,
    pending: gate.pending,
    waiting: figures.waiting,
    settled: figures.settled,
    protectedEvents: figures.protectedEvents,
    secondOpinions: {
      answered,
      differ,
      message:
        answered === 0
          ? 'no audit was answered by a second person yet'
          : `second persons answered ${count(answered, 'audit', 'audits')} and differ on ${differ} ` +
            `(${percent(differ / answered)})`,
    },
  }
}

/** `people`: when people are there to answer audits of the job. */
export function autonomyView(job: JobSettings, row: AutonomyRow | null, people: PeopleHours): AutonomyView {
  if (row === null) {
    const { deadlineMicros, deadlineIn } = deadlineOf({}, people)
    return {
      mode: 'off',
      holdOutRate: contractDefaults.holdOutRate,
      revokeOnMiss: false,
      auditDeadlineHours: deadlineMicros / HOUR_MICROS,
      auditDeadlineWorkingHours: deadlineIn !== undefined,
      protectedLabels: [],
      paused: null,
      labels: [],
      setMicros: null,
      setBy: null,
      gates: [],
      ended: [],
      assumptions,
    }
  }
  const { contract } = row
  const name = nameIn(job)
  return {
    mode: contract.mode,
    holdOutRate: contract.holdOutRate,
    revokeOnMiss: contract.revokeOnMiss,
    auditDeadlineHours: contract.deadlineMicros / HOUR_MICROS,
    auditDeadlineWorkingHours: contract.deadlineIn !== undefined,
    protectedLabels: contract.protectedLabels.map(name),
    paused: pauseOf(contract, job.labels),
    labels: contract.labels.map(({ label, epsilon, delta, thresholds, exclusions }) => ({
      label: name(label),
      epsilon,
      delta,
      thresholds: thresholds.map((threshold) => threshold / 100),
      exclusions,
    })),
    setMicros: row.setMicros,
    setBy: row.setBy,
    gates: row.gates.map((gate) => gateView(job, row, gate)),
    ended: row.ended.map((gate) => gateView(job, row, gate)),
    assumptions,
  }
}

function nameIn({ labels }: JobSettings): (label: number) => string {
  return (label) => labels[label]?.name ?? `label_${label}`
}
