/**
 * What feedback on a decision says about the model that made it.
 *
 * 1. Only the first vote on an event counts, and only where the active model made the decision without the knowledge
 *    base. Only then had the model stated the odds before the vote.
 */
import { learnFromFeedback } from '../../domain/decide/model-trust.js'
import { decodeContent } from '../../store/event-record.js'
import type { ActorDeps } from '../actor-deps.js'
import type { FoundEvent } from '../event-table.js'

interface Evidence {
  readonly label: number
  /** The analyst picked the event; false: the service asked about it. */
  readonly isChosen: boolean
  readonly micros: number
}

/** Called before a vote for `label` on the event is cast. */
export function modelEvidence(
  { stats, model, arrivals, codec, cause }: ActorDeps,
  event: FoundEvent,
  { label, isChosen, micros }: Evidence,
): void {
  const { source, modelVersion, hasFeedback } = event.header
  const { row } = stats
  if (hasFeedback || modelVersion === 0 || modelVersion !== row.modelVersion) return
  if (source !== 'model' && source !== 'ageing_model') return
  const own =
    cause !== null
      ? cause.opinion(event)
      : model.opinion(arrivals.points.valuesOf(codec.decode(decodeContent(event.record).body)))
  if (own === null) return
  learnFromFeedback(own, row.watch, { label, labelCounts: row.labelledEvents, isChosen, micros })
  stats.change({ watch: row.watch })
}
