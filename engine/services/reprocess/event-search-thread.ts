/** The entry of the thread that searches for events to reprocess or erase. */
import { openShard } from '../../store/directory/environments.js'
import { assigneesNow } from '../query/assignees.js'
import { searchEvents, type EventSearchResult, type EventSearchTask } from './event-search.js'

/** Searches once. @throws Error for anything that went wrong. */
export default async function searchOnce(task: EventSearchTask): Promise<EventSearchResult> {
  const { assignees, done } = assigneesNow(task.dataDir)
  const environment = openShard(task.dataDir, task.job.shard)
  try {
    return searchEvents(environment, task, assignees)
  } finally {
    done()
    await environment.close()
  }
}
