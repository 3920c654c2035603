/** A commit thread that dies where a test wants it to (fates.ts). */
import { join } from 'node:path'
import { parentPort } from 'node:worker_threads'
import type { CommitTask } from '../../engine/actor/commit-slot.js'
import { commitAll } from '../../engine/runtime/commits/commit-thread.js'
import { openShard } from '../../engine/store/directory/environments.js'
import { COMMIT_FATES_FILE, nextFate, type CommitFate } from './fates.js'

export default function commitUntilDeath({ dataDir, slot }: CommitTask): Promise<void> {
  let fate: CommitFate = 'live'
  return commitAll({
    slot,
    open(shard) {
      const environment = openShard(dataDir, shard)
      const commit = environment.commit.bind(environment)
      environment.commit = (batch) => {
        fate = nextFate<CommitFate>(join(dataDir, COMMIT_FATES_FILE))
        if (fate === 'before the commit') process.exit(1)
        commit(batch)
        if (fate === 'after the commit') process.exit(1)
      }
      return environment
    },
    report(done) {
      if (fate === 'said') process.exit(1)
      parentPort?.postMessage(done)
    },
  })
}
