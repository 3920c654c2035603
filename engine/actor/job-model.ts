/**
 * The active model of one job, and what it decides for an event or a bucket.
 *
 * Owns: which version is in memory. Leaves out: training (trainings.ts), installing (job-actor.ts), how consensus and
 * model become one decision (domain/decide/).
 *
 * 1. A model that was trained on other decision points would misread the values of the present ones, so it is not used.
 *    Nor is a model of a root cause job that was trained before the job had clusters.
 * 2. An open model may go between turns, and is opened again when a decision needs it (models/model-memory.ts).
 * 3. A bucket keeps its decision until its votes or the model change. That is the decision before the trust watch.
 */
import { must } from '../assert.js'
import { noBasis, trusted, type DecisionBasis } from '../domain/decide/decision-basis.js'
import { decide, noDecision, type Decision, type KnownConsensus } from '../domain/decide/decision.js'
import { seeDecision, termsOfModel, trustBasisOf, withTrust, type TrustTerms } from '../domain/decide/model-trust.js'
import type { PointValues } from '../domain/event/point-value.js'
import { hasClusters, outlierRateOf, type JobSettings } from '../domain/job/job.js'
import type { Model } from '../domain/learn/classifier.js'
import { kindOf } from '../domain/learn/model-bytes.js'
import { loadModel } from '../domain/learn/registry.js'
import { CauseModel, causeModelKind } from '../domain/cause/cause-model.js'
import { noFeedbackWeights, type FeedbackWeights } from '../domain/cause/feedback-weights.js'
import { decodeBucket } from '../store/bucket-row.js'
import type { ModelRow } from '../store/rows.js'
import type { AnalystWeights } from '../store/model-votes.js'
import { countKey } from '../store/tables.js'
import type { Bucket } from './buckets/bucket.js'
import type { Reads } from './event-table.js'
import type { JobStats } from './job-stats.js'
import type { ModelHolder, ModelMemory } from './models/model-memory.js'
import { ModelRows, type RowReads } from './models/model-rows.js'
import { knownConsensus, readBallot } from './votes/ballots.js'

/** How a stored event is decided again. */
export interface Redecision {
  /** The subject of its own ballot, where it has votes and no bucket. */
  readonly ownSubject: Uint8Array | null
  /** It has been decided before, so the stream brings nothing new. */
  readonly again: boolean
}

/** What a decision needs of the event's bucket. */
export type DecidedBucket = Pick<Bucket, 'id' | 'fingerprint' | 'hasBallot' | 'decision' | 'votesState'>

const firstTime: Redecision = { ownSubject: null, again: false }

export class JobModel implements ModelHolder {
  readonly #jobId: number
  readonly #fingerprint: number
  readonly #reads: Reads & RowReads
  readonly #stats: JobStats
  readonly #probabilities: Float64Array
  readonly #outlierRate: number
  readonly #hasClusters: boolean
  /** Of the latest decision. */
  basis: DecisionBasis = noBasis
  /** There is an active model, and it fits the present decision points. */
  #fits = false
  /** Null: it is not open. */
  #model: Model | null = null
  #memory: ModelMemory | null = null
  /** Of the active model. */
  #modelTerms: ReturnType<typeof termsOfModel> = { modelThreshold: 0, examples: 0 }
  /** The turn that has used the model last. */
  usedAt = 0
  #version = 0
  #weights: AnalystWeights | undefined
  /** Of the ballot that the latest own decision has read. */
  #votesState = 0

  /** `fingerprint` of the job's present decision points. */
  constructor(settings: JobSettings, fingerprint: number, reads: Reads & RowReads, stats: JobStats) {
    const { id, labels, advancedSettings, category } = settings
    this.#jobId = id
    this.#fingerprint = fingerprint
    this.#reads = reads
    this.#stats = stats
    this.#outlierRate = outlierRateOf(advancedSettings)
    this.#hasClusters = hasClusters(category)
    this.#probabilities = new Float64Array(labels.length)
  }

  /** Reads what is known of the active version, if there is one. It is opened with the first decision that needs it. */
  open(memory: ModelMemory): void {
    this.#memory = memory
    const { modelVersion } = this.#stats.row
    if (modelVersion === 0) return
    const { row, model } = memory.rows.read(this.#reads, this.#jobId, modelVersion)
    this.#take(row, isCause(model))
    this.#modelTerms = termsOfModel(row.summary)
  }

  /** The model is not open any more. */
  forgetModel(): void {
    this.#model = null
  }

  /** The model is not used any more. */
  drop(): void {
    this.#memory?.drop(this)
    this.#model = null
  }

  /** The active model, which fits. */
  #opened(): Model {
    if (this.#memory !== null) this.usedAt = this.#memory.turn
    if (this.#model !== null) return this.#model
    const rows = this.#memory?.rows ?? new ModelRows()
    return this.#openNow(rows.bytes(this.#reads, this.#jobId, this.#version))
  }

  #openNow(bytes: Uint8Array): Model {
    const [memory, jobId, version] = [this.#memory, this.#jobId, this.#version]
    const model = openModel(bytes, memory?.isChecked(jobId, version))
    this.#model = model
    if (memory === null) return model
    this.usedAt = memory.turn
    memory.opened(this, { jobId, version, bytes: bytes.length })
    return model
  }

  /** There is a model that fits the present decision points. */
  get isTrained(): boolean {
    return this.#fits
  }

  /** The version of the active model; 0 for none. */
  get version(): number {
    return this.#version
  }

  /** The weights that feedback gave to pairs of kinds, where the model is one of root cause analysis. */
  get feedbackWeights(): FeedbackWeights {
    const model = this.#fits && this.#hasClusters ? this.#opened() : null
    return model instanceof CauseModel ? model.feedbackWeights : noFeedbackWeights
  }

  /** How much a vote counts, by what the active model's training knew of the analyst; 1 where it knew nothing. */
  weightOf(analyst: string, label: number): number {
    if (this.#weights === undefined) return 1
    const { known, other } = this.#weights
    return (Object.hasOwn(known, analyst) ? known[analyst]?.[label] : other) ?? 1
  }

  /** The model with these bytes is the active one. */
  use(row: ModelRow, bytes: Uint8Array): void {
    this.#take(row, isCause(bytes))
    if (this.#fits) this.#modelTerms = termsOfModel(this.#openNow(bytes).summary)
    else this.drop()
  }

  #take(row: ModelRow, isOfCauses: boolean): void {
    this.#weights = row.analystWeights
    this.#fits = row.fingerprint === this.#fingerprint && this.#hasClusters === isOfCauses
    this.#version = row.version
  }

  /** As `use`, with a model that is open already. */
  useOpen(row: ModelRow, model: Model): void {
    this.#take(row, model instanceof CauseModel)
    this.#model = this.#fits ? model : null
    this.#modelTerms = termsOfModel(model.summary)
  }

  /** How the next event of the bucket is answered; null without a model that fits its decision points. */
  answerFor(bucket: Bucket): Decision | null {
    if (!this.#fits || bucket.fingerprint !== this.#fingerprint || bucket.lacksPoints) return null
    const own = this.#ownDecision(() => this.#valuesOf(bucket), bucket, null)
    return withTrust(own, this.#stats.row.watch, this.#terms())
  }

  /** The values of a bucket: in memory until its row is stored. */
  #valuesOf({ number, values }: Bucket): PointValues {
    if (values !== null) return values
    return decodeBucket(must(this.#reads.get('buckets', countKey(this.#jobId, number)), 'the row of a bucket')).values
  }

  #terms(): TrustTerms {
    const { modelThreshold, examples, ruleChanges } = this.#modelTerms
    const { labelledEvents: labelCounts } = this.#stats.row
    return { outlierRate: this.#outlierRate, modelThreshold, labelCounts, examples, ruleChanges }
  }

  /** Decides an event with these values, in that bucket or in none, and shows the decision to the trust watch. */
  decide(
    values: () => PointValues,
    bucket: DecidedBucket | null,
    { ownSubject, again }: Redecision = firstTime,
  ): Decision {
    this.basis = noBasis
    if (!this.#fits) return noDecision
    const { row } = this.#stats
    const terms = this.#terms()
    const own = this.#ownDecision(values, bucket, ownSubject)
    const trust = own.source === 'model' ? trustBasisOf(own, row.watch, terms) : noBasis
    // Field by field: an object spread is slow.
    const { threshold, ageing, doubt, base, ruleOff } = trust
    this.basis = { threshold, ageing, doubt, base, ruleOff, votesState: this.#votesState }
    const decision = trusted(own, this.basis)
    if (!again) seeDecision(own, row.watch, terms, row.lastEventMicros ?? 0)
    return decision
  }

  /**
   * The model's decision on values of the present decision points, without the knowledge base; null without a model.
   */
  opinion(values: PointValues): Decision | null {
    return this.#fits ? this.#decide(values, null) : null
  }

  /** The decision of knowledge base and model, before the trust watch. */
  #ownDecision(values: () => PointValues, bucket: DecidedBucket | null, ownSubject: Uint8Array | null): Decision {
    // The events in a bucket of earlier decision points may differ at the present ones.
    const isPresent = bucket !== null && bucket.fingerprint === this.#fingerprint
    if (isPresent && bucket.decision !== null) {
      this.#votesState = bucket.votesState
      return bucket.decision
    }
    const subject = bucket === null ? ownSubject : bucket.hasBallot ? bucket.id : null
    const ballot = subject === null ? null : readBallot(this.#reads, this.#jobId, subject)
    this.#votesState = ballot === null ? 0 : ballot.state
    const known = knownConsensus(ballot, this.#stats.row.trainedThroughSeq, bucket !== null)
    const decision = this.#decide(values(), known)
    if (isPresent) {
      bucket.decision = decision
      bucket.votesState = this.#votesState
    }
    return decision
  }

  #decide(values: PointValues, known: KnownConsensus | null): Decision {
    const model = this.#opened()
    return decide({ model, version: this.#version, probabilities: this.#probabilities }, values, known)
  }
}

function isCause(bytes: Uint8Array): boolean {
  return kindOf(bytes) === causeModelKind
}

/**
 * Opens a model; nothing of `bytes` is kept. @throws Error on bytes of an unknown kind, or cut short, or (unless they
 * were `checked` before) changed.
 */
export function openModel(bytes: Uint8Array, checked = false): Model {
  return isCause(bytes) ? new CauseModel(bytes, checked) : loadModel(bytes, checked)
}
