/** Votes by filter: the dry run, the task, taking it back. */
import { Type } from 'typebox'
import { limits } from '../../../engine/index.js'
import { Exact, Name, nullable, Timestamp } from '../common.js'
import { Notes } from '../events.js'
import { ListedEvent } from './lists.js'
import { DateOrNumber, EventFilter, QueryText } from '../queries.js'

export const VotesByFilter = Exact({
  feedback: Type.String({ description: 'A label: its name in any case, its id, `label_n` or `class_n`.' }),
  cortex_user: Type.Optional({ ...Name, description: 'The analyst; by default the owner of the key.' }),
  closing_notes: Type.Optional(Notes),
  filters: Type.Optional(
    Type.Array(EventFilter, { maxItems: limits.queryFiltersMax, description: 'An event must pass all filters.' }),
  ),
  query: Type.Optional(QueryText),
  start_date: Type.Optional(DateOrNumber),
  end_date: Type.Optional(DateOrNumber),
  date_field: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.decisionPointCharsMax,
      description: 'The field that the dates apply to; default `@timestamp`, the time of the event.',
    }),
  ),
  dry_run: Type.Optional(Type.Boolean({ description: 'Count and show a few of the events, and change nothing.' })),
  until: Type.Optional({
    ...Timestamp,
    description: '`until` of a dry run: events that came later are not voted on.',
  }),
})

export const VoteTaskState = Type.Enum(['running', 'finished', 'cancelled', 'failed', 'undoing', 'undone'])

export const VoteTask = Type.Object({
  task_id: Type.String(),
  job_id: Type.Integer(),
  state: VoteTaskState,
  message: Type.String(),
  analyst: Type.String(),
  label: Type.String(),
  requested_by: Type.String(),
  filters: Type.Array(EventFilter),
  query: nullable(Type.String({ description: 'The query of the request; null without one.' })),
  expected: nullable(Type.Integer({ description: 'Events that matched at the request; null if there were too many.' })),
  voted: Type.Integer({ description: 'Votes that were given.' }),
  unchanged: Type.Integer({ description: 'Events on which the analyst had voted so already.' }),
  superseded: Type.Integer({
    description: 'Events on which the analyst has voted since the request: that vote stands.',
  }),
  gone: Type.Integer({ description: 'Events that were deleted or replaced meanwhile.' }),
  failed: Type.Integer(),
  taken_back: Type.Integer(),
  kept: Type.Integer({ description: 'Votes that were not taken back, because they had been changed since.' }),
  requested_at: Timestamp,
  finished_at: nullable(Timestamp),
})

export const VotesPreview = Type.Object({
  label: Type.String(),
  count: Type.Integer({ description: 'Events that match.' }),
  count_is_exact: Type.Boolean({ description: 'False: there are at least so many.' }),
  until: Timestamp,
  sample: Type.Array(ListedEvent),
  task: nullable(VoteTask),
  undo_token: nullable(Type.String({ description: 'Takes the votes of the task back. It is shown only here.' })),
})

export const VoteTasks = Type.Object({ tasks: Type.Array(VoteTask) })

export const VotesUndo = Exact({ undo_token: Type.Optional(Type.String({ maxLength: limits.secretCharsMax })) })
