/** The thread that reads for streams; there is none while nobody listens. */
import { threadFile } from '../../runtime/thread-files.js'
import { OccasionalThreads } from '../../runtime/threads/threads.js'
import type { StreamResult, StreamTask } from './stream-task.js'

export class StreamThread extends OccasionalThreads<StreamTask, StreamResult> {
  constructor(failed: (what: string, error: unknown) => void) {
    const settings = { module: threadFile('stream-thread'), threadsMax: 1, idleMs: 30_000, nice: 10 }
    super(settings, (error) => failed('the thread that reads for streams died', error))
  }
}
