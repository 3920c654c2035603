/**
 * What needs people: events that nobody has voted on, one of each bucket, the most doubtful first.
 *
 * Owns: where the queue comes from. Leaves out: what is shown of it (next.tsx).
 */
import type { QueriedEvent } from '../../../client/index.js'
import { api, serviceField } from '../../state/api.js'
import { titleOf } from '../../state/events.js'
import type { ShownJob } from '../../state/jobs.js'
import { t, type TextKey } from '../../texts.js'

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
}

const PAGE = 100

function reasonOf(event: QueriedEvent): TextKey {
  if (event.outlier) return 'next.reason.outlier'
  return event.result_label === '' ? 'next.reason.undecided' : 'next.reason.doubtful'
}

function waitingOf(event: QueriedEvent): Waiting {
  return {
    eventId: event.event_id,
    bucketId: event.bucket_id,
    title: titleOf(event),
    label: event.result_label,
    confidence: event.confidence_score,
    at: event['@timestamp'],
    reason: t(reasonOf(event)),
    promise: '',
  }
}

/** Events without a vote: those with a decision, or those without one. */
async function readDoubtful(jobId: number, isDecided: boolean, signal: AbortSignal): Promise<QueriedEvent[]> {
  const decided = { field: serviceField('result_label'), operator: isDecided ? 'is not' : 'is', value: '' }
  const { events } = await api.queryEvents(
    {
      body: {
        job_ids: [jobId],
        filters: [{ field: serviceField('consensus'), operator: 'not exists' }, decided],
        ...(isDecided ? { sort_by_column: 'confidence_score', sort_order: 'asc' } : {}),
        size: PAGE,
        decision_points_only: true,
      },
    },
    { signal },
  )
  return events
}

/** The queue of a job. A bucket is in it once. */
export async function readQueue(job: ShownJob, signal: AbortSignal): Promise<readonly Waiting[]> {
  const decided = await readDoubtful(job.job_id, true, signal)
  const events = decided.length > 0 ? decided : await readDoubtful(job.job_id, false, signal)
  const buckets = new Set<string>()
  const items: Waiting[] = []
  for (const event of events) {
    const subject = event.bucket_id ?? event.event_id
    if (buckets.has(subject)) continue
    buckets.add(subject)
    items.push(waitingOf(event))
  }
  return items
}
