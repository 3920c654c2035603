/** The thread that looks for events to decide again or to delete; there is none while nothing is searched. */
import { threadFile } from '../../runtime/thread-files.js'
import { OccasionalThreads } from '../../runtime/threads/threads.js'
import type { EventSearchResult, EventSearchTask } from './event-search.js'

export class EventSearchThread extends OccasionalThreads<EventSearchTask, EventSearchResult> {
  constructor(failed: (what: string, error: unknown) => void) {
    const settings = { module: threadFile('event-search-thread'), threadsMax: 1, idleMs: 10_000, nice: 10 }
    super(settings, (error) => failed('a thread that looks for events died', error))
  }
}
