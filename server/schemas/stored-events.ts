/** What may be done with events that are stored: a vote by name, deciding again, notes. */
import { Type } from 'typebox'
import { limits } from '../../engine/index.js'
import { Name, nullable, Outcome, Timestamp } from './common.js'

/** A vote in the query alone. */
export const FeedbackLabel = Type.Object({
  feedback_label: Type.String({ description: "A label's name in any case, its id, label_n or class_n." }),
  storage_name: Type.Optional(
    Type.String({ description: 'Taken and not used: an event id is of one event of its job.' }),
  ),
})

export const ReprocessOutcome = Type.Object({ request: Outcome })

const DateBound = Type.Union([Type.String(), Type.Number()], {
  description:
    'ISO 8601 (a day stands for all of it), seconds to nanoseconds since 1970, or arithmetic such as now-1d/d.',
})

const FilterCondition = Type.Object({
  field: Type.String(),
  operator: Type.String({
    description:
      'is, is not, is one of, is not one of, starts with, not starts with, contains, not contains, exists, not exists, lt, lte, gt, gte.',
  }),
  value: Type.Optional(Type.Unknown()),
})

/** Which events are to be decided again. */
export const ReprocessSelection = Type.Object({
  date_field: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.decisionPointCharsMax,
      description:
        'The field that the dates are compared with: @timestamp (the default), timestamp_inference, or any field of the event.',
    }),
  ),
  start_date: Type.Optional(DateBound),
  end_date: Type.Optional(DateBound),
  filters: Type.Optional(Type.Array(FilterCondition, { description: 'All of them hold.' })),
})

export const ReprocessWait = Type.Object({
  timeout_s: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: limits.reprocessWaitSecondsMax,
      description: `Seconds to wait for the end, ${limits.reprocessWaitSeconds} where not said otherwise.`,
    }),
  ),
})

const TaskStatus = Type.Enum(['queued', 'running', 'waiting', 'finished', 'cancelled', 'failed'])

/** The answer to a request for many events. */
export const ReprocessStarted = Type.Object({
  request: Outcome,
  events_updated: Type.Integer({
    description: 'Events decided again, where the task is finished; else events that are being decided again.',
  }),
  task_id: Type.String(),
  task_status: TaskStatus,
})

const ReprocessTaskObject = Type.Object({
  task_id: Type.String(),
  job_id: Type.Integer(),
  status: TaskStatus,
  message: Type.String({ description: 'For people: why it waits or failed, or empty.' }),
  date_field: Type.String(),
  start_date: nullable(DateBound),
  end_date: nullable(DateBound),
  filters: Type.Array(FilterCondition),
  requested_by: Type.String(),
  events_matched: Type.Union([Type.Integer(), Type.Null()], { description: 'Null until they are counted.' }),
  events_updated: Type.Integer({ description: 'Decided again so far, each counted once.' }),
  decisions_changed: Type.Integer({ description: 'Those with another decision than before.' }),
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
    description: `Text, at most ${limits.noteCharsMax} characters; an object or a list is kept as it is.`,
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
