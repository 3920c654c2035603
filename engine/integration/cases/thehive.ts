/** TheHive 5, with its public API v1. */
import { caseKind } from './case-kind.js'
import { textIn, valueIn, type CaseSystem } from './case-system.js'
import { textAt } from '../http/http-kind.js'
import { markdownText } from './plain-text.js'

/** The statuses of closed cases that TheHive brings along; newer versions have a stage, too. */
const CLOSED: ReadonlySet<string> = new Set([
  'Resolved',
  'Closed',
  'TruePositive',
  'FalsePositive',
  'Indeterminate',
  'Duplicated',
  'Other',
])
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
    {
      name: 'reopen_status',
      type: 'string',
      required: false,
      default: 'InProgress',
      description: 'The status that a reopened case gets.',
    },
  ],
  titleCharsMax: 250,
  descriptionCharsMax: 64_000,
  credentials: (connection) => ({ authorization: `Bearer ${String(connection.api_key)}` }),
  plain: markdownText,
  create: ({ mark, subjectMark, title, description, event }, parameters) => ({
    method: 'POST',
    path: '/api/v1/case',
    body: {
      title,
      description,
      severity: SEVERITIES[String(parameters.severity)] ?? 2,
      tags: [...new Set([mark, subjectMark]), `decision:${event.result}`],
    },
  }),
  created: (answer) => textIn(answer, '_id'),
  note: (id, text) => ({
    method: 'POST',
    path: `/api/v1/case/${encodeURIComponent(id)}/comment`,
    body: { message: text },
  }),
  find: {
    requests: (mark) => [
      {
        method: 'POST',
        path: '/api/v1/query?name=find-case',
        body: {
          query: [
            { _name: 'listCase' },
            { _name: 'filter', _eq: { _field: 'tags', _value: mark } },
            { _name: 'sort', _fields: [{ _createdAt: 'desc' }] },
            { _name: 'page', from: 0, to: 1 },
          ],
        },
      },
    ],
    found: (answer) => textIn(answer, 0, '_id'),
  },
  state: {
    request: (id) => ({ method: 'GET', path: `/api/v1/case/${encodeURIComponent(id)}` }),
    read: (answer) => {
      const [stage, status] = [textIn(answer, 'stage'), textIn(answer, 'status')]
      if (stage === null && status === null) return null
      const ended = valueIn(answer, 'endDate')
      return {
        isOpen: stage === null ? !CLOSED.has(status as string) : stage !== 'Closed',
        closedMs: typeof ended === 'number' ? ended : null,
      }
    },
  },
  reopen: {
    request: (id, _prepared, parameters) => ({
      method: 'PATCH',
      path: `/api/v1/case/${encodeURIComponent(id)}`,
      body: { status: textAt(parameters, 'reopen_status') ?? 'InProgress' },
    }),
  },
}

export const theHive = caseKind(theHiveSystem)
