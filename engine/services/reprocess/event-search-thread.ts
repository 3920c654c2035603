/** The entry of a thread that looks for the events of reprocessing tasks. */
import { openShard } from '../../store/directory/environments.js'
import { look, type EventSearchResult, type EventSearchTask } from './event-search.js'

/** Looks once. @throws Error for anything that went wrong. */
export default async function lookOnce(task: EventSearchTask): Promise<EventSearchResult> {
  const environment = openShard(task.dataDir, task.job.shard)
  try {
    return look(environment, task)
  } finally {
    await environment.close()
  }
}
