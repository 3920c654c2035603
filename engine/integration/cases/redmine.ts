/** Redmine, with its REST API. The mark of a case is at the end of its subject, because Redmine can search subjects. */
import { caseKind } from './case-kind.js'
import { textIn, type CaseSystem } from './case-system.js'
import { redmineText } from './plain-text.js'

const SUBJECT_CHARS_MAX = 255

export const redmineSystem: CaseSystem = {
  id: 'redmine',
  name: 'Redmine',
  description: 'Creates an issue in Redmine for decisions, and adds a note when the decision changes.',
  connection: [
    { name: 'api_key', type: 'string', required: true, secret: true, description: 'The API access key of a user.' },
  ],
  parameters: [
    { name: 'project', type: 'string', required: true, description: 'The identifier of the project.' },
    {
      name: 'tracker_id',
      type: 'number',
      required: false,
      minimum: 1,
      description: 'The id of the tracker. Default: the first one of the project.',
    },
    {
      name: 'priority_id',
      type: 'number',
      required: false,
      minimum: 1,
      description: 'The id of the priority. Default: the default priority of Redmine.',
    },
  ],
  credentials: (connection) => ({ 'x-redmine-api-key': String(connection.api_key) }),
  plain: redmineText,
  create: ({ mark, title, description }, { project, tracker_id: tracker, priority_id: priority }) => ({
    method: 'POST',
    path: '/issues.json',
    body: {
      issue: {
        project_id: project,
        subject: `${title.slice(0, SUBJECT_CHARS_MAX - mark.length - 3)} [${mark}]`,
        description,
        ...(tracker === undefined ? {} : { tracker_id: tracker }),
        ...(priority === undefined ? {} : { priority_id: priority }),
      },
    },
  }),
  created: (answer) => textIn(answer, 'issue', 'id'),
  note: (id, text) => ({
    method: 'PUT',
    path: `/issues/${encodeURIComponent(id)}.json`,
    body: { issue: { notes: text } },
  }),
  find: {
    request: (mark, { project }) => ({
      method: 'GET',
      path: `/issues.json?${new URLSearchParams({ project_id: String(project), subject: `~${mark}`, status_id: '*', limit: '1' }).toString()}`,
    }),
    found: (answer, mark) =>
      (textIn(answer, 'issues', 0, 'subject') ?? '').includes(mark) ? textIn(answer, 'issues', 0, 'id') : null,
  },
}

export const redmine = caseKind(redmineSystem)
