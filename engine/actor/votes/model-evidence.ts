/**
 * What feedback on a decision tells of the model that made it.
 *
 * 1. Only the first vote on an event counts, and only where the active model decided it by itself: that is a draw whose
 *    odds the model named before.
 */
import { learnFromFeedback } from '../../domain/decide/model-trust.js'
import { decodeContent } from '../../store/event-record.js'
import type { ActorDeps } from '../redecision.js'
import type { FoundEvent } from '../event-table.js'

/** An analyst is about to say that `label` is right for the event. */
export function modelEvidence(
  { stats, model, arrivals, codec, cause }: ActorDeps,
  event: FoundEvent,
  label: number,
  micros: number,
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
  learnFromFeedback(own, row.watch, { label, consensusCounts: row.consensusCounts, micros })
  stats.change({ watch: row.watch })
}
