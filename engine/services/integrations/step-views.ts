/** Steps and dead letters as people see them. */
import { Delivery } from '../../integration/delivery/delivery.js'
import { InputPoller } from '../../integration/delivery/intake.js'
import {
  deadLetterKey,
  refusedKey,
  stepKey,
  type DeadLetter,
  type RefusedDocument,
} from '../../integration/delivery/ledger.js'
import type { Halted } from '../../integration/delivery/halt.js'
import type { DeadLetterView, DeliveryView, HaltView, InputView, StepTrouble } from '../../api/integrations-service.js'
import type { RunningStep } from './steps.js'

const MICROS = 1_000

/** What a step says of its counterpart. */
export function haltView(halted: Halted | null): HaltView {
  return {
    haltedSinceMicros: halted === null ? null : halted.sinceMs * MICROS,
    nextTryMicros: halted?.nextMs == null ? null : halted.nextMs * MICROS,
  }
}

type Names = Pick<DeliveryView, 'jobId' | 'jobTitle' | 'integrationId' | 'integrationTitle'>

function namesOf({ job, integration }: Pick<RunningStep, 'job' | 'integration'>): Names {
  return { jobId: job.id, jobTitle: job.title, integrationId: integration.id, integrationTitle: integration.title }
}

/** A failed delivery. `eventId` is null where the event is gone. */
export function deadLetterView(step: RunningStep, failed: DeadLetter, eventId: string | null): DeadLetterView {
  return {
    id: deadLetterKey(stepKey(step.id), failed.eventMicros).toString('hex'),
    ...namesOf(step),
    role: step.id.role,
    eventId,
    state: failed.state,
    attempts: failed.attempts,
    reason: failed.reason,
    firstFailedMicros: failed.firstMs * MICROS,
    lastFailedMicros: failed.lastMs * MICROS,
    nextAttemptMicros: failed.state === 'dead' ? null : failed.nextMs * MICROS,
  }
}

/** A document of an input that the job refused. */
export function refusedView(step: RunningStep, document: RefusedDocument): DeadLetterView {
  return {
    id: refusedKey(stepKey(step.id), document.id).toString('hex'),
    ...namesOf(step),
    role: step.id.role,
    eventId: document.id,
    state: 'dead',
    attempts: document.attempts,
    reason: document.reason,
    firstFailedMicros: document.firstMs * MICROS,
    lastFailedMicros: document.lastMs * MICROS,
    nextAttemptMicros: null,
  }
}

export function deliveryView(step: RunningStep): DeliveryView {
  const { runs, invalid } = step
  const names = { ...namesOf(step), role: step.id.role }
  const none = { delivered: 0, summedUp: 0, waiting: 0, dead: 0, lastDeliveredMicros: null, handledThroughMicros: 0 }
  if (!(runs instanceof Delivery)) return { ...names, ...none, ...haltView(null), state: 'invalid', reason: invalid }
  const { state, reason, delivered, summedUp, waiting, dead, lastDeliveredMs, place, halted } = runs.status()
  return {
    ...names,
    state,
    reason,
    delivered,
    summedUp,
    waiting,
    dead,
    handledThroughMicros: place.events,
    lastDeliveredMicros: lastDeliveredMs === null ? null : lastDeliveredMs * MICROS,
    ...haltView(halted),
  }
}

export function inputView(step: RunningStep): InputView {
  const { runs, invalid } = step
  const names = namesOf(step)
  const none = {
    taken: 0,
    replaced: 0,
    same: 0,
    refused: 0,
    lastTakenMicros: null,
    readThroughMicros: null,
    behindSeconds: null,
  }
  const quietSinceMicros = step.sinceMicros
  if (!(runs instanceof InputPoller)) {
    const state = invalid === '' ? 'paused' : 'invalid'
    return { ...names, ...none, ...haltView(null), quietSinceMicros, reason: invalid, state }
  }
  const { lastTakenMs, readThroughMs, behindMs, halted, ...status } = runs.status()
  const lastTakenMicros = lastTakenMs === null ? null : lastTakenMs * MICROS
  return {
    ...names,
    ...status,
    ...haltView(halted),
    lastTakenMicros,
    quietSinceMicros: lastTakenMicros ?? quietSinceMicros,
    readThroughMicros: readThroughMs === null ? null : readThroughMs * MICROS,
    behindSeconds: behindMs === null ? null : Math.floor(behindMs / 1_000),
  }
}

/** What jobs are warned of, for each step with a trouble. `input` tells documents that were no events from events. */
export function troublesOf(
  steps: readonly (Pick<DeliveryView, 'jobId' | 'integrationId' | 'integrationTitle' | 'role' | 'reason'> &
    HaltView & { readonly state: string; readonly dead?: number })[],
): StepTrouble[] {
  return steps.flatMap(({ state, dead = 0, reason, haltedSinceMicros: sinceMicros, nextTryMicros, ...step }) => {
    const { jobId, integrationId, integrationTitle, role } = step
    const one = { jobId, integrationId, integrationTitle, role, reason, sinceMicros, nextTryMicros, count: dead }
    const kinds: StepTrouble['kind'][] = []
    if (state === 'invalid') kinds.push('invalid')
    else if (state === 'stopped') kinds.push('stopped')
    else if (sinceMicros !== null) kinds.push('refused')
    if (dead > 0) kinds.push('dead')
    return kinds.map((kind): StepTrouble => ({ ...one, kind }))
  })
}
