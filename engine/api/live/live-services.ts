/** What pages need to show events as they come: lists, streams, votes by filter, samples. */
import type { HandlingService } from './handling-service.js'
import type { ListsService } from './list-service.js'
import type { SampleService } from './sample-service.js'
import type { SessionKeeper } from './session-service.js'
import type { StreamsService } from './stream-service.js'
import type { VoteTaskService } from './vote-task-service.js'

export interface LiveServices {
  readonly lists: ListsService
  readonly streams: StreamsService
  readonly voteTasks: VoteTaskService
  readonly samples: SampleService
  readonly handling: HandlingService
  readonly sessions: SessionKeeper
}
