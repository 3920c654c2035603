/**
 * What happens while a page is open: new events, votes of others, trainings.
 *
 * 1. Nothing that is shown moves. Pages say how much is new, and take it in when the person asks for it.
 * 2. Counts are asked for, since a job may decide thousands of events a second. Votes and trainings are told of by the
 *    stream, and none is lost when the connection is.
 * 3. Nothing is asked while the tab is hidden, or nobody has touched it for some minutes: an open tab alone keeps no
 *    session alive.
 */
import { computed, signal } from '@preact/signals'
import type { StreamMessage } from '../../client/index.js'
import { t } from '../texts.js'
import { isReached, session } from './api.js'
import { serviceNow } from './clock.js'
import { job, jobs, loadJobs, wereToldWithin } from './jobs.js'
import { isHeard, listenTogether } from './listening.js'
import { noteSaid } from './said.js'
import { say } from './toasts.js'

const EVERY_MS = 5_000
const AWAKE_MS = 5 * 60_000
/** An answer that takes longer is none. */
const ANSWER_MS = 8_000
/** What happened longer ago is no news. */
const NEWS_MS = 60_000

/** Events of each job when a page last took them in. */
const seen = signal<ReadonlyMap<number, number>>(new Map())

/** Events of the page's job that came since. */
export const newEvents = computed(() => {
  const { value } = job
  const before = value === null ? undefined : seen.value.get(value.job_id)
  return value === null || before === undefined ? 0 : Math.max(0, value.processed_documents_count - before)
})

/**
 * `live`: what is shown is current; `late`: counts are, but what others do comes late; `idle`: nobody looks; `offline`:
 * the service is not reached, or does not answer.
 */
export const liveState = signal<'live' | 'late' | 'idle' | 'offline'>('live')

/** The page has the events of now. */
export function takeIn(): void {
  const { value } = job
  if (value === null) return
  seen.value = new Map(seen.value).set(value.job_id, value.processed_documents_count)
}

let touchedMs = Date.now()

async function look(): Promise<void> {
  const isAwake = !document.hidden && Date.now() - touchedMs < AWAKE_MS
  if (session.value == null || !isAwake) {
    if (!isAwake) liveState.value = 'idle'
    return
  }
  const timeout = AbortSignal.timeout(ANSWER_MS)
  try {
    if (!wereToldWithin(EVERY_MS)) await loadJobs(timeout)
  } catch {
    // `isReached` says it, if it was not the time.
  }
  if (timeout.aborted || !isReached.value) liveState.value = 'offline'
  else liveState.value = isHeard() ? 'live' : 'late'
  const { value } = job
  if (value !== null && !seen.value.has(value.job_id)) takeIn()
}

function take(message: StreamMessage): void {
  if (message.type === 'training') {
    const isNews = serviceNow() - Date.parse(message.data.at) < NEWS_MS
    if (isNews && message.data.state !== 'requested') say(t(`training.${message.data.state}`))
    void look()
  }
  if (message.type !== 'vote') return
  const { job_id: jobId, bucket_id: bucketId, event_id: eventId, analyst, consensus } = message.data
  noteSaid(jobId, bucketId, eventId ?? '', { analyst, consensus })
}

/** Begins to follow what happens. */
export function follow(): void {
  const touch = (): void => {
    const wasIdle = liveState.value === 'idle'
    touchedMs = Date.now()
    if (wasIdle) void look()
  }
  for (const name of ['keydown', 'pointermove', 'pointerdown', 'focus'] as const)
    addEventListener(name, touch, { passive: true })
  document.addEventListener('visibilitychange', touch)
  addEventListener('offline', () => (liveState.value = 'offline'))
  addEventListener('online', () => void look())
  setInterval(() => void look(), EVERY_MS)
  if (jobs.value === null) void look()
  listenTogether(take)
}
