/** TheHive 5, with its public API v1. */
import { caseKind } from './case-kind.js'
import { textIn, type CaseSystem } from './case-system.js'
import { markdownText } from './plain-text.js'

const SEVERITIES: Readonly<Record<string, number>> = { low: 1, medium: 2, high: 3, critical: 4 }

export const theHiveSystem: CaseSystem = {
  id: 'thehive',
  name: 'TheHive',
  description: 'Opens a case in TheHive for decisions, and comments on it when the decision changes.',
  connection: [
    {
      name: 'api_key',
      type: 'string',
      required: true,
      secret: true,
      description: 'The API key of a user of the organisation.',
    },
  ],
  parameters: [
    {
      name: 'severity',
      type: 'string',
      required: false,
      allowed: Object.keys(SEVERITIES),
      default: 'medium',
      description: 'The severity of the cases.',
    },
  ],
  credentials: (connection) => ({ authorization: `Bearer ${String(connection.api_key)}` }),
  plain: markdownText,
  create: ({ mark, title, description, event }, parameters) => ({
    method: 'POST',
    path: '/api/v1/case',
    body: {
      title,
      description,
      severity: SEVERITIES[String(parameters.severity)] ?? 2,
      tags: [mark, `decision:${event.result}`],
    },
  }),
  created: (answer) => textIn(answer, '_id'),
  note: (id, text) => ({
    method: 'POST',
    path: `/api/v1/case/${encodeURIComponent(id)}/comment`,
    body: { message: text },
  }),
  find: {
    request: (mark) => ({
      method: 'POST',
      path: '/api/v1/query?name=find-case',
      body: {
        query: [
          { _name: 'listCase' },
          { _name: 'filter', _eq: { _field: 'tags', _value: mark } },
          { _name: 'page', from: 0, to: 1 },
        ],
      },
    }),
    found: (answer) => textIn(answer, 0, '_id'),
  },
}

export const theHive = caseKind(theHiveSystem)
