/** Named views, assignments, who looks at an event, notes on it. */
import { Type } from 'typebox'
import { limits } from '../../../engine/index.js'
import { AnyObject, Exact, Name, nullable, Timestamp } from '../common.js'

export const ViewBody = Exact({
  name: Type.String({ minLength: 1, maxLength: limits.nameCharsMax }),
  shared: Type.Optional(Type.Boolean({ description: 'Everybody sees it. Only its owner can change it.' })),
  query: Type.Object({}, { additionalProperties: true, description: 'What the view shows, in the words of the page.' }),
})

export const SavedView = Type.Object({
  view_id: Type.String(),
  name: Type.String(),
  shared: Type.Boolean(),
  own: Type.Boolean(),
  owner: Type.String(),
  query: AnyObject,
  changed_at: Timestamp,
})

export const SavedViews = Type.Object({ views: Type.Array(SavedView) })

export const AssignmentBody = Exact({
  assignee: nullable({ ...Name, description: 'Who has the event; null for nobody.' }),
  expected: Type.Optional(
    nullable({
      ...Name,
      description:
        'Who had it when you looked, null for nobody. Where somebody else has it by now, nothing changes: 409 ' +
        '`assigned_otherwise`. Without it, the event changes hands whoever has it.',
    }),
  ),
})

export const AssignedEvent = Type.Object({
  event_id: Type.String(),
  assignee: nullable(Type.String()),
  by: nullable(Type.String()),
  at: nullable(Timestamp),
})

export const AssignedEvents = Type.Object({ assignments: Type.Array(AssignedEvent) })

export const AssignmentsQuery = Exact({ assignee: Type.Optional(Name) })

export const Looker = Type.Object({ name: Type.String(), since: Timestamp })

export const Lookers = Type.Object({ lookers: Type.Array(Looker) })

export const NoteBody = Exact({ text: Type.String({ minLength: 1, maxLength: limits.textCharsMax }) })

export const EventNote = Type.Object({
  at: Timestamp,
  author: Type.String(),
  note: Type.Unknown({ description: 'The text, or what an agent sent.' }),
})

export const EventNotes = Type.Object({ notes: Type.Array(EventNote) })
