/**
 * The model of one job at work: the active version, and what it says of an event or a bucket.
 *
 * Owns: which version is in memory. Leaves out: training and installing (trainings.ts, job-actor.ts), how consensus and
 * model become one answer (decide/).
 *
 * 1. A model of other decision points would read the values of these as something else: it is not used. Nor is one of a
 *    root cause job that was trained before there were clusters.
 * 2. A bucket's answer is kept with it until its votes or the model change: the model's own, before the watch.
 */
import { must } from '../assert.js'
import { decide, noDecision, type Decision, type KnownConsensus } from '../domain/decide/decision.js'
import { seeDecision, withTrust, type TrustTerms } from '../domain/decide/model-trust.js'
import type { PointValues } from '../domain/event/point-value.js'
import { hasClusters, outlierRateOf, type JobSettings } from '../domain/job/job.js'
import type { Model } from '../domain/learn/classifier.js'
import { kindOf } from '../domain/learn/model-bytes.js'
import { loadModel } from '../domain/learn/registry.js'
import { CauseModel, causeModelKind } from '../domain/cause/cause-model.js'
import { noFeedbackWeights, type FeedbackWeights } from '../domain/cause/feedback-weights.js'
import { decodeModel, type ModelRow, type StatsRow } from '../store/rows.js'
import { modelKey } from '../store/tables.js'
import { knownConsensus, readBallot } from './votes/ballots.js'
import type { Bucket } from './buckets/bucket-cache.js'
import type { Reads } from './event-table.js'

/** What a decision is beside its values. */
export interface Deciding {
  /** Where the votes on an event of no bucket are. */
  readonly ownSubject?: Uint8Array | null
  /** The event has been decided before: the stream has brought nothing new. */
  readonly again?: boolean
}

const firstTime: Deciding = {}

export class JobModel {
  readonly #jobId: number
  readonly #fingerprint: number
  readonly #probabilities: Float64Array
  readonly #outlierRate: number
  readonly #hasClusters: boolean
  #model: Model | null = null
  #version = 0

  constructor({ id, labels, advancedSettings, category }: JobSettings, fingerprint: number) {
    this.#jobId = id
    this.#outlierRate = outlierRateOf(advancedSettings)
    this.#hasClusters = hasClusters(category)
    this.#fingerprint = fingerprint
    this.#probabilities = new Float64Array(labels.length)
  }

  /** Reads the active version, where there is one. */
  open(reads: Reads, { modelVersion }: StatsRow): void {
    if (modelVersion === 0) return
    const { row, model } = decodeModel(
      must(reads.get('models', modelKey(this.#jobId, modelVersion)), 'the active model'),
    )
    this.use(row, model)
  }

  /** There is a model of the present decision points. */
  get isTrained(): boolean {
    return this.#model !== null
  }

  /** The weights that feedback gave to pairs of kinds, where the model is one of root cause analysis. */
  get feedbackWeights(): FeedbackWeights {
    return this.#model instanceof CauseModel ? this.#model.feedbackWeights : noFeedbackWeights
  }

  use(row: ModelRow, bytes: Uint8Array): void {
    const fits = row.fingerprint === this.#fingerprint && this.#hasClusters === isCause(bytes)
    this.#model = fits ? openModel(Uint8Array.from(bytes)) : null
    this.#version = row.version
  }

  /** Decides an event with these values, which is in that bucket or in none; the watch in `stats` goes on with it. */
  decide(
    reads: Reads,
    values: PointValues,
    bucket: Bucket | null,
    stats: StatsRow,
    how: Deciding = firstTime,
  ): Decision {
    if (this.#model === null) return noDecision
    const terms: TrustTerms = {
      outlierRate: this.#outlierRate,
      modelThreshold: this.#model.summary.outlierThreshold,
      consensusCounts: stats.consensusCounts,
    }
    const own = this.#ownDecision(this.#model, reads, values, bucket, stats, how.ownSubject ?? null)
    const decision = withTrust(own, stats.watch, terms)
    if (how.again !== true) seeDecision(own, stats.watch, terms, stats.lastEventMicros ?? 0)
    return decision
  }

  /** The model's own word on values of the present decision points, whatever the knowledge base says; null without a model. */
  opinion(values: PointValues): Decision | null {
    return this.#model === null ? null : this.#decide(this.#model, values, null)
  }

  #ownDecision(
    model: Model,
    reads: Reads,
    values: PointValues,
    bucket: Bucket | null,
    { trainedThroughSeq }: StatsRow,
    ownSubject: Uint8Array | null,
  ): Decision {
    // A bucket of earlier decision points holds events that differ at those of now.
    const alike = bucket !== null && bucket.fingerprint === this.#fingerprint
    if (alike && bucket.decision !== null) return bucket.decision
    const subject = bucket === null ? ownSubject : bucket.hasBallot ? bucket.id : null
    const ballot = subject === null ? null : readBallot(reads, this.#jobId, subject)
    const known = knownConsensus(ballot, trainedThroughSeq)
    const decision = this.#decide(model, values, known)
    if (alike) bucket.decision = decision
    return decision
  }

  #decide(model: Model, values: PointValues, known: KnownConsensus | null): Decision {
    return decide({ model, version: this.#version, probabilities: this.#probabilities }, values, known)
  }
}

function isCause(bytes: Uint8Array): boolean {
  return kindOf(bytes) === causeModelKind
}

/** @throws Error on bytes of an unknown kind, cut short or changed. */
export function openModel(bytes: Uint8Array): Model {
  return isCause(bytes) ? new CauseModel(bytes) : loadModel(bytes)
}
