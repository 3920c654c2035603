/** Stored events: reprocessing of one event, notes (C2.5, C2.6). */
import { operation, type Route } from '../http/route.js'
import { worked } from '../schemas/common.js'
import { AgenticNotes, NotesOutcome, ReprocessOutcome } from '../schemas/stored-events.js'
import { jobFromPath } from './job-reference.js'

const tag = 'Events'

const reprocess = operation({
  method: 'POST',
  path: '/api/v2/events/{job_id}/{event_id}/reprocess',
  operationId: 'reprocessEvent',
  tag,
  summary: 'Reprocess an event',
  description:
    'Decides the event again with the current model, knowledge base and decision points. The previous decision is ' +
    'kept as `previous_result`. Not possible while the job is stopped.',
  scope: 'execute:reprocess_events',
  responses: {
    200: { description: 'The new decision is stored durably.', schema: ReprocessOutcome, example: { request: worked } },
  },
  errors: [404, 409, 507],
  async handle({ app, principal, params }) {
    await app.service.reprocess.event(jobFromPath(app, principal, params[0]!), params[1]!, principal)
    return { request: worked }
  },
})

function textOrNull(value: string | number | undefined): string | null {
  return value === undefined || value === '' ? null : String(value)
}

const notes = operation({
  method: 'POST',
  path: '/api/v2/events/{job_id}/{event_id}/add_agentic_notes',
  operationId: 'addAgenticNotes',
  tag,
  summary: 'Add the notes of an agent to an event',
  description:
    'The notes belong to this version of the event. Its export shows them under `agentic_notes` and among ' +
    '`log_messages`.',
  scope: 'write:event_agentic_notes',
  body: AgenticNotes,
  bodyExample: {
    agent_notes: 'The address belongs to the backup server.',
    agent_saved_objects: [],
    workflow_name: 'Triage',
  },
  responses: {
    200: { description: 'The notes are stored.', schema: NotesOutcome, example: { ...worked, reason_details: [] } },
  },
  errors: [404, 409, 507],
  async handle({ app, principal, params, body }) {
    await app.service.notes.add(jobFromPath(app, principal, params[0]!), params[1]!, {
      notes: body.agent_notes,
      savedObjects: body.agent_saved_objects ?? null,
      workflowName: textOrNull(body.workflow_name),
      workflowId: textOrNull(body.workflow_id),
      sessionId: textOrNull(body.session_id),
      author: principal.name,
    })
    return { ...worked, reason_details: [] }
  },
})

export const storedEventRoutes: readonly Route[] = [reprocess, notes]
