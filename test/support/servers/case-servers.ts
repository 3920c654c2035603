/**
 * Case systems with only the requests that the service makes, after their public documentation. They do not show how
 * the real systems answer requests that break it.
 */
import type { ServerResponse } from 'node:http'
import type { OpenedParameters } from '../../../engine/integration/contract.js'
import { HttpReceiver, type Received } from './receiver.js'

export interface StoredCase {
  readonly id: string
  readonly title: string
  readonly text: string
  /** Where its markers are searched for: its own, and that of its subject. */
  readonly marks: readonly string[]
  readonly notes: string[]
  /** When people closed it, milliseconds since 1970; null while it is open. */
  closedMs: number | null
}

/** How one system speaks. */
interface Dialect {
  readonly connection: OpenedParameters
  readonly parameters: OpenedParameters
  /** The credentials of valid requests. */
  readonly header: readonly [string, string]
  /** The case that a request makes, or null for other requests. */
  made(received: Received, body: any): Pick<StoredCase, 'title' | 'text' | 'marks'> | null
  madeAnswer(id: string): unknown
  /** The marker that a request searches for, or null. */
  sought(received: Received, body: any): string | null
  foundAnswer(found: StoredCase | null): unknown
  /** What the system takes for plain text; a text that is not marked so is a fault. */
  readonly plain: RegExp
  /** Case and text of a note, or null. */
  noted(received: Received, body: any): readonly [string, string] | null
  /** The case whose state a request asks for, or null. */
  read(received: Received): string | null
  readAnswer(of: StoredCase): unknown
  /** The case that a request reopens, or null; what it says of its transitions before, where it has any. */
  reopened(received: Received, body: any): string | null
  transitions?(received: Received): string | null
}

const iso = (ms: number): string => new Date(ms).toISOString()

const query = (path: string): URLSearchParams => new URL(path, 'http://x').searchParams
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`

export const dialects: Readonly<Record<string, Dialect>> = {
  thehive: {
    connection: { api_key: 'hive-key-1' },
    parameters: {},
    plain: /^(`{3,})\n(?<text>[\s\S]*)\n\1$/,
    header: ['authorization', 'Bearer hive-key-1'],
    made: ({ path, method }, body) =>
      method === 'POST' && path === '/api/v1/case'
        ? { title: body.title, text: body.description, marks: body.tags.slice(0, -1) }
        : null,
    madeAnswer: (id) => ({ _id: id, number: 1 }),
    sought: ({ path }, body) => (path.startsWith('/api/v1/query') ? body.query[1]._eq._value : null),
    foundAnswer: (found) => (found === null ? [] : [{ _id: found.id }]),
    noted: ({ path }, body) =>
      /^\/api\/v1\/case\/[^/]+\/comment$/.test(path) ? [path.split('/')[4]!, body.message] : null,
    read: ({ path, method }) => (method === 'GET' ? path.split('/')[4]! : null),
    readAnswer: ({ closedMs }) =>
      closedMs === null
        ? { stage: 'InProgress', status: 'InProgress' }
        : { stage: 'Closed', status: 'FalsePositive', endDate: closedMs },
    reopened: ({ path, method }, body) =>
      method === 'PATCH' && body.status === 'InProgress' ? path.split('/')[4]! : null,
  },
  jira: {
    connection: { user: 'bot', token: 'jira-token-1' },
    parameters: { project: 'SEC' },
    plain: /^\{noformat\}\n(?<text>[\s\S]*)\n\{noformat\}$/,
    header: ['authorization', basic('bot:jira-token-1')],
    made: ({ path }, { fields } = {} as any) =>
      path === '/rest/api/2/issue' ? { title: fields.summary, text: fields.description, marks: fields.labels } : null,
    madeAnswer: (id) => ({ id: '1', key: id }),
    sought: ({ path }) =>
      path.startsWith('/rest/api/2/search') ? /labels = "(.*?)"/.exec(query(path).get('jql')!)![1]! : null,
    foundAnswer: (found) => ({ issues: found === null ? [] : [{ key: found.id }] }),
    noted: ({ path }, body) =>
      /^\/rest\/api\/2\/issue\/[^/]+\/comment$/.test(path) ? [path.split('/')[5]!, body.body] : null,
    read: ({ path }) => /^\/rest\/api\/2\/issue\/([^/?]+)\?/.exec(path)?.[1] ?? null,
    readAnswer: ({ closedMs }) => ({
      fields: {
        status: { statusCategory: { key: closedMs === null ? 'indeterminate' : 'done' } },
        resolutiondate: closedMs === null ? null : iso(closedMs).replace('Z', '+0000'),
      },
    }),
    transitions: ({ path, method }) =>
      method === 'GET' ? (/^\/rest\/api\/2\/issue\/([^/?]+)\/transitions$/.exec(path)?.[1] ?? null) : null,
    reopened: ({ path, method }, body) =>
      method === 'POST' && body.transition?.id === '31'
        ? (/^\/rest\/api\/2\/issue\/([^/?]+)\/transitions$/.exec(path)?.[1] ?? null)
        : null,
  },
  servicenow: {
    connection: { user: 'bot', password: 'snow-pass-1' },
    parameters: {},
    plain: /^(?<text>[\s\S]*)$/,
    header: ['authorization', basic('bot:snow-pass-1')],
    made: ({ path, method }, body) =>
      method === 'POST' && path === '/api/now/table/incident'
        ? { title: body.short_description, text: body.description, marks: [body.correlation_id] }
        : null,
    madeAnswer: (id) => ({ result: { sys_id: id, number: 'INC1' } }),
    sought: ({ path }) =>
      /^correlation_idSTARTSWITH([^^]+)\^/.exec(query(path).get('sysparm_query') ?? '')?.[1] ?? null,
    foundAnswer: (found) => ({ result: found === null ? [] : [{ sys_id: found.id }] }),
    noted: ({ path, method }, body) =>
      method === 'PATCH' && body.work_notes !== undefined ? [path.split('/')[5]!, body.work_notes] : null,
    read: ({ path }) => /^\/api\/now\/table\/incident\/([^/?]+)\?/.exec(path)?.[1] ?? null,
    readAnswer: ({ closedMs }) => ({
      result:
        closedMs === null
          ? { active: 'true', state: '2', closed_at: '', resolved_at: '' }
          : { active: 'false', state: '7', closed_at: iso(closedMs).slice(0, 19).replace('T', ' '), resolved_at: '' },
    }),
    reopened: ({ path, method }, body) => (method === 'PATCH' && body.state === '2' ? path.split('/')[5]! : null),
  },
  redmine: {
    connection: { api_key: 'red-key-1' },
    parameters: { project: 'soc' },
    plain: /^<pre>\n(?<text>[\s\S]*)\n<\/pre>$/,
    header: ['x-redmine-api-key', 'red-key-1'],
    made: ({ path, method }, { issue } = {} as any) => {
      return method === 'POST' && path === '/issues.json'
        ? { title: issue.subject, text: issue.description, marks: [/\[(.*)\]$/.exec(issue.subject)![1]!] }
        : null
    },
    madeAnswer: (id) => ({ issue: { id: Number(id) } }),
    sought: ({ path }) => query(path).get('subject')?.slice(1) ?? null,
    foundAnswer: (found) => ({ issues: found === null ? [] : [{ id: Number(found.id), subject: found.title }] }),
    noted: ({ path, method }, body) =>
      method === 'PUT' && body.issue.notes !== undefined
        ? [/\/issues\/(.*)\.json/.exec(path)![1]!, body.issue.notes]
        : null,
    read: ({ path, method }) => (method === 'GET' ? (/^\/issues\/(\d+)\.json$/.exec(path)?.[1] ?? null) : null),
    readAnswer: ({ closedMs }) => ({
      issue: {
        status: { id: closedMs === null ? 2 : 5, is_closed: closedMs !== null },
        closed_on: closedMs === null ? null : iso(closedMs),
      },
    }),
    transitions: ({ path }) => /^\/issues\/(\d+)\.json\?include=allowed_statuses$/.exec(path)?.[1] ?? null,
    reopened: ({ path, method }, body) =>
      method === 'PUT' && body.issue.status_id === 2 ? /\/issues\/(.*)\.json/.exec(path)![1]! : null,
  },
}

/** What Jira and Redmine say of the ways out of a closed status. */
const ways = {
  transitions: [
    { id: '21', name: 'Close again', to: { statusCategory: { key: 'done' } } },
    { id: '31', name: 'Back to work', to: { statusCategory: { key: 'indeterminate' } } },
  ],
  issue: {
    allowed_statuses: [
      { id: 5, is_closed: true },
      { id: 2, is_closed: false },
    ],
  },
}

export class CaseServer {
  readonly cases: StoredCase[] = []
  /** Whether a workflow lets closed cases be reopened. */
  reopens = true
  readonly http: HttpReceiver
  readonly #dialect: Dialect
  #made = 0

  private constructor(http: HttpReceiver, dialect: Dialect) {
    this.http = http
    this.#dialect = dialect
    http.answer = (received, response) => this.answer(received, response)
  }

  static async open(name: string): Promise<CaseServer> {
    return new CaseServer(await HttpReceiver.open(), dialects[name]!)
  }

  get connection(): OpenedParameters {
    return { ...this.#dialect.connection, url: this.http.url }
  }

  get parameters(): OpenedParameters {
    return this.#dialect.parameters
  }

  #shown(text: string): string {
    const match = this.#dialect.plain.exec(text)
    if (match === null) throw new Error(`not plain text: ${text}`)
    return match.groups!.text!
  }

  answer(received: Received, response: ServerResponse): void {
    const dialect = this.#dialect
    const reply = (status: number, document: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document))
    const [header, value] = dialect.header
    if (received.headers[header] !== value) return reply(401, { error: 'who are you' })
    const body = received.body === '' ? undefined : JSON.parse(received.body)
    const answerFor = (id: string, act: (found: StoredCase) => unknown): void => {
      const found = this.cases.find((one) => one.id === id)
      reply(found === undefined ? 404 : 200, found === undefined ? {} : act(found))
    }
    const noted = dialect.noted(received, body)
    if (noted !== null) {
      return answerFor(noted[0], (found) => {
        found.notes.push(this.#shown(noted[1]))
        return {}
      })
    }
    const made = dialect.made(received, body)
    if (made !== null) {
      const id = String(++this.#made)
      this.cases.push({ id, ...made, text: this.#shown(made.text), notes: [], closedMs: null })
      return reply(201, dialect.madeAnswer(id))
    }
    const reopened = dialect.reopened(received, body)
    if (reopened !== null) {
      return answerFor(reopened, (found) => {
        if (this.reopens) found.closedMs = null
        return {}
      })
    }
    const transitions = dialect.transitions?.(received) ?? null
    if (transitions !== null)
      return answerFor(transitions, () => (this.reopens ? ways : { transitions: [], issue: {} }))
    const read = dialect.read(received)
    if (read !== null) return answerFor(read, (found) => dialect.readAnswer(found))
    const sought = dialect.sought(received, body)
    if (sought === null) return reply(404, {})
    // The latest first, as asked for; a mark is found by its beginning, as the mark of a subject is.
    const isFound = ({ marks }: StoredCase): boolean => marks.some((mark) => mark.startsWith(sought))
    reply(200, dialect.foundAnswer(this.cases.findLast(isFound) ?? null))
  }

  close(): Promise<void> {
    return this.http.close()
  }
}
