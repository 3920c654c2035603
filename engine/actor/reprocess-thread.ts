/** The entry of a thread that looks for the events of reprocessing tasks. */
import { openShard } from '../store/environments.js'
import { look, type LookResult, type LookTask } from './reprocess-look.js'

/** Looks once. @throws Error for anything that went wrong. */
export default async function lookOnce(task: LookTask): Promise<LookResult> {
  const environment = openShard(task.dataDir, task.job.shard)
  try {
    return look(environment, task)
  } finally {
    await environment.close()
  }
}
