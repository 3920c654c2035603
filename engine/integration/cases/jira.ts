/** Jira, with version 2 of its REST API, which Cloud and Data Center share. */
import { caseKind } from './case-kind.js'
import { millisIn } from '../dates.js'
import { textAt } from '../http/http-kind.js'
import { basic, listIn, textIn, valueIn, type CaseSystem } from './case-system.js'
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
    {
      name: 'reopen_transition',
      type: 'string',
      required: false,
      description:
        'The transition that reopens an issue, by name. Default: the first one to a status that is not done.',
    },
  ],
  titleCharsMax: 255,
  descriptionCharsMax: 32_000,
  credentials: ({ user, token }) => {
    return user === undefined || user === '' ? { authorization: `Bearer ${String(token)}` } : basic(user, token)
  },
  plain: jiraText,
  create: ({ mark, subjectMark, title, description }, parameters) => ({
    method: 'POST',
    path: '/rest/api/2/issue',
    body: {
      fields: {
        project: { key: String(parameters.project) },
        issuetype: { name: String(parameters.issue_type ?? 'Task') },
        summary: title,
        description,
        labels: [...new Set([mark, subjectMark])],
      },
    },
  }),
  created: (answer) => textIn(answer, 'key'),
  isSetUp: (answer) => ['project', 'issuetype'].some((field) => valueIn(answer, 'errors', field) !== undefined),
  note: (id, text) => ({
    method: 'POST',
    path: `/rest/api/2/issue/${encodeURIComponent(id)}/comment`,
    body: { body: text },
  }),
  find: {
    // Data Center has the first search, and Cloud, which has removed it, the second.
    requests: (mark) =>
      ['search', 'search/jql'].map((search) => ({
        method: 'GET',
        path: `/rest/api/2/${search}?${new URLSearchParams({
          jql: `labels = "${mark}" ORDER BY created DESC`,
          fields: 'key',
          maxResults: '1',
        }).toString()}`,
      })),
    found: (answer) => textIn(answer, 'issues', 0, 'key'),
  },
  state: {
    request: (id) => ({
      method: 'GET',
      path: `/rest/api/2/issue/${encodeURIComponent(id)}?fields=status,resolutiondate,statuscategorychangedate`,
    }),
    read: (answer) => {
      const category = textIn(answer, 'fields', 'status', 'statusCategory', 'key')
      if (category === null) return null
      const closed =
        textIn(answer, 'fields', 'resolutiondate') ?? textIn(answer, 'fields', 'statuscategorychangedate') ?? ''
      return { isOpen: category !== 'done', closedMs: millisIn(closed) }
    },
  },
  reopen: {
    prepare: (id) => ({ method: 'GET', path: `/rest/api/2/issue/${encodeURIComponent(id)}/transitions` }),
    request: (id, prepared, parameters) => {
      const transition = transitionIn(prepared, textAt(parameters, 'reopen_transition'))
      if (transition === null) return null
      return {
        method: 'POST',
        path: `/rest/api/2/issue/${encodeURIComponent(id)}/transitions`,
        body: { transition: { id: transition } },
      }
    },
  },
}

/** The id of the transition that reopens an issue: the one with this name, else one to a status that is not done. */
function transitionIn(answer: unknown, name: string | undefined): string | null {
  const all = listIn(answer, 'transitions')
  const categoryOf = (transition: unknown): string | null => textIn(transition, 'to', 'statusCategory', 'key')
  const found =
    name === undefined
      ? (all.find((transition) => categoryOf(transition) === 'new') ??
        all.find((transition) => !['done', null].includes(categoryOf(transition))))
      : all.find((transition) => textIn(transition, 'name')?.toLowerCase() === name.toLowerCase())
  return textIn(found, 'id')
}

export const jira = caseKind(jiraSystem)
