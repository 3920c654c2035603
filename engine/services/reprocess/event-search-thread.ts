/** The entry of a thread that looks for the events of reprocessing tasks. */
import { openShard } from '../../store/directory/environments.js'
import { look, type LookResult, type LookTask } from './event-search.js'

/** Looks once. @throws Error for anything that went wrong. */
export default async function lookOnce(task: LookTask): Promise<LookResult> {
  const environment = openShard(task.dataDir, task.job.shard)
  try {
    return look(environment, task)
  } finally {
    await environment.close()
  }
}
