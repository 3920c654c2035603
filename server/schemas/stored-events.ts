/** Operations on stored events: a vote by label, reprocessing, notes. */
import { Type } from 'typebox'
import { limits } from '../../engine/index.js'
import { Exact, Name, nullable, Outcome, Timestamp } from './common.js'
import { QueryText } from './queries.js'

export const ReprocessOutcome = Type.Object({ request: Outcome })

const DateBound = Type.Union([Type.String(), Type.Number()], {
  description:
    'ISO 8601 (a date stands for the whole day), seconds to nanoseconds since 1970, or date math such as `now-1d/d`.',
})

const FilterCondition = Exact({
  field: Type.String(),
  operator: Type.String({
    description:
      '`is`, `is not`, `is one of`, `is not one of`, `starts with`, `not starts with`, `contains`, `not contains`, ' +
      '`exists`, `not exists`, `lt`, `lte`, `gt`, `gte`.',
  }),
  value: Type.Optional(Type.Unknown()),
})

/** Which events: used to reprocess and to erase. */
export const ReprocessSelection = Exact({
  date_field: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.decisionPointCharsMax,
      description:
        'The field that the dates apply to: `@timestamp` (default), `timestamp_inference`, or any field of the event.',
    }),
  ),
  start_date: Type.Optional(DateBound),
  end_date: Type.Optional(DateBound),
  filters: Type.Optional(Type.Array(FilterCondition, { description: 'An event must pass all filters.' })),
  query: Type.Optional(QueryText),
})

export const ReprocessWait = Type.Object({
  timeout_s: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: limits.reprocessWaitSecondsMax,
      description: `Seconds to wait for the end; default ${limits.reprocessWaitSeconds}.`,
    }),
  ),
})

const TaskStatus = Type.Enum(['queued', 'running', 'waiting', 'finished', 'cancelled', 'failed'])

/** The answer to a request for many events. */
export const ReprocessStarted = Type.Object({
  request: Outcome,
  events_updated: Type.Integer({
    description: 'If the task is finished: events decided again; else: events that the task selected.',
  }),
  task_id: Type.String(),
  task_status: TaskStatus,
})

const ReprocessTaskObject = Type.Object({
  task_id: Type.String(),
  job_id: Type.Integer(),
  status: TaskStatus,
  message: Type.String({ description: 'For people: why the task waits or failed, or empty.' }),
  date_field: Type.String(),
  start_date: nullable(DateBound),
  end_date: nullable(DateBound),
  filters: Type.Array(FilterCondition),
  query: nullable(Type.String({ description: 'The query of the request; null without one.' })),
  requested_by: Type.String(),
  events_matched: Type.Union([Type.Integer(), Type.Null()], { description: 'Null until the events are counted.' }),
  events_updated: Type.Integer({ description: 'Events decided again so far, each counted once.' }),
  decisions_changed: Type.Integer({ description: 'Events whose decision changed.' }),
  progress_percent: Type.Integer({ minimum: 0, maximum: 100 }),
  requested_at: Timestamp,
  finished_at: nullable(Timestamp),
})

export { ReprocessTaskObject as ReprocessTask }

export const ReprocessTasks = Type.Array(ReprocessTaskObject)

const Anything = Type.Unknown()
const IdOrName = Type.Union([Name, Type.Integer()])

/** A note by an agent. */
export const AgenticNotes = Type.Object({
  agent_notes: Type.Unknown({
    description: `At most ${limits.noteCharsMax} characters. Text; an object or a list is kept as sent.`,
  }),
  agent_saved_objects: Type.Optional({
    ...Anything,
    description: `Any JSON, at most ${limits.noteObjectsCharsMax} characters.`,
  }),
  workflow_name: Type.Optional(IdOrName),
  workflow_id: Type.Optional(IdOrName),
  session_id: Type.Optional(IdOrName),
})

export const NotesOutcome = Type.Object({
  status: Type.String(),
  reason: nullable(Type.String()),
  reason_details: Type.Array(Type.String()),
})
