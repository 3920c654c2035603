/**
 * What needs people: the labels that the service asks for next, with why and what an answer settles.
 *
 * Owns: where the queue comes from. Leaves out: what is shown of it (next.tsx).
 */
import type { NextPage, PickedBy, QueriedEvent } from '../../../client/index.js'
import { api, session } from '../../state/api.js'
import { plainText, titleOf } from '../../state/events.js'
import type { ShownJob } from '../../state/jobs.js'

export interface Waiting {
  readonly eventId: string
  readonly bucketId: string | null
  readonly title: string
  readonly label: string
  readonly confidence: number
  readonly at: string
  /** Why it is asked. */
  readonly reason: string
  /** What an answer is worth, as a sentence; '' where it is not known. */
  readonly promise: string
  readonly pickedBy: PickedBy
}

const SIZE = 50

function sentence(text: string): string {
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

function waitingOf(one: NextPage['next'][number], event: QueriedEvent | undefined): Waiting {
  return {
    eventId: one.event_id,
    bucketId: one.bucket_id,
    title: event === undefined ? plainText(one.event_id) : titleOf(event),
    label: one.result_label,
    confidence: one.confidence_score,
    at: event?.['@timestamp'] ?? one.ingest_timestamp,
    reason: one.reason,
    promise: sentence(one.promise?.message ?? ''),
    pickedBy: one.picked_by,
  }
}

/** The queue of a job. A bucket is in it once. */
export async function readQueue({ job_id: jobId }: ShownJob, signal: AbortSignal): Promise<readonly Waiting[]> {
  const person = session.value?.name
  const { next } = await api.getNextLabels({ job_id: jobId, count: SIZE, cortex_user: person }, { signal })
  if (next.length === 0) return []
  const body = {
    job_ids: [jobId],
    event_ids: next.map(({ event_id: id }) => id),
    size: next.length,
    decision_points_only: true,
  }
  const { events } = await api.queryEvents({ body }, { signal })
  const byId = new Map(events.map((event) => [event.event_id, event]))
  return next.map((one) => waitingOf(one, byId.get(one.event_id)))
}
