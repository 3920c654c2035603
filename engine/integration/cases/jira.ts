/** Jira, with version 2 of its REST API, which Cloud and Data Center share. */
import { caseKind } from './case-kind.js'
import { basic, textIn, type CaseSystem } from './case-system.js'
import { jiraText } from './plain-text.js'

export const jiraSystem: CaseSystem = {
  id: 'jira',
  name: 'Jira',
  description: 'Creates an issue in Jira for decisions, and comments on it when the decision changes.',
  connection: [
    {
      name: 'user',
      type: 'string',
      required: false,
      description: 'The account of the API token (Cloud). Empty for a personal access token (Data Center).',
    },
    {
      name: 'token',
      type: 'string',
      required: true,
      secret: true,
      description: 'An API token, or a personal access token.',
    },
  ],
  parameters: [
    { name: 'project', type: 'string', required: true, description: 'The key of the project.' },
    {
      name: 'issue_type',
      type: 'string',
      required: false,
      default: 'Task',
      description: 'The type of the issues, by name.',
    },
  ],
  credentials: ({ user, token }) => {
    return user === undefined || user === '' ? { authorization: `Bearer ${String(token)}` } : basic(user, token)
  },
  plain: jiraText,
  create: ({ mark, title, description }, parameters) => ({
    method: 'POST',
    path: '/rest/api/2/issue',
    body: {
      fields: {
        project: { key: String(parameters.project) },
        issuetype: { name: String(parameters.issue_type ?? 'Task') },
        summary: title,
        description,
        labels: [mark],
      },
    },
  }),
  created: (answer) => textIn(answer, 'key'),
  note: (id, text) => ({
    method: 'POST',
    path: `/rest/api/2/issue/${encodeURIComponent(id)}/comment`,
    body: { body: text },
  }),
  find: {
    // For Data Center. Cloud has removed this search and answers 404 or 410; its cases are not searched.
    request: (mark) => ({
      method: 'GET',
      path: `/rest/api/2/search?${new URLSearchParams({ jql: `labels = "${mark}"`, fields: 'key', maxResults: '1' }).toString()}`,
    }),
    found: (answer) => textIn(answer, 'issues', 0, 'key'),
  },
}

export const jira = caseKind(jiraSystem)
