/** Explanations on a reader thread. Each is made in one snapshot, because it runs without a pause. */
import { Refusal } from '../../errors.js'
import { withStores } from '../readers/reader-stores.js'
import { clockOf, refusedAsData, type TaskClock } from '../readers/task-frame.js'
import { computedDecision } from './computed-decision.js'
import type { Explained, ExplainResult, ExplainTask } from './explain-protocol.js'
import { explainEvent } from './explained-event.js'
import { JobAt } from './job-at.js'
import { similarEvents } from './similar-events.js'
import { decideBody } from './what-if.js'

/** A refusal comes back as data. */
export function runExplain(dataDir: string, task: ExplainTask): ExplainResult {
  return withStores(dataDir, (stores) =>
    refusedAsData(() => {
      const clock = clockOf(task)
      const { cancelled, nowMs, deadlineMs } = clock
      if (cancelled.isCancelled || nowMs() >= deadlineMs)
        throw new Refusal('query_timeout', 'the explanation was given up')
      const { environment, codec } = stores(task.job.shard)
      return { answer: answerOf(new JobAt(task.job, dataDir, environment, codec), task, clock) }
    }),
  )
}

function answerOf(at: JobAt, { query, serviceNames, nowMicros }: ExplainTask, clock: TaskClock): Explained['answer'] {
  switch (query.kind) {
    case 'event':
      return explainEvent(at, query.eventId)
    case 'computed':
      return computedDecision(at, query.eventId)
    case 'body':
      return decideBody(at, query.body, { serviceNames, nowMicros })
    case 'similar':
      return similarEvents(at, query, clock)
  }
}
