/**
 * Forgetting reaches the model: after an erasure it is trained again without what was erased, where the job says so.
 *
 * Owns: when that is done, and the statement that goes into the audit log. Leaves out: the training (trainings.ts).
 *
 * 1. A training that was running during the erasure may have read what was erased. It does not count, and another one
 *    follows it.
 * 2. A request that was cut off is sent again: the model is still marked as outdated, so it is trained then.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isRefusal } from '../../errors.js'
import { retrainsAfterErase } from '../../domain/job/forgetting.js'
import type { JobSettings } from '../../domain/job/job.js'
import { missingForTraining } from '../../domain/learn/knowledge-base.js'
import type { Forgetting } from '../../api/erase-service.js'
import type { Author, JobHandle } from '../../api/principal.js'
import { modelIdOf } from '../../actor/model-id.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { TrainingRow } from '../training/training-log.js'
import type { Trainings } from '../training/trainings.js'

export interface ForgetTerms {
  readonly shards: Pick<ReadableShards, 'reader'>
  readonly trainings: Pick<Trainings, 'view' | 'request'>
  readonly handle: JobHandle
  readonly by: Author
  /** Events were erased while there was a model, or one was being trained. */
  readonly retrainNeeded: boolean
  /** The job as it is now. @throws Refusal job_not_found. */
  current(handle: JobHandle): JobSettings
  /** @throws Refusal draining. */
  mustAccept(): void
}

/** Between two looks at a training, milliseconds. */
const LOOK_MS = 50

const isUnderWay = ({ state }: TrainingRow): boolean => state === 'queued' || state === 'training'

/** @throws Refusal draining, job_not_found. */
export async function forget(terms: ForgetTerms): Promise<Forgetting> {
  const { trainings, handle, retrainNeeded } = terms
  const job = terms.current(handle)
  const isOutdated = trainings.view(job.id).outdated !== undefined
  if (!retrainNeeded && !isOutdated) return noModel
  if (!retrainsAfterErase(job)) return retrainNeeded ? pending : noModel
  for (;;) {
    const row = await ended(terms)
    const now = terms.current(handle)
    const { labelledEvents, modelVersion } = terms.shards.reader(now.shard).stats(now)
    if (row.outdated === undefined) return trained(modelIdOf(now.id, modelVersion))
    const names = now.labels.map(({ name }) => name)
    const missing = missingForTraining(labelledEvents, names)
    if (missing !== null) return failed(missing)
    const after = await trainedAgain(terms)
    if (after.state === 'RETRAIN_FAILED') return failed(after.message)
  }
}

/** The row of the training that is asked for now, or of one that somebody else asked for. */
async function trainedAgain(terms: ForgetTerms): Promise<TrainingRow> {
  const { trainings, handle, by } = terms
  try {
    trainings.request(terms.current(handle), null, by)
  } catch (error) {
    if (!isRefusal(error, 'training_in_progress')) throw error
  }
  return await ended(terms)
}

async function ended({ trainings, handle, mustAccept, current }: ForgetTerms): Promise<TrainingRow> {
  for (;;) {
    const row = trainings.view(current(handle).id)
    if (!isUnderWay(row)) return row
    await sleep(LOOK_MS, undefined, { ref: false })
    mustAccept()
  }
}

const noModel: Forgetting = {
  state: 'not_needed',
  goneFromModel: null,
  message: 'no model of the job was trained with what was erased',
}

const pending: Forgetting = {
  state: 'pending',
  goneFromModel: null,
  message:
    'the model in use was trained while the erased events were stored: train it again. ' +
    'The next model has nothing of them, and with it earlier ones are erased',
}

function trained(model: string): Forgetting {
  const message =
    `nothing of what was erased is in the model ${model} or in a later one; ` +
    'models that were trained while it was stored are erased, and only their figures are kept'
  return { state: 'trained', goneFromModel: model, message }
}

function failed(why: string): Forgetting {
  const message = `the model in use was trained with the erased events, and could not be trained again: ${why}`
  return { state: 'failed', goneFromModel: null, message }
}
