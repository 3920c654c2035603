/** The thread that searches for events to reprocess or erase; there is none while nothing is searched. */
import { threadFile } from '../../runtime/thread-files.js'
import { OccasionalThreads } from '../../runtime/threads/threads.js'
import type { EventSearchResult, EventSearchTask } from './event-search.js'

export class EventSearchThread extends OccasionalThreads<EventSearchTask, EventSearchResult> {
  constructor(failed: (what: string, error: unknown) => void) {
    const settings = { module: threadFile('event-search-thread'), threadsMax: 1, idleMs: 10_000, nice: 10 }
    super(settings, (error) => failed('the thread that searches for events died', error))
  }
}
