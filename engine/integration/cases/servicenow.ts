/** ServiceNow, with its Table API. */
import { caseKind } from './case-kind.js'
import { millisIn } from '../dates.js'
import { textAt } from '../http/http-kind.js'
import { basic, textIn, type CaseSystem } from './case-system.js'
import { serviceNowText } from './plain-text.js'
import type { OpenedParameters } from '../contract.js'

/** States of incidents that are still active, or not: resolved, closed, cancelled. */
const RESOLVED: ReadonlySet<string> = new Set(['6', '7', '8'])

function table(parameters: OpenedParameters): string {
  return `/api/now/table/${encodeURIComponent(String(parameters.table ?? 'incident'))}`
}

export const serviceNowSystem: CaseSystem = {
  id: 'servicenow',
  name: 'ServiceNow',
  description: 'Creates an incident in ServiceNow for decisions, and adds a work note when the decision changes.',
  connection: [
    { name: 'user', type: 'string', required: true, description: 'A user who may write to the table.' },
    { name: 'password', type: 'string', required: true, secret: true, description: "The user's password." },
  ],
  parameters: [
    {
      name: 'table',
      type: 'string',
      required: false,
      default: 'incident',
      description: 'The table, such as incident or sn_si_incident.',
      check: (text) => (/^[a-z0-9_]+$/.test(text) ? null : 'must be the name of a table'),
    },
    {
      name: 'urgency',
      type: 'string',
      required: false,
      allowed: ['1', '2', '3'],
      default: '2',
      description: 'The urgency; 1 is high.',
    },
    {
      name: 'reopen_state',
      type: 'string',
      required: false,
      default: '2',
      description: 'The value of state that a reopened record gets: 2 is in progress in the table incident.',
    },
  ],
  titleCharsMax: 160,
  descriptionCharsMax: 4_000,
  credentials: ({ user, password }) => basic(user, password),
  plain: serviceNowText,
  create: ({ mark, title, description }, parameters) => ({
    method: 'POST',
    path: table(parameters),
    body: {
      short_description: title,
      description,
      urgency: String(parameters.urgency ?? '2'),
      correlation_id: mark,
      correlation_display: 'decision-service',
    },
  }),
  created: (answer) => textIn(answer, 'result', 'sys_id'),
  isSetUp: (answer) => /^invalid table/i.test(textIn(answer, 'error', 'message') ?? ''),
  note: (id, text, parameters) => ({
    method: 'PATCH',
    path: `${table(parameters)}/${encodeURIComponent(id)}`,
    body: { work_notes: text },
  }),
  find: {
    // A record has one mark, which begins with that of its subject.
    requests: (mark, parameters) => [
      {
        method: 'GET',
        path: `${table(parameters)}?${new URLSearchParams({
          sysparm_query: `correlation_idSTARTSWITH${mark}^ORDERBYDESCsys_created_on`,
          sysparm_fields: 'sys_id',
          sysparm_limit: '1',
        }).toString()}`,
      },
    ],
    found: (answer) => textIn(answer, 'result', 0, 'sys_id'),
  },
  state: {
    request: (id, parameters) => ({
      method: 'GET',
      path: `${table(parameters)}/${encodeURIComponent(id)}?sysparm_fields=active,state,closed_at,resolved_at`,
    }),
    read: (answer, parameters) => {
      const [active, state] = [textIn(answer, 'result', 'active'), textIn(answer, 'result', 'state')]
      if (active === null) return null
      const isResolved = (parameters.table ?? 'incident') === 'incident' && RESOLVED.has(state ?? '')
      const closed = textIn(answer, 'result', 'closed_at') ?? textIn(answer, 'result', 'resolved_at')
      return { isOpen: active === 'true' && !isResolved, closedMs: closed === null ? null : millisIn(closed) }
    },
  },
  reopen: {
    request: (id, _prepared, parameters) => ({
      method: 'PATCH',
      path: `${table(parameters)}/${encodeURIComponent(id)}`,
      body: { state: textAt(parameters, 'reopen_state') ?? '2' },
    }),
  },
}

export const serviceNow = caseKind(serviceNowSystem)
