/** ServiceNow, with its Table API. */
import { caseKind } from './case-kind.js'
import { basic, textIn, type CaseSystem } from './case-system.js'
import { serviceNowText } from './plain-text.js'
import type { OpenedParameters } from '../contract.js'

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
  ],
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
  note: (id, text, parameters) => ({
    method: 'PATCH',
    path: `${table(parameters)}/${encodeURIComponent(id)}`,
    body: { work_notes: text },
  }),
  find: {
    request: (mark, parameters) => ({
      method: 'GET',
      path: `${table(parameters)}?${new URLSearchParams({ sysparm_query: `correlation_id=${mark}`, sysparm_fields: 'sys_id', sysparm_limit: '1' }).toString()}`,
    }),
    found: (answer) => textIn(answer, 'result', 0, 'sys_id'),
  },
}

export const serviceNow = caseKind(serviceNowSystem)
