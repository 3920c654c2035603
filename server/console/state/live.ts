/**
 * What happens while a page is open: new events, votes of others, trainings.
 *
 * 1. Nothing that is shown moves. Pages say how much is new, and take it in when the person asks for it.
 * 2. Nothing is asked while the tab is hidden, or nobody has touched it for some minutes: an open tab alone keeps no
 *    session alive.
 */
import { computed, signal } from '@preact/signals'
import { isReached, session } from './api.js'
import { job, jobs, loadJobs } from './jobs.js'

const EVERY_MS = 5_000
const AWAKE_MS = 5 * 60_000

/** Events of each job when a page last took them in. */
const seen = signal<ReadonlyMap<number, number>>(new Map())

/** Events of the page's job that came since. */
export const newEvents = computed(() => {
  const { value } = job
  const before = value === null ? undefined : seen.value.get(value.job_id)
  return value === null || before === undefined ? 0 : Math.max(0, value.processed_documents_count - before)
})

/** `live`: what is shown is current; `idle`: nobody looks; `offline`: the service is not reached. */
export const liveState = signal<'live' | 'idle' | 'offline'>('live')

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
  try {
    await loadJobs()
  } catch {
    // `isReached` says it.
  }
  liveState.value = isReached.value ? 'live' : 'offline'
  const { value } = job
  if (value !== null && !seen.value.has(value.job_id)) takeIn()
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
}
