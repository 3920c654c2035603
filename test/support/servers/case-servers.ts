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
  /** Where its marker is searched for. */
  readonly mark: string
  readonly notes: string[]
}

/** How one system speaks. */
interface Dialect {
  readonly connection: OpenedParameters
  readonly parameters: OpenedParameters
  /** The credentials of valid requests. */
  readonly header: readonly [string, string]
  /** The case that a request makes, or null for other requests. */
  made(received: Received, body: any): Omit<StoredCase, 'id' | 'notes'> | null
  madeAnswer(id: string): unknown
  /** The marker that a request searches for, or null. */
  sought(received: Received, body: any): string | null
  foundAnswer(found: StoredCase | null): unknown
  /** What the system takes for plain text; a text that is not marked so is a fault. */
  readonly plain: RegExp
  /** Case and text of a note, or null. */
  noted(received: Received, body: any): readonly [string, string] | null
}

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
        ? { title: body.title, text: body.description, mark: body.tags[0] }
        : null,
    madeAnswer: (id) => ({ _id: id, number: 1 }),
    sought: ({ path }, body) => (path.startsWith('/api/v1/query') ? body.query[1]._eq._value : null),
    foundAnswer: (found) => (found === null ? [] : [{ _id: found.id }]),
    noted: ({ path }, body) =>
      /^\/api\/v1\/case\/[^/]+\/comment$/.test(path) ? [path.split('/')[4]!, body.message] : null,
  },
  jira: {
    connection: { user: 'bot', token: 'jira-token-1' },
    parameters: { project: 'SEC' },
    plain: /^\{noformat\}\n(?<text>[\s\S]*)\n\{noformat\}$/,
    header: ['authorization', basic('bot:jira-token-1')],
    made: ({ path }, { fields } = {} as any) =>
      path === '/rest/api/2/issue' ? { title: fields.summary, text: fields.description, mark: fields.labels[0] } : null,
    madeAnswer: (id) => ({ id: '1', key: id }),
    sought: ({ path }) =>
      path.startsWith('/rest/api/2/search') ? /labels = "(.*)"/.exec(query(path).get('jql')!)![1]! : null,
    foundAnswer: (found) => ({ issues: found === null ? [] : [{ key: found.id }] }),
    noted: ({ path }, body) =>
      /^\/rest\/api\/2\/issue\/[^/]+\/comment$/.test(path) ? [path.split('/')[5]!, body.body] : null,
  },
  servicenow: {
    connection: { user: 'bot', password: 'snow-pass-1' },
    parameters: {},
    plain: /^(?<text>[\s\S]*)$/,
    header: ['authorization', basic('bot:snow-pass-1')],
    made: ({ path, method }, body) =>
      method === 'POST' && path === '/api/now/table/incident'
        ? { title: body.short_description, text: body.description, mark: body.correlation_id }
        : null,
    madeAnswer: (id) => ({ result: { sys_id: id, number: 'INC1' } }),
    sought: ({ path, method }) => (method === 'GET' ? query(path).get('sysparm_query')!.split('=')[1]! : null),
    foundAnswer: (found) => ({ result: found === null ? [] : [{ sys_id: found.id }] }),
    noted: ({ path, method }, body) => (method === 'PATCH' ? [path.split('/')[5]!, body.work_notes] : null),
  },
  redmine: {
    connection: { api_key: 'red-key-1' },
    parameters: { project: 'soc' },
    plain: /^<pre>\n(?<text>[\s\S]*)\n<\/pre>$/,
    header: ['x-redmine-api-key', 'red-key-1'],
    made: ({ path, method }, { issue } = {} as any) => {
      return method === 'POST' && path === '/issues.json'
        ? { title: issue.subject, text: issue.description, mark: /\[(.*)\]$/.exec(issue.subject)![1]! }
        : null
    },
    madeAnswer: (id) => ({ issue: { id: Number(id) } }),
    sought: ({ path, method }) => (method === 'GET' ? query(path).get('subject')!.slice(1) : null),
    foundAnswer: (found) => ({ issues: found === null ? [] : [{ id: Number(found.id), subject: found.title }] }),
    noted: ({ path, method }, body) =>
      method === 'PUT' ? [/\/issues\/(.*)\.json/.exec(path)![1]!, body.issue.notes] : null,
  },
}

export class CaseServer {
  readonly cases: StoredCase[] = []
  readonly http: HttpReceiver
  readonly #dialect: Dialect

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
    const noted = dialect.noted(received, body)
    if (noted !== null) {
      const found = this.cases.find(({ id }) => id === noted[0])
      found?.notes.push(this.#shown(noted[1]))
      return reply(found === undefined ? 404 : 200, {})
    }
    const made = dialect.made(received, body)
    if (made !== null) {
      const id = String(this.cases.length + 1)
      this.cases.push({ id, ...made, text: this.#shown(made.text), notes: [] })
      return reply(201, dialect.madeAnswer(id))
    }
    const sought = dialect.sought(received, body)
    if (sought === null) return reply(404, {})
    reply(200, dialect.foundAnswer(this.cases.find(({ mark }) => mark === sought) ?? null))
  }

  close(): Promise<void> {
    return this.http.close()
  }
}
