/** The backup thread; it exists only while a backup is made. */
import { threadFile } from '../../runtime/thread-files.js'
import { OccasionalThreads, type ThreadDied } from '../../runtime/threads/threads.js'
import type { BackupDone, BackupTask } from './backup-thread.js'

export class BackupThread extends OccasionalThreads<BackupTask, BackupDone> {
  constructor(died: ThreadDied) {
    super({ module: threadFile('backup-thread'), threadsMax: 1, idleMs: 1_000, nice: 10 }, died)
  }
}
