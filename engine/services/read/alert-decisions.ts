/**
 * The decisions on an alert so far; and while there is none, what its place in its cluster suggests (S23).
 *
 * Owns: both as views. Leaves out: the documents (cluster-document.ts), deciding (actor/cause/cause-stage.ts).
 *
 * 1. A suggestion is the decision that a job with `decide_untrained` would have made. It follows from committed rows
 *    whenever it is read, so it is as new as they are.
 */
import type { AlertRow } from '../../domain/cause/cause-rows.js'
import { structuralAnswer, untrainedDecision } from '../../domain/cause/context.js'
import { LinkBelief, noFeedbackWeights } from '../../domain/cause/feedback-weights.js'
import { storedWindowMs } from '../../domain/cause/hawkes.js'
import type { CauseReads } from '../../domain/cause/cause-store.js'
import type { CauseSettings } from '../../domain/cause/settings.js'
import { labelMeanings, type LabelsByRole } from '../../domain/job/label-roles.js'
import type { Label } from '../../domain/job/job.js'
import type { RecordHeader } from '../../store/event-record.js'
import type { Answered, DecisionThen } from '../../api/cluster-service.js'

const linkBelief = new LinkBelief(noFeedbackWeights)

export class AlertDecisions {
  readonly #labels: readonly Label[]
  readonly #byRole: LabelsByRole
  readonly #windowMs: number

  constructor(reads: CauseReads, labels: readonly Label[], { causeWindowMs }: CauseSettings) {
    this.#labels = labels
    this.#byRole = labelMeanings(labels).byRole
    this.#windowMs = storedWindowMs(reads, causeWindowMs)
  }

  /** All decisions, oldest first. */
  of(micros: number, alert: AlertRow, header: RecordHeader): DecisionThen[] {
    // An entry has the time at which the next decision replaced it. The first was made when the event came in.
    const past = alert.history.map(([, label, confidence, source], at) => {
      return { atMicros: alert.history[at - 1]?.[0] ?? micros, ...this.#answered({ label, confidence, source }) }
    })
    return [...past, { atMicros: alert.history.at(-1)?.[0] ?? micros, ...this.#answered(header) }]
  }

  /** Null where the alert has a decision, or waits for one. */
  suggestion(alert: AlertRow, { label, pending }: Pick<RecordHeader, 'label' | 'pending'>): Answered | null {
    if (label >= 0 || pending) return null
    return this.#answered(untrainedDecision(structuralAnswer(alert, linkBelief, this.#windowMs), this.#byRole))
  }

  #answered({ label, confidence, source }: { label: number; confidence: number; source: string }): Answered {
    return {
      result: this.#labels[label]?.id ?? '',
      resultLabel: this.#labels[label]?.name ?? '',
      confidenceScore: confidence / 100,
      source,
    }
  }
}
