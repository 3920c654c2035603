/** Events as pages show them, and what is known of one: the explanation, similar ones, how far a vote reaches. */
import { isTransient, type EventExplanation, type FeedbackReach, type SimilarAnswer } from '../../client/index.js'
import type { QueriedEvent } from '../../client/index.js'
import { api, may, serviceField } from './api.js'

export type { QueriedEvent }
export { plainText, titleOf, valueText, type Titled } from '../parts/event-title.js'

/** Everything about an event that helps to answer. What could not be had is null. */
export interface Known {
  readonly event: QueriedEvent | null
  readonly explanation: EventExplanation | null
  readonly reach: FeedbackReach | null
}

/** What cannot be had does not keep the rest away; a broken connection does. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (isTransient(error)) throw error
    return null
  }
}

export async function readEvent(jobId: number, eventId: string, signal: AbortSignal): Promise<QueriedEvent | null> {
  const { events } = await api.queryEvents({ body: { job_ids: [jobId], event_ids: [eventId], size: 1 } }, { signal })
  return events[0] ?? null
}

export async function readKnown(jobId: number, eventId: string, signal: AbortSignal): Promise<Known> {
  const place = { job_id: jobId, event_id: eventId }
  const [event, explanation, reach] = await Promise.all([
    readEvent(jobId, eventId, signal),
    may('read:event_export') ? orNull(api.explainEvent(place, { signal })) : null,
    may('write:event_feedback') ? orNull(api.getFeedbackReach(place, { signal })) : null,
  ])
  return { event, explanation, reach }
}

export function readSimilar(jobId: number, eventId: string, signal: AbortSignal): Promise<SimilarAnswer> {
  return api.listSimilarEvents({ job_id: jobId, event_id: eventId, count: 8 }, { signal })
}

/** The filter for events that nobody has voted on. */
export const unvoted = () => ({ field: serviceField('consensus'), operator: 'not exists' })
