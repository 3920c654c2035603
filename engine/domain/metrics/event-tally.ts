/**
 * What is counted of events: one tally a job and interval.
 *
 * Owns: which event counts for what. Leaves out: finding events and what their votes come to (actor/).
 *
 * - Processed: stored in the period. Decided: with a label. Pending: held by a stopped job. The rest was passed over, for want
 *   of a model or of the decision points.
 * - With consensus: the subject (the bucket, or the event where the job has no buckets) has a label that its votes agree on;
 *   undecided: its votes are a tie.
 * - In the knowledge base: the model in use was trained on the subject's consensus, whatever that is now. Changed: it is
 *   another now.
 * - New data: the model answered, since the subject was not in the knowledge base when the event was decided. The two
 *   matrices of new data and of the knowledge base sum to that of all.
 */
import type { DecisionSource } from '../decide/decision.js'
import type { BucketState } from '../learn/knowledge-base.js'
import { isLabel, UNDECIDED, type Consensus } from '../learn/consensus.js'
import { ConfidenceTally } from './confidence.js'
import { ConfusionMatrix } from './confusion.js'

/** Hundredths of a percent, as decisions have it. */
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

/** What the votes on an event's subject come to. */
export interface Standing {
  readonly consensus: Consensus
  readonly state: BucketState
}

export class EventTally {
  readonly all: ConfusionMatrix
  readonly newData: ConfusionMatrix
  readonly knowledgeBase: ConfusionMatrix
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

  /** `lowConfidence`: below it, in hundredths of a percent, a decision is of low confidence. */
  constructor(labelCount: number, lowConfidence: number) {
    this.all = new ConfusionMatrix(labelCount)
    this.newData = new ConfusionMatrix(labelCount)
    this.knowledgeBase = new ConfusionMatrix(labelCount)
    this.decisions = new Array<number>(labelCount).fill(0)
    this.consensuses = new Array<number>(labelCount).fill(0)
    this.#lowConfidence = lowConfidence
  }

  add(event: EventFact, { consensus, state }: Standing): void {
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
    const judged = isLabel(consensus)
    this.confidence.add(event.confidence / CONFIDENCE_ONE, judged ? consensus === event.label : null)
    if (!judged) return
    this.all.add(consensus, event.label)
    ;(known ? this.knowledgeBase : this.newData).add(consensus, event.label)
  }

  get withConsensus(): number {
    return this.consensuses.reduce((all, one) => all + one, 0)
  }
}

function bump(counts: number[], at: number): void {
  if (at < counts.length) counts[at] = (counts[at] as number) + 1
}
