/**
 * A model held against what analysts agree on: run again over every subject whose consensus is a label.
 *
 * Owns: reading the subjects, and the figures of one model version, as they are stored. Leaves out: the model (learn/), the
 * scores that follow from a matrix (metrics/confusion.ts).
 *
 * - The model answers by itself: what the knowledge base would say is left out, or every known subject would count as right.
 * - `knowledgeBase` are the subjects that the model was trained on, `newData` those that got their consensus later. Figures on
 *   new data are the honest ones.
 * - Counts are of events: a subject counts as often as it has events now; `subjects` counts each once.
 * - `known`, the knowledge base of the model: subjects with the consensus that it was trained on.
 */
import { must } from '../../assert.js'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { BUCKET_ID_BYTES, bucketIdText } from '../../domain/event/bucket-key.js'
import { DecisionPoints } from '../../domain/event/decision-points.js'
import type { PointValues } from '../../domain/event/point-value.js'
import { isLabel, NO_CONSENSUS, type Consensus } from '../../domain/learn/consensus.js'
import { consensusAt } from '../../domain/learn/knowledge-base.js'
import type { Model } from '../../domain/learn/classifier.js'
import { CauseModel } from '../../domain/cause/cause-model.js'
import { ConfidenceTally } from '../../domain/metrics/confidence.js'
import { ConfusionMatrix } from '../../domain/metrics/confusion.js'
import { PointTables } from '../../domain/metrics/point-usefulness.js'
import { decodeContent } from '../../store/event-record.js'
import { decodeBallot, decodeBucket, decodeModel, type BallotRow, type ModelRow } from '../../store/rows.js'
import { bucketKey, jobRange, modelKey, timeKey, timeOfValue } from '../../store/tables.js'
import { BucketCounts } from '../../actor/buckets/bucket-counts.js'
import { causeValues } from './cause-values.js'
import { openModel } from '../../actor/job-model.js'
import { readStats } from '../../actor/job-stats.js'
import type { MetricsContext } from './job-snapshot.js'
import type { MetricsJob } from './metrics-query.js'
import type { ModelFigures, PartFigures } from './metrics-query.js'

const KEY_JOB_BYTES = 4
const LOOK_EVERY = 64
/** A probability of 0 for what turned out right would make the mean infinite. */
const LEAST_PROBABILITY = 1e-15

class PartTally {
  readonly #events: ConfusionMatrix
  readonly #subjects: ConfusionMatrix
  readonly #confidence = new ConfidenceTally()
  #loss = 0

  constructor(labelCount: number) {
    this.#events = new ConfusionMatrix(labelCount)
    this.#subjects = new ConfusionMatrix(labelCount)
  }

  add(consensus: number, answer: number, probabilities: Float64Array, events: number): void {
    this.#events.add(consensus, answer, events)
    this.#subjects.add(consensus, answer)
    this.#confidence.add(probabilities[answer] as number, answer === consensus, events)
    this.#loss -= Math.log(Math.max(LEAST_PROBABILITY, probabilities[consensus] ?? 0)) * events
  }

  figures(): PartFigures {
    const { total } = this.#events
    return {
      events: this.#events.rows,
      subjects: this.#subjects.rows,
      confidence: this.#confidence.figures(),
      logLoss: total === 0 ? null : this.#loss / total,
    }
  }
}

/** The counters that a job's model figures depend on. */
export function basisOf(stats: {
  readonly feedbackSeq: number
  readonly events: number
  readonly consensusCounts: readonly number[]
}): string {
  return JSON.stringify([stats.feedbackSeq, stats.events, stats.consensusCounts])
}

/** @throws Refusal model_not_found, query_timeout; Error where the model cannot be held against anything. */
export function runModelFigures(context: MetricsContext, job: MetricsJob, version: number): ModelFigures {
  const { environment } = context.stores(job.shard)
  const stored = environment.get('models', modelKey(job.id, version))
  if (stored === undefined) throw new Refusal('model_not_found', 'model not found')
  const { row, model: bytes } = decodeModel(stored)
  const model = openModel(Uint8Array.from(bytes))
  const labelCount = job.labels.length
  const probabilities = new Float64Array(labelCount)
  const deps = { newData: new PartTally(labelCount), knowledgeBase: new PartTally(labelCount) }
  const known = { events: job.labels.map(() => 0), subjects: job.labels.map(() => 0) }
  const read = subjectReader(context, job, row.fingerprint, model)
  const tables = new PointTables(job.decisionPoints, labelCount)
  let seen = 0
  for (const { key, value } of environment.range('ballots', jobRange(job.id))) {
    if (++seen % LOOK_EVERY === 0) mustGoOn(context)
    const ballot = decodeBallot(value)
    const then = consensusThen(ballot, row)
    if (!isLabel(ballot.consensus) && !isLabel(then)) continue
    const subject = read(key.subarray(KEY_JOB_BYTES))
    if (subject === null) continue
    if (isLabel(then)) {
      known.events[then]! += subject.events
      known.subjects[then]! += 1
    }
    if (!isLabel(ballot.consensus)) continue
    model.predict(subject.seen, probabilities)
    const answer = probabilities.indexOf(Math.max(...probabilities))
    const part = isLabel(then) ? deps.knowledgeBase : deps.newData
    part.add(ballot.consensus, answer, probabilities, subject.events)
    if (subject.isCurrent) tables.add(subject.values, ballot.consensus)
  }
  return {
    newData: deps.newData.figures(),
    knowledgeBase: deps.knowledgeBase.figures(),
    known,
    points: tables.figures(),
    model: { trainedMicros: row.trainedMicros, summary: row.summary },
    basis: basisOf(readStats(environment, job.id, labelCount)),
  }
}

/**
 * What the model was trained on. Ballots forget changes that the model in use has seen: where none from the time of an
 * older model is left, a word from before its training tells that it knew the subject.
 */
function consensusThen(ballot: BallotRow, { throughSeq, trainedMicros }: ModelRow): Consensus {
  const then = consensusAt(ballot.changes, throughSeq)
  const [first] = ballot.changes
  if (then !== NO_CONSENSUS || first === undefined || first.seq <= throughSeq) return then
  const said = ballot.override === null ? ballot.votes : [...ballot.votes, ballot.override]
  return said.some(({ atMicros }) => atMicros < trainedMicros) ? first.consensus : NO_CONSENSUS
}

interface Subject {
  readonly values: PointValues
  /** What the model reads of it. */
  readonly seen: PointValues
  readonly events: number
  /** Of the decision points of now. */
  readonly isCurrent: boolean
}

/** @throws Error where the model is of other decision points than those of the job, and those are not known any more. */
function subjectReader(
  context: MetricsContext,
  job: MetricsJob,
  fingerprint: number,
  model: Model,
): (subject: Uint8Array) => Subject | null {
  const { environment, codec } = context.stores(job.shard)
  const points = new DecisionPoints(job.decisionPoints)
  const counts = new BucketCounts(environment, job.id)
  const isCurrent = points.fingerprint === fingerprint
  const placed = model instanceof CauseModel ? causeValues(environment, job, model) : null
  return (subject) => {
    if (subject.length !== BUCKET_ID_BYTES) {
      if (!isCurrent) throw new Error('the model was trained on other decision points than those of the job')
      const record = environment.get('events', timeKey(job.id, timeOfValue(subject)))
      if (record === undefined) return null
      const values = points.valuesOf(codec.decode(decodeContent(record).body))
      const seen = placed === null ? values : placed(timeOfValue(subject), values)
      return seen === null ? null : { values, seen, events: 1, isCurrent }
    }
    const bucket = decodeBucket(must(environment.get('buckets', bucketKey(job.id, subject)), 'the bucket of a ballot'))
    if (bucket.fingerprint !== fingerprint) return null
    const { events } = counts.of(bucketIdText(subject), bucket.number)
    return { values: bucket.values, seen: bucket.values, events, isCurrent }
  }
}

function mustGoOn({ clock }: MetricsContext): void {
  if (clock.cancelled.isCancelled) throw new Refusal('query_timeout', 'the recomputation was given up')
  if (clock.nowMs() >= clock.deadlineMs)
    throw new Refusal('query_timeout', `the recomputation took longer than ${limits.recomputeMsMax} ms`)
}
