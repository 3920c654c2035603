/**
 * What a request for a replay asks for, and whether it can be had.
 *
 * Leaves out: names of analysts, which are looked for on another thread (analysts/unknown-analysts.ts).
 */
import { Refusal } from '../../errors.js'
import type { JobSettings } from '../../domain/job/job.js'
import { missingForTraining } from '../../domain/learn/knowledge-base.js'
import { modelBounds } from '../../domain/learn/model-origin.js'
import type { ReplayRequest } from '../../api/models/replay-service.js'
import type { ReplayTerms } from '../../store/replay-row.js'
import { modelIdOf, versionOf } from '../../actor/model-id.js'
import { notKept } from '../../actor/models/model-commands.js'
import type { JobReader, ReadableShards } from '../read/job-reader.js'

interface TermsDeps {
  readonly shards: Pick<ReadableShards, 'reader'>
  readonly nowMicros: number
}

/** The terms of a replay that is requested now. @throws Refusal as ReplayService.start. */
export function replayTermsOf(job: JobSettings, request: ReplayRequest, { shards, nowMicros }: TermsDeps): ReplayTerms {
  const reader = shards.reader(job.shard)
  const { objective, decisionPoints, withoutAnalysts, seed } = request
  const training = {
    ...(objective === undefined ? {} : { objective }),
    ...(decisionPoints === undefined ? {} : { decisionPoints }),
    ...(withoutAnalysts === undefined || withoutAnalysts.length === 0 ? {} : { withoutAnalysts }),
    ...(seed === undefined ? {} : { seed }),
  }
  const trains = Object.keys(training).length > 0
  const { modelId, threshold } = request
  if (trains && modelId !== undefined)
    throw wrong(
      'model_id',
      'a model is named, so none is trained: leave out either the model or what it is trained with',
    )
  if ((withoutAnalysts?.length ?? 0) > modelBounds.withoutAnalystsMax)
    throw wrong('without_analysts', `at most ${modelBounds.withoutAnalystsMax} analysts can be left out`)
  if (decisionPoints !== undefined && decisionPoints.length === 0)
    throw wrong('decision_points', 'name one decision point at least')
  const terms = { fromMicros: request.fromMicros ?? 0, toMicros: request.toMicros ?? nowMicros }
  if (terms.fromMicros >= terms.toMicros)
    throw wrong(
      'start_date',
      request.toMicros === undefined ? 'the period begins in the future' : 'the period ends before it begins',
    )
  if (trains) mustTrain(reader, job)
  const version = trains ? null : keptVersion(reader, job, modelId)
  const against = request.against === undefined ? null : keptVersion(reader, job, request.against)
  if (version !== null && version === against) throw wrong('against', 'both sides are the same model: name another one')
  mustHaveEvents(reader, job, terms)
  const hundredths = threshold === undefined ? null : Math.round(threshold * 100)
  return { ...terms, version, against, training, threshold: hundredths }
}

function mustTrain(reader: JobReader, job: JobSettings): void {
  const { labelledEvents } = reader.stats(job)
  const names = job.labels.map(({ name }) => name)
  const missing = missingForTraining(labelledEvents, names)
  if (missing !== null) throw new Refusal('not_enough_feedback', missing)
}

/** @throws Refusal model_not_found, model_not_kept. */
function keptVersion(reader: JobReader, job: JobSettings, modelId: string | undefined): number {
  const { modelVersion } = reader.stats(job)
  if (modelId === undefined && modelVersion === 0)
    throw new Refusal('model_not_found', 'the job has no model yet', { details: 'train the job first' })
  const version = modelId === undefined ? modelVersion : versionOf(job.id, modelId)
  const row = version === null ? null : reader.models(job.id).one(version)
  if (row === null)
    throw new Refusal('model_not_found', 'model not found', { details: `the job ${job.id} has no model of that id` })
  if (!row.isKept) throw notKept(modelIdOf(job.id, row.version), row)
  return row.version
}

function mustHaveEvents(
  reader: JobReader,
  job: JobSettings,
  { fromMicros, toMicros }: Pick<ReplayTerms, 'fromMicros' | 'toMicros'>,
): void {
  if (reader.models(job.id).hasEvents(fromMicros, toMicros)) return
  throw new Refusal('event_not_found', 'the job has no events in that period', {
    details: 'choose another start_date or end_date: they are times of ingest',
  })
}

function wrong(field: string, msg: string): Refusal {
  return new Refusal('invalid_body', `${field}: ${msg}`, {
    issues: [{ loc: ['body', field], msg, type: 'value_error' }],
  })
}
