/** How people share the work: named views, assignments, who looks at an event, notes on it. */
import {
  isoMicros,
  limits,
  Refusal,
  type Assignment,
  type NamedView,
  type Scope,
  type ViewInput,
} from '../../../engine/index.js'
import { operation, type Route } from '../../http/route.js'
import { StatusOnly } from '../../schemas/common.js'
import {
  AssignedEvent,
  AssignedEvents,
  AssignmentBody,
  AssignmentsQuery,
  EventNotes,
  Lookers,
  NoteBody,
  SavedView,
  SavedViews,
  ViewBody,
} from '../../schemas/live/handling.js'
import { jobFromPath } from '../job-reference.js'

const tag = 'Handling'
const read: Scope = 'read:event_query'
const write: Scope = 'write:event_feedback'
const views = '/api/v2/views'
const event = '/api/v2/events/{job_id}/{event_id}'

function viewWire(view: NamedView) {
  return {
    view_id: view.viewId,
    name: view.name,
    shared: view.shared,
    own: view.isOwn,
    owner: view.owner,
    query: { ...view.query },
    changed_at: isoMicros(view.changedMicros),
  }
}

function inputOf(body: { name: string; shared?: boolean; query: object }): ViewInput {
  if (JSON.stringify(body.query).length > limits.viewCharsMax) {
    const issue = {
      loc: ['body', 'query'],
      msg: `It has more than ${limits.viewCharsMax} characters`,
      type: 'too_long',
    }
    throw new Refusal('invalid_body', 'query: it is too long', { issues: [issue] })
  }
  return { name: body.name, shared: body.shared === true, query: body.query as Record<string, unknown> }
}

function assignmentWire(eventId: string, given: Assignment | null) {
  return {
    event_id: eventId,
    assignee: given?.assignee ?? null,
    by: given?.by ?? null,
    at: given === null ? null : isoMicros(given.atMicros),
  }
}

const viewExample = { name: 'Undecided, last 7 days', shared: true, query: { job_id: 1, filters: [] } }

const listViews = operation({
  method: 'GET',
  path: views,
  operationId: 'listViews',
  tag,
  summary: 'List your views and those that are shared',
  scope: read,
  responses: { 200: { description: 'The views, by name.', schema: SavedViews } },
  handle({ app, principal }) {
    return { views: app.service.live.handling.views(principal).map(viewWire) }
  },
})

const makeView = operation({
  method: 'POST',
  path: views,
  operationId: 'makeView',
  tag,
  summary: 'Save a view',
  scope: read,
  body: ViewBody,
  bodyExample: viewExample,
  status: 201,
  responses: { 201: { description: 'The view.', schema: SavedView } },
  errors: [409, 507],
  handle({ app, principal, body }) {
    return viewWire(app.service.live.handling.saveView(principal, null, inputOf(body)))
  },
})

const changeView = operation({
  method: 'PUT',
  path: `${views}/{view_id}`,
  operationId: 'changeView',
  tag,
  summary: 'Replace a view of yours',
  scope: read,
  body: ViewBody,
  bodyExample: viewExample,
  responses: { 200: { description: 'The view.', schema: SavedView } },
  errors: [404, 507],
  handle({ app, principal, params, body }) {
    return viewWire(app.service.live.handling.saveView(principal, params[0]!, inputOf(body)))
  },
})

const deleteView = operation({
  method: 'DELETE',
  path: `${views}/{view_id}`,
  operationId: 'deleteView',
  tag,
  summary: 'Delete a view of yours',
  scope: read,
  responses: { 200: { description: 'It is deleted.', schema: StatusOnly } },
  errors: [404, 507],
  handle({ app, principal, params }) {
    app.service.live.handling.deleteView(principal, params[0]!)
    return { status: 'OK' }
  },
})

const assign = operation({
  method: 'PUT',
  path: `${event}/assignment`,
  operationId: 'assignEvent',
  tag,
  summary: 'Assign an event to somebody, or to nobody',
  scope: write,
  body: AssignmentBody,
  bodyExample: { assignee: 'ann' },
  responses: { 200: { description: 'Who has it now.', schema: AssignedEvent } },
  errors: [404, 409, 507],
  handle({ app, principal, params, body }) {
    const job = jobFromPath(app, principal, params[0]!)
    const nameOf = (text: string | null): string | null => text?.trim() || null
    const expected = body.expected === undefined ? undefined : nameOf(body.expected)
    const given = app.service.live.handling.assign(
      job,
      params[1]!,
      { assignee: nameOf(body.assignee), expected },
      principal,
    )
    return assignmentWire(params[1]!, given)
  },
})

const assigned = operation({
  method: 'GET',
  path: `${event}/assignment`,
  operationId: 'getAssignment',
  tag,
  summary: 'See who has an event',
  scope: write,
  responses: { 200: { description: 'Who has it.', schema: AssignedEvent } },
  errors: [404],
  handle({ app, principal, params }) {
    const job = jobFromPath(app, principal, params[0]!)
    return assignmentWire(params[1]!, app.service.live.handling.assignment(job, params[1]!))
  },
})

const assignments = operation({
  method: 'GET',
  path: '/api/v2/jobs/{job_id}/assignments',
  operationId: 'listAssignments',
  tag,
  summary: 'List the assigned events of a job, latest first',
  scope: read,
  query: AssignmentsQuery,
  responses: { 200: { description: 'The events.', schema: AssignedEvents } },
  errors: [404],
  handle({ app, principal, params, query }) {
    const job = jobFromPath(app, principal, params[0]!)
    const all = app.service.live.handling.assignments(job, query.assignee ?? null)
    return { assignments: all.map((each) => assignmentWire(each.eventId, each)) }
  },
})

const look = operation({
  method: 'PUT',
  path: `${event}/presence`,
  operationId: 'lookAtEvent',
  tag,
  summary: 'Say that you look at an event, and see who else does',
  description: 'It counts for half a minute. Nothing is stored.',
  scope: write,
  responses: { 200: { description: 'Who looks at it.', schema: Lookers } },
  errors: [404],
  handle({ app, principal, params }) {
    const job = jobFromPath(app, principal, params[0]!)
    const lookers = app.service.live.handling.look(job, params[1]!, principal)
    return { lookers: lookers.map(({ name, sinceMicros }) => ({ name, since: isoMicros(sinceMicros) })) }
  },
})

const notes = operation({
  method: 'GET',
  path: `${event}/notes`,
  operationId: 'listNotes',
  tag,
  summary: 'List the notes on an event, oldest first',
  description: 'Those of people, and those of agents.',
  scope: 'read:event_export',
  responses: { 200: { description: 'The notes.', schema: EventNotes } },
  errors: [404],
  handle({ app, principal, params }) {
    const job = jobFromPath(app, principal, params[0]!)
    const all = app.service.live.handling.notes(job, params[1]!)
    return { notes: all.map(({ atMicros, author, note }) => ({ at: isoMicros(atMicros), author, note })) }
  },
})

const note = operation({
  method: 'POST',
  path: `${event}/notes`,
  operationId: 'addNote',
  tag,
  summary: 'Write a note on an event',
  scope: write,
  body: NoteBody,
  bodyExample: { text: 'The user confirmed it by phone.' },
  status: 201,
  responses: { 201: { description: 'The note is kept.', schema: StatusOnly } },
  errors: [404, 409, 507],
  async handle({ app, principal, params, body }) {
    const job = jobFromPath(app, principal, params[0]!)
    await app.service.live.handling.addNote(job, params[1]!, body.text, principal)
    return { status: 'OK' }
  },
})

export const handlingRoutes: readonly Route[] = [
  listViews,
  makeView,
  changeView,
  deleteView,
  assign,
  assigned,
  assignments,
  look,
  notes,
  note,
]
