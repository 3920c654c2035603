/** A tally of events as internal metrics show it. Rates are 0 to 1, null where there is nothing to divide by. */
import type { EventTally } from '../../domain/metrics/event-tally.js'

export function tallyDocument(tally: EventTally, labels: readonly string[], minutesPerAlert: number): object {
  const named = (counts: readonly number[]): Map<string, number> =>
    new Map(labels.map((name, label) => [name, counts[label] ?? 0]))
  const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)
  const { all, newData, knowledgeBase } = tally
  return {
    totalEvents: tally.events,
    decidedEvents: tally.decided,
    pendingEvents: tally.pending,
    passedOverEvents: tally.events - tally.decided - tally.pending,
    eventsPerDecision: named(tally.decisions),
    totalEventsInKnowledgeBase: tally.inKnowledgeBase,
    totalEventsWithConsensus: tally.withConsensus,
    consensusPerDecision: named(tally.consensuses),
    eventsWithUndecidedConsensus: tally.undecided,
    eventsWithFeedback: tally.withFeedback,
    eventsWithChangedConsensus: tally.changed,
    decidedByKnowledgeBase: tally.fromKnowledgeBase,
    outliers: tally.outliers,
    outlierRate: share(tally.outliers, tally.decided),
    lowConfidence: tally.lowConfidence,
    lowConfidenceRate: share(tally.lowConfidence, tally.decided),
    timeSavedMinutes: all.right * minutesPerAlert,
    errorRate: all.total === 0 ? null : 1 - all.right / all.total,
    ...all.quality(labels),
    newData: newData.quality(labels),
    knowledgeBase: knowledgeBase.quality(labels),
    confidence: tally.confidence.figures(),
  }
}
