/**
 * Counts of events: one tally for each job and interval.
 *
 * Owns: which events count for which figure. Leaves out: finding events and the results of votes (services/report/).
 *
 * An event's subject is its bucket, or the event itself if the job has no buckets.
 *
 * | count                 | events                                                                                    |
 * |-----------------------|-------------------------------------------------------------------------------------------|
 * | processed             | stored in the period                                                                      |
 * | decided               | with a label. Without a model or decision points, an event is neither decided nor pending |
 * | pending               | held by a stopped job                                                                     |
 * | with consensus        | whose subject has a label that its votes agree on                                         |
 * | undecided             | whose subject's votes are tied                                                            |
 * | in the knowledge base | whose subject had a consensus that the model in use was trained on                        |
 * | changed               | those whose subject has another consensus now                                             |
 * | new data              | decided by the model: the subject was not in the knowledge base then                      |
 *
 * The matrices of new data and of the knowledge base sum to the matrix of all. They compare with votes that many of the
 * decisions were made from (agreement-with-votes.ts). What is right or wrong is counted by first answers alone
 * (prequential.ts), also in the bins of confidence.
 */
import type { DecisionSource } from '../decide/decision.js'
import type { BucketState } from '../learn/knowledge-base.js'
import { isLabel, UNDECIDED, type Consensus } from '../learn/consensus.js'
import { ConfidenceTally } from './confidence.js'
import { ConfusionMatrix } from './confusion.js'
import { PrequentialTally, type FirstAnswer } from './prequential.js'

/** The confidence 1 in hundredths of a percent. */
const CONFIDENCE_ONE = 10_000

/** What is known of one event. */
export interface EventFact {
  /** Label index, -1 without a decision. */
  readonly label: number
  readonly source: DecisionSource
  /** Hundredths of a percent. */
  readonly confidence: number
  readonly outlier: boolean
  readonly pending: boolean
  readonly hasFeedback: boolean
}

/** The result of the votes on an event's subject. */
export interface VoteResult {
  readonly consensus: Consensus
  readonly state: BucketState
}

export class EventTally {
  readonly all: ConfusionMatrix
  readonly newData: ConfusionMatrix
  readonly knowledgeBase: ConfusionMatrix
  readonly prequential: PrequentialTally
  readonly confidence = new ConfidenceTally()
  /** By label. */
  readonly decisions: number[]
  readonly consensuses: number[]
  readonly #lowConfidence: number
  events = 0
  pending = 0
  decided = 0
  fromKnowledgeBase = 0
  outliers = 0
  lowConfidence = 0
  withFeedback = 0
  undecided = 0
  inKnowledgeBase = 0
  changed = 0

  /** A confidence below `lowConfidence`, in hundredths of a percent, counts as low. */
  constructor(labelCount: number, lowConfidence: number) {
    this.all = new ConfusionMatrix(labelCount)
    this.newData = new ConfusionMatrix(labelCount)
    this.knowledgeBase = new ConfusionMatrix(labelCount)
    this.prequential = new PrequentialTally(labelCount)
    this.decisions = new Array<number>(labelCount).fill(0)
    this.consensuses = new Array<number>(labelCount).fill(0)
    this.#lowConfidence = lowConfidence
  }

  add(event: EventFact, { consensus, state }: VoteResult): void {
    this.events++
    if (event.pending) this.pending++
    if (event.hasFeedback) this.withFeedback++
    if (consensus === UNDECIDED) this.undecided++
    if (isLabel(consensus)) bump(this.consensuses, consensus)
    if (state === 'in_knowledge_base' || state === 'retrain') this.inKnowledgeBase++
    if (state === 'retrain') this.changed++
    if (event.label < 0) return
    this.decided++
    bump(this.decisions, event.label)
    if (event.outlier) this.outliers++
    if (event.confidence < this.#lowConfidence) this.lowConfidence++
    const known = event.source === 'knowledge_base'
    if (known) this.fromKnowledgeBase++
    this.confidence.add(event.confidence / CONFIDENCE_ONE, null)
    if (!isLabel(consensus)) return
    this.all.add(consensus, event.label)
    ;(known ? this.knowledgeBase : this.newData).add(consensus, event.label)
  }

  /** The first answer to one of the events. */
  addFirstAnswer(first: FirstAnswer): void {
    if (!this.prequential.add(first)) return
    this.confidence.judge(first.confidence / CONFIDENCE_ONE, first.label === first.truth)
  }

  get withConsensus(): number {
    return this.consensuses.reduce((all, one) => all + one, 0)
  }
}

function bump(counts: number[], at: number): void {
  if (at < counts.length) counts[at] = (counts[at] as number) + 1
}
