/**
 * What needs people: the labels that the service asks for next, with why and what an answer settles.
 *
 * Owns: where the queue comes from. Leaves out: what is shown of it (next.tsx).
 */
import type { NextPage, PickedBy } from '../../../client/index.js'
import { QUEUE_SIZE, queueKey } from '../../first-requests.js'
import { api } from '../../state/api.js'
import { askEarly, early } from '../../state/early.js'
import { titleOf } from '../../state/events.js'
import { capitalized, sentence } from '../../texts.js'

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

function waitingOf(one: NextPage['next'][number]): Waiting {
  return {
    eventId: one.event_id,
    bucketId: one.bucket_id,
    title: titleOf(one),
    label: one.result_label,
    confidence: one.confidence_score,
    at: one['@timestamp'],
    reason: capitalized(one.reason),
    promise: sentence(one.promise?.message ?? ''),
    pickedBy: one.picked_by,
  }
}

function ask(jobId: number, signal: AbortSignal): Promise<NextPage> {
  return api.getNextLabels({ job_id: jobId, count: QUEUE_SIZE }, { signal })
}

/** Asks for a queue that is shown next. */
export function askQueue(jobId: number): void {
  askEarly(queueKey(jobId), (signal) => ask(jobId, signal))
}

/** The queue of a job, for the person who is signed in. A bucket is in it once. */
export async function readQueue(jobId: number, signal: AbortSignal): Promise<readonly Waiting[]> {
  const { next } = await early(queueKey(jobId), signal, (ends) => ask(jobId, ends))
  return next.map(waitingOf)
}
