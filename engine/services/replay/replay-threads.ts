/** The thread of replays; there is none while none runs. It comes after all that decide events. */
import { threadFile } from '../../runtime/thread-files.js'
import { OccasionalThreads, type ThreadDied } from '../../runtime/threads/threads.js'
import type { ReplayResult, ReplayTask } from './replay-protocol.js'

export class ReplayThreads extends OccasionalThreads<ReplayTask, ReplayResult> {
  constructor(died: ThreadDied) {
    super({ module: threadFile('replay-thread'), threadsMax: 1, idleMs: 10_000, nice: 15 }, died)
  }
}
