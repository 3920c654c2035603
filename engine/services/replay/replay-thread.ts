/** The entry of the thread of replays (D6). */
import { reportMemory } from '../../runtime/threads/memory-report.js'
import { openShard } from '../../store/directory/environments.js'
import { ReplaySignals, type ReplayResult, type ReplayTask } from './replay-protocol.js'
import { runReplay } from './run-replay.js'

/** @throws Error for anything that went wrong, with a sentence for people. */
export default async function replay(task: ReplayTask): Promise<ReplayResult> {
  const environment = openShard(task.dataDir, task.job.shard)
  reportMemory()
  try {
    return runReplay(environment, task, new ReplaySignals(task.signals))
  } finally {
    await environment.close()
  }
}
