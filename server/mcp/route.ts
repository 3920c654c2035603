/**
 * `/mcp`: the operation that agents speak to. It lets the right hosts in, and moves bytes; handler.ts answers.
 *
 * 1. A session of a browser is no key: only a key or a token in a header counts here.
 */
import { limits, Refusal } from '../../engine/index.js'
import type { App } from '../app.js'
import { collectBody } from '../http/body.js'
import { keyInHeaders, stillAuthorized } from '../http/auth.js'
import { replyError, replyHttpError } from '../http/error-reply.js'
import type { Exchange } from '../http/exchange.js'
import { statusLine } from '../http/reply.js'
import type { Route } from '../http/route.js'
import type { Headers } from '../http/send.js'
import { Checker, parseJson } from '../http/validate.js'
import { McpAnswer, McpBadRequest, McpMessage } from '../schemas/mcp.js'
import { hostProblem } from './hosts.js'
import type { McpHandler } from './handler.js'

/** Headers of a request that the protocol looks at. */
const read = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'] as const
/** Headers of an answer that HTTP itself writes. */
const own: ReadonlySet<string> = new Set(['connection', 'content-length', 'content-type', 'transfer-encoding'])
const eventStream = 'text/event-stream'
/** The forms of an answer. */
const answers = ['application/json', eventStream] as const
const checker = new Checker(McpMessage, 'body')

const handlers = new WeakMap<App, Promise<McpHandler>>()

/** Loads the protocol with the first request. After a failure the next request tries again. */
function handlerOf(app: App): Promise<McpHandler> {
  let handler = handlers.get(app)
  if (handler === undefined) {
    handler = import('./handler.js').then(({ openHandler }) => openHandler(app))
    handlers.set(app, handler)
    handler.catch(() => handlers.delete(app))
  }
  return handler
}

function headersOf(exchange: Exchange): [string, string][] {
  const sent = read.flatMap((name) => {
    const value = exchange.header(name)
    return value === '' ? [] : [[name, value] as [string, string]]
  })
  return [['accept', answers.join(', ')], ...sent]
}

/** The protocol needs both forms named. Who accepts anything, or does not say, accepts them, too. */
function acceptsAnswers(accept: string): boolean {
  return accept === '' || accept.includes('*/*') || answers.every((type) => accept.toLowerCase().includes(type))
}

/** Sends what the protocol answers; an event stream as it comes. */
async function send(exchange: Exchange, answer: Response): Promise<void> {
  const status = statusLine(answer.status)
  const type = answer.headers.get('content-type') ?? 'application/json'
  const headers: Headers = [...answer.headers].filter(([name]) => !own.has(name))
  if (answer.body === null || !type.startsWith(eventStream))
    return exchange.reply(status, type, new Uint8Array(await answer.arrayBuffer()), headers)
  exchange.beginStream(status, type, headers)
  for await (const piece of answer.body) exchange.write(piece as Uint8Array)
  exchange.endStream()
}

/** An object, or a list of them: the protocol says what else is wrong. */
function isMessage(body: unknown): boolean {
  const list = Array.isArray(body) ? body : [body]
  return list.length > 0 && list.every((one) => typeof one === 'object' && one !== null && !Array.isArray(one))
}

function serve(exchange: Exchange, _params: readonly string[], app: App): void {
  const host = exchange.header('host')
  const problem = hostProblem(host, exchange.header('origin'), app.mcpHosts)
  if (problem !== null) return replyHttpError(exchange, 403, problem)
  const key = keyInHeaders(exchange, app)
  if (key === '') throw new Refusal('unauthorized', 'a key or a token is needed here')
  const sender = { key, address: exchange.address(), host, userAgent: exchange.header('user-agent') }
  const headers = headersOf(exchange)
  const accepts = acceptsAnswers(exchange.header('accept'))
  const isJson = /^application\/json(;|$)/i.test(exchange.header('content-type').trim())
  const gone = new AbortController()
  collectBody(exchange, limits.requestBytesMax, () => gone.abort())
    .then(async (bytes) => {
      const body = parseJson(bytes)
      const principal = stillAuthorized(exchange, app, 'public')
      if (!isJson) return replyHttpError(exchange, 415, 'messages are JSON: send Content-Type: application/json')
      if (!isMessage(body)) checker.check(body)
      if (!accepts) return replyHttpError(exchange, 406, `send Accept: ${answers.join(', ')}`)
      const request = new Request('http://service.internal/mcp', { method: 'POST', headers, signal: gone.signal })
      const handle = await handlerOf(app)
      await send(exchange, await handle(request, body, { ...sender, principal }))
    })
    .catch((error: unknown) => {
      // A client that went away is not told.
      if (!gone.signal.aborted) replyError(exchange, error)
    })
}

const mcp: Route = {
  method: 'POST',
  path: '/mcp',
  operationId: 'postMcp',
  tag: 'Tools for agents',
  summary: 'Speak the Model Context Protocol',
  description:
    'Streamable HTTP, revision 2026-07-28 and older ones, without sessions. `tools/list` has the tools that the key ' +
    'allows, and `tools/call` runs one. Each call is in the audit log.',
  scope: 'public',
  body: McpMessage,
  bodyExample: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  responses: {
    200: {
      description: 'An event stream with the answer, or the answer alone.',
      schema: McpAnswer,
      mediaType: eventStream,
    },
    202: { description: 'A notification was taken.' },
    400: { description: 'The body is not JSON, or no message of the protocol.', schema: McpBadRequest },
  },
  errors: [403, 406, 415],
  serve,
}

export const mcpRoutes: readonly Route[] = [mcp]
