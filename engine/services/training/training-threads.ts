/** The training threads; there are none while nothing trains. */
import { threadFile } from '../../runtime/thread-files.js'
import { OccasionalThreads, type ThreadDied } from '../../runtime/threads/threads.js'
import type { TrainingResult, TrainingTask } from './training-protocol.js'

export class TrainingThreads extends OccasionalThreads<TrainingTask, TrainingResult> {
  constructor(threadsMax: number, died: ThreadDied) {
    super({ module: threadFile('training-thread'), threadsMax, idleMs: 10_000, nice: 10 }, died)
  }
}
