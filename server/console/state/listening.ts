/**
 * The stream of what happens, which one tab of the browser has for all: a browser has six connections to a service
 * (HTTP/1.1), and a stream takes one of them for good.
 *
 * 1. Only tabs that somebody sees listen. One that is hidden, left or frozen gives the stream up at once, and another
 *    one takes it.
 * 2. The stream goes on from where the last one ended, so nothing is lost in between.
 */
import { computed, effect, signal } from '@preact/signals'
import type { StreamMessage } from '../../client/index.js'
import { api, may, session } from './api.js'
import { job } from './jobs.js'
import { store, stored } from './preferences.js'
import { inTurn, onTold, tellTabs, thisTab } from './tabs.js'

const AGAIN_MS = 10_000
/** The service is heard every four seconds. */
const SILENT_MS = 15_000
/** Where a stream has ended is kept so long. */
const PLACE_MS = 3_600_000
const PLACE = 'stream'
const TYPES = ['vote', 'training'] as const

/** Where a stream was last, and whose it was. */
interface Place {
  readonly user: string
  readonly id: string
  readonly atMs: number
}

/** The jobs that tabs show, by tab. */
const wanted = new Map<string, number>()
/** Rises when a tab shows a job that no tab has shown before. */
const changes = signal(0)
let heardMs = Date.now()

/** True if the stream is heard, in this tab or by another one. */
export function isHeard(): boolean {
  return Date.now() - heardMs < SILENT_MS || !may('read:event_query') || job.peek() === null
}

function want(tab: string, jobId: number): void {
  const isNew = ![...wanted.values()].includes(jobId)
  wanted.set(tab, jobId)
  if (isNew) changes.value++
}

/** Somebody sees the tab. */
function seenTab() {
  const isSeen = signal(!document.hidden)
  const look = (): void => void (isSeen.value = !document.hidden)
  const leave = (): void => void (isSeen.value = false)
  document.addEventListener('visibilitychange', look)
  document.addEventListener('resume', look)
  document.addEventListener('freeze', leave)
  addEventListener('pageshow', look)
  addEventListener('pagehide', leave)
  return isSeen
}

function heard(id: string, user: string): void {
  heardMs = Date.now()
  if (id !== '') store(PLACE, { user, id, atMs: heardMs } satisfies Place)
  tellTabs('heard', null)
}

function placeOf(user: string): string | undefined {
  const place = stored<Place | null>(PLACE, null)
  return place?.user === user && Date.now() - place.atMs < PLACE_MS ? place.id : undefined
}

/** Reads the stream for all tabs until `signal` ends it. It begins again when another job is shown. */
async function read(user: string, signal: AbortSignal, take: (message: StreamMessage) => void): Promise<void> {
  while (!signal.aborted && session.peek() != null) {
    const own = new AbortController()
    const known = changes.peek()
    const stop = effect(() => {
      if (changes.value !== known) own.abort()
    })
    try {
      const params = { job_id: [...new Set(wanted.values())], types: [...TYPES], last_event_id: placeOf(user) }
      const how = {
        signal: AbortSignal.any([signal, own.signal]),
        retries: 1_000,
        heard: (id: string) => heard(id, user),
      }
      for await (const message of api.events.stream(params, how)) {
        take(message)
        tellTabs('message', message)
      }
    } catch {
      // A place that the service does not know any more would be refused again.
      if (!signal.aborted && !own.signal.aborted) {
        store(PLACE, undefined)
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
      }
    } finally {
      stop()
    }
  }
}

/** Calls `take` with what happens, as long as somebody sees the tab. */
export function listenTogether(take: (message: StreamMessage) => void): void {
  const isSeen = seenTab()
  const jobId = computed(() => (may('read:event_query') ? (job.value?.job_id ?? null) : null))
  const isWanted = computed(() => isSeen.value && jobId.value !== null)
  const person = computed(() => session.value?.name ?? null)
  onTold('heard', () => (heardMs = Date.now()))
  onTold('message', (message: StreamMessage) => {
    if (isSeen.peek()) take(message)
  })
  onTold('want', ({ tab, id }: { tab: string; id: number }) => want(tab, id))
  onTold('left', (tab: string) => void wanted.delete(tab))
  onTold('who', () => {
    if (isSeen.peek() && jobId.peek() !== null) tellTabs('want', { tab: thisTab, id: jobId.peek() })
  })
  effect(() => {
    const id = jobId.value
    if (!isSeen.value || id === null) return
    want(thisTab, id)
    tellTabs('want', { tab: thisTab, id })
  })
  effect(() => {
    const user = person.value
    if (!isWanted.value || user === null) return
    const ends = new AbortController()
    heardMs = Date.now()
    inTurn('stream', ends.signal, async () => {
      tellTabs('who', null)
      await read(user, ends.signal, take)
    }).catch(() => {})
    return () => {
      ends.abort()
      tellTabs('left', thisTab)
    }
  })
}
