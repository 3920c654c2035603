/** Redmine, with its REST API. The mark of a case is at the end of its subject, because Redmine can search subjects. */
import { caseKind } from './case-kind.js'
import { cutText } from '../../domain/event/input/cut-text.js'
import { millisIn } from '../dates.js'
import { listIn, textIn, valueIn, type CaseSystem } from './case-system.js'
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
    {
      name: 'reopen_status_id',
      type: 'number',
      required: false,
      minimum: 1,
      description:
        'The id of the status that a reopened issue gets. Default: the first open one that the workflow allows.',
    },
  ],
  titleCharsMax: SUBJECT_CHARS_MAX,
  descriptionCharsMax: 60_000,
  credentials: (connection) => ({ 'x-redmine-api-key': String(connection.api_key) }),
  plain: redmineText,
  create: ({ mark, title, description }, { project, tracker_id: tracker, priority_id: priority }) => ({
    method: 'POST',
    path: '/issues.json',
    body: {
      issue: {
        project_id: project,
        subject: `${cutText(title, SUBJECT_CHARS_MAX - mark.length - 3)} [${mark}]`,
        description,
        ...(tracker === undefined ? {} : { tracker_id: tracker }),
        ...(priority === undefined ? {} : { priority_id: priority }),
      },
    },
  }),
  created: (answer) => textIn(answer, 'issue', 'id'),
  isSetUp: (answer) => listIn(answer, 'errors').some((error) => /^(project|tracker|priority)\b/i.test(String(error))),
  note: (id, text) => ({
    method: 'PUT',
    path: `/issues/${encodeURIComponent(id)}.json`,
    body: { issue: { notes: text } },
  }),
  find: {
    requests: (mark, { project }) => [
      {
        method: 'GET',
        path: `/issues.json?${new URLSearchParams({
          project_id: String(project),
          subject: `~${mark}`,
          status_id: '*',
          sort: 'created_on:desc',
          limit: '1',
        }).toString()}`,
      },
    ],
    found: (answer, mark) =>
      (textIn(answer, 'issues', 0, 'subject') ?? '').includes(mark) ? textIn(answer, 'issues', 0, 'id') : null,
  },
  state: {
    request: (id) => ({ method: 'GET', path: `/issues/${encodeURIComponent(id)}.json` }),
    read: (answer) => {
      const isClosed = valueIn(answer, 'issue', 'status', 'is_closed')
      const closed = textIn(answer, 'issue', 'closed_on')
      // Older versions do not say whether a status is closed. An issue that never was is open.
      if (typeof isClosed !== 'boolean') return closed === null ? { isOpen: true, closedMs: null } : null
      return { isOpen: !isClosed, closedMs: closed === null ? null : millisIn(closed) }
    },
    further: {
      request: (id) => ({
        method: 'GET',
        path: `/issues.json?${new URLSearchParams({ issue_id: id, status_id: 'closed', limit: '1' }).toString()}`,
      }),
      read: (answer) => {
        const closed = textIn(answer, 'issues', 0, 'closed_on')
        return { isOpen: listIn(answer, 'issues').length === 0, closedMs: closed === null ? null : millisIn(closed) }
      },
    },
  },
  reopen: {
    prepare: (id) => ({ method: 'GET', path: `/issues/${encodeURIComponent(id)}.json?include=allowed_statuses` }),
    request: (id, prepared, { reopen_status_id: given }) => {
      const open = listIn(prepared, 'issue', 'allowed_statuses').find(
        (status) => valueIn(status, 'is_closed') === false,
      )
      const status = given ?? valueIn(open, 'id')
      if (status === undefined) return null
      return {
        method: 'PUT',
        path: `/issues/${encodeURIComponent(id)}.json`,
        body: { issue: { status_id: status } },
      }
    },
  },
}

export const redmine = caseKind(redmineSystem)
