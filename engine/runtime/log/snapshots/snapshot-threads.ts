/** The thread of snapshots; it exists only while one is made or restored. */
import { threadFile } from '../../thread-files.js'
import { OccasionalThreads, type ThreadDied } from '../../threads/threads.js'
import type { SnapshotBucket, SnapshotTask } from './snapshot-thread.js'
import type { Made, MakeTask, Restored, RestoreTask } from './snapshot-work.js'

/** Who does the work of snapshots. Tests do it in their own thread. */
export interface SnapshotWorker {
  make(task: MakeTask): Promise<Made>
  restore(task: RestoreTask): Promise<Restored>
  close(): Promise<void>
}

export class SnapshotThreads implements SnapshotWorker {
  readonly #bucket: SnapshotBucket
  readonly #threads: OccasionalThreads<SnapshotTask, Made | Restored>

  constructor(bucket: SnapshotBucket, died: ThreadDied) {
    this.#bucket = bucket
    this.#threads = new OccasionalThreads(
      { module: threadFile('snapshot-thread'), threadsMax: 2, idleMs: 1_000, nice: 10 },
      died,
    )
  }

  async make(task: MakeTask): Promise<Made> {
    return (await this.#threads.run({ ...task, in: this.#bucket })) as Made
  }

  async restore(task: RestoreTask): Promise<Restored> {
    return (await this.#threads.run({ ...task, in: this.#bucket })) as Restored
  }

  async close(): Promise<void> {
    await this.#threads.close()
  }
}
