/**
 * The figures of a model that are computed on request: its agreement with the votes of today, for which it runs again
 * on every subject whose consensus is a label, and its first answers (S26).
 *
 * Owns: the figures of one model version, as they are stored. Leaves out: the model (domain/learn/), reading subjects
 * (scored-subjects.ts), scores that follow from a matrix (confusion.ts).
 *
 * 1. The model answers alone: with the knowledge base's answers every known subject would count as right. An answer is
 *    what `choose` makes of the probabilities, as in a decision (decide/decision.ts).
 * 2. `knowledgeBase` has the subjects that the model was trained on, `newData` those whose consensus came later.
 *    Neither is a figure of quality: that is measured on held-out events, and on first answers.
 * 3. A subject counts as often as it has events now; `subjects` counts each once.
 * 4. `known` is the model's knowledge base: subjects with the consensus that it was trained on.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { isLabel, NO_CONSENSUS, type Consensus } from '../../domain/learn/consensus.js'
import { consensusAt } from '../../domain/learn/knowledge-base.js'
import { ConfusionMatrix } from '../../domain/metrics/confusion.js'
import { PointTables } from '../../domain/metrics/point-usefulness.js'
import { PrequentialTally } from '../../domain/metrics/prequential.js'
import { decodeBallot, type BallotRow } from '../../store/ballot-row.js'
import type { Environment } from '../../store/environment.js'
import { decodeModel, type ModelRow } from '../../store/rows.js'
import { jobRange, modelKey } from '../../store/tables.js'
import { openModel } from '../../actor/job-model.js'
import { readRegistryRow } from '../../actor/models/registry.js'
import { readStats } from '../../actor/job-stats.js'
import { firstAnswers } from '../../actor/votes/first-answers.js'
import type { MetricsContext } from './job-snapshot.js'
import type { MetricsJob, ModelFigures, PartFigures } from './metrics-query.js'
import { subjectReader } from './scored-subjects.js'

const KEY_JOB_BYTES = 4
/** Ballots between two checks of the time limit. */
const CHECK_EVERY = 64
/** Lower bound of probabilities: one of 0 for the right label would make the mean infinite. */
const LEAST_PROBABILITY = 1e-15

class PartTally {
  readonly #events: ConfusionMatrix
  readonly #subjects: ConfusionMatrix
  #loss = 0

  constructor(labelCount: number) {
    this.#events = new ConfusionMatrix(labelCount)
    this.#subjects = new ConfusionMatrix(labelCount)
  }

  add(consensus: number, answer: number, probabilities: Float64Array, events: number): void {
    this.#events.add(consensus, answer, events)
    this.#subjects.add(consensus, answer)
    this.#loss -= Math.log(Math.max(LEAST_PROBABILITY, probabilities[consensus] ?? 0)) * events
  }

  figures(): PartFigures {
    const { total } = this.#events
    return {
      events: this.#events.rows,
      subjects: this.#subjects.rows,
      logLoss: total === 0 ? null : this.#loss / total,
    }
  }
}

/** The counters that the figures of a job's models depend on. */
export function basisOf(stats: {
  readonly feedbackSeq: number
  readonly events: number
  readonly consensusCounts: readonly number[]
  readonly lastFeedbackMicros: number | null
}): string {
  return JSON.stringify([stats.feedbackSeq, stats.events, stats.consensusCounts, stats.lastFeedbackMicros])
}

/**
 * @throws Refusal model_not_found, model_not_kept, query_timeout; Error where the decision points of an event cannot
 * be read.
 */
export function runModelFigures(context: MetricsContext, job: MetricsJob, version: number): ModelFigures {
  const { environment } = context.stores(job.shard)
  const stored = environment.get('models', modelKey(job.id, version))
  if (stored === undefined)
    throw readRegistryRow(environment, job.id, version) === null
      ? new Refusal('model_not_found', 'model not found')
      : new Refusal('model_not_kept', 'the model is not kept any more, so it cannot be asked again')
  const { row, model: bytes } = decodeModel(stored)
  const model = openModel(bytes)
  const labelCount = job.labels.length
  const probabilities = new Float64Array(labelCount)
  const tallies = { newData: new PartTally(labelCount), knowledgeBase: new PartTally(labelCount) }
  const known = { events: job.labels.map(() => 0), subjects: job.labels.map(() => 0) }
  const read = subjectReader(context, job, row.fingerprint, model)
  const tables = new PointTables(job.decisionPoints, labelCount)
  let seen = 0
  for (const { key, value } of environment.range('ballots', jobRange(job.id))) {
    if (++seen % CHECK_EVERY === 0) mustGoOn(context)
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
    const answer = model.choose(probabilities)
    const part = isLabel(then) ? tallies.knowledgeBase : tallies.newData
    part.add(ballot.consensus, answer, probabilities, subject.events)
    if (subject.isCurrent) tables.add(subject.values, ballot.consensus)
  }
  return {
    newData: tallies.newData.figures(),
    knowledgeBase: tallies.knowledgeBase.figures(),
    known,
    firstAnswers: firstAnswersOf(environment, job, version),
    points: tables.figures(),
    model: { trainedMicros: row.trainedMicros, summary: row.summary },
    basis: basisOf(readStats(environment, job.id, labelCount)),
  }
}

/**
 * The consensus that the model was trained on. Ballots drop changes that the model in use has seen. Where no change
 * from the time of an older model is left, a vote or override from before its training shows that it knew the subject.
 */
function consensusThen(ballot: BallotRow, { throughSeq, trainedMicros }: ModelRow): Consensus {
  const then = consensusAt(ballot.changes, throughSeq)
  const [first] = ballot.changes
  if (then !== NO_CONSENSUS || first === undefined || first.seq <= throughSeq) return then
  return ballot.firstMicros < trainedMicros ? first.consensus : NO_CONSENSUS
}

/** The first answers that this version gave. */
function firstAnswersOf(environment: Environment, { id, labels }: MetricsJob, version: number) {
  const tally = new PrequentialTally(labels.length)
  for (const first of firstAnswers(environment, id)) if (first.modelVersion === version) tally.add(first)
  return { newBuckets: tally.newBuckets.counts(), knownBuckets: tally.knownBuckets.counts() }
}

function mustGoOn({ clock }: MetricsContext): void {
  if (clock.cancelled.isCancelled) throw new Refusal('query_timeout', 'the recomputation was cancelled')
  if (clock.nowMs() >= clock.deadlineMs)
    throw new Refusal('query_timeout', `the recomputation took longer than ${limits.recomputeMsMax} ms`)
}
