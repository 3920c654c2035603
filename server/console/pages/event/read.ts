/** All that is known of one event. */
import {
  isTransient,
  type ConsensusView,
  type EventExplanation,
  type FailedDeliveries,
  type FeedbackReach,
} from '../../../client/index.js'
import { api, may, session } from '../../state/api.js'
import { readEvent, type QueriedEvent } from '../../state/events.js'

export interface Section {
  readonly previous_result_label?: string | null
  readonly severity?: unknown
  readonly storage_tag?: string | null
  readonly autonomy?: string | null
  readonly model?: { readonly path: string | null; readonly timestamp: string | null }
  readonly cluster?: { readonly cluster_id?: string } | null
  readonly timers?: { readonly reprocess_timestamp?: string | null; readonly total_pipeline_in_s?: number | null }
  readonly agentic_notes?: readonly (Readonly<Record<string, unknown>> & { timestamp: string; author: string })[]
  readonly log_messages?: readonly {
    readonly content: string
    readonly timestamp: string
    readonly level: string
    readonly component: string
  }[]
}

export interface Whole {
  readonly event: QueriedEvent
  /** The name of the service in fields. */
  readonly service: string
  readonly section: Section
  readonly explanation: EventExplanation | null
  readonly reach: FeedbackReach | null
  readonly consensus: ConsensusView | null
  readonly failed: FailedDeliveries['failed_deliveries']
}

/** What the person may not see, or what is not there, does not keep the rest away. */
async function orNull<T>(isAllowed: boolean, ask: () => Promise<T>): Promise<T | null> {
  if (!isAllowed) return null
  try {
    return await ask()
  } catch (error) {
    if (isTransient(error)) throw error
    return null
  }
}

function failedOf(failed: FailedDeliveries | null, eventId: string): FailedDeliveries['failed_deliveries'] {
  return failed?.failed_deliveries.filter(({ event_id: id }) => id === eventId) ?? []
}

/** Null if there is no such event. */
export async function readWhole(jobId: number, eventId: string, signal: AbortSignal): Promise<Whole | null> {
  const place = { job_id: jobId, event_id: eventId }
  const service = session.value?.service_name ?? 'service'
  const [event, explanation, reach, consensus, failed] = await Promise.all([
    readEvent(jobId, eventId, signal),
    orNull(may('read:event_export'), () => api.explainEvent(place, { signal })),
    orNull(may('write:event_feedback'), () => api.getFeedbackReach(place, { signal })),
    orNull(may('read:event_query'), () => api.getEventConsensus(place, { signal })),
    orNull(may('read:resources'), () => api.listFailedDeliveries({ job_id: jobId, size: 100 }, { signal })),
  ])
  if (event === null) return null
  const section = ((event as Record<string, unknown>)[service] ?? {}) as Section
  return { event, service, section, explanation, reach, consensus, failed: failedOf(failed, eventId) }
}

/** What this person said of the event, or null. */
export function ownVote({ consensus, event }: Whole): string | null {
  const votes = consensus?.votes.filter(({ analyst }) => analyst === session.value?.name) ?? []
  const own = votes.find(({ event_id }) => event_id === event.event_id) ?? votes.find(({ scope }) => scope === 'bucket')
  return own?.label ?? null
}
