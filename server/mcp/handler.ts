/**
 * The protocol: lists and calls tools for one request (Model Context Protocol, revision 2026-07-28 and older ones).
 *
 * Owns: the library's server, made for each request, and what it is told of the caller. Leaves out: HTTP (route.ts),
 * what a call does (call-tool.ts).
 *
 * 1. The library is loaded with the first request.
 * 2. Nothing is kept between requests. So a client of an older revision is asked for no confirmation over HTTP.
 */
import type {
  CallToolResult,
  ClientCapabilities,
  Implementation,
  InputRequiredResult,
  ListToolsResult,
  McpRequestContext,
  ServerContext,
} from '@modelcontextprotocol/server'
import type { Principal } from '../../engine/index.js'
import type { App } from '../app.js'
import { createClient } from '../client/index.js'
import { DryRuns } from './dry-runs.js'
import { inputOf, ToolCalls, WriteAnswer, type Caller, type ToolOutcome } from './call-tool.js'
import { SERVER_NAME, type Tool } from './tool.js'
import { isAllowed, toolFor, tools } from './tools.js'
import { UNTRUSTED } from './untrusted.js'

/** Who sends a request, and from where. */
export interface Sender {
  readonly principal: Principal
  readonly key: string
  readonly address: string
  readonly host: string
  readonly userAgent: string
}

/** Answers one request of the protocol; its body is parsed already. */
export type McpHandler = (request: Request, body: unknown, sender: Sender) => Promise<Response>

const INSTRUCTIONS =
  'Decides security alerts and learns from votes. Begin with find_jobs. Tools that change something answer first ' +
  `with what they would do and a token; call again with the token to do it. ${UNTRUSTED}`

/** Where requests of the process go; the name is never resolved. */
const BASE = 'http://service.internal'
/** Characters of a client's name that are kept. */
const AGENT_CHARS_MAX = 128
const CALL_MS_MAX = 120_000

type Listed = ListToolsResult['tools'][number]

/** A schema without what TypeBox keeps for itself. */
function plain(schema: object): Listed['inputSchema'] {
  return JSON.parse(JSON.stringify(schema))
}

function listed(tool: Tool): Listed {
  const isRead = tool.kind === 'read'
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: plain(inputOf(tool)),
    outputSchema: plain(isRead ? tool.output : WriteAnswer),
    annotations: {
      title: tool.title,
      readOnlyHint: isRead,
      destructiveHint: !isRead && tool.isDestructive,
      idempotentHint: isRead || tool.isIdempotent,
      openWorldHint: false,
    },
  }
}

/** Loads the library, and makes what answers requests. */
export async function openHandler(app: App): Promise<McpHandler> {
  const library = await import('@modelcontextprotocol/server')
  const { createMcpHandler, inputRequired, inputResponse, ProtocolError, ProtocolErrorCode, Server } = library
  const calls = new ToolCalls(new DryRuns(), app.service.audit)
  const list = tools.map((tool) => ({ tool, row: listed(tool) }))
  const log = app.service.monitor.log('api')

  const confirmForm = {
    type: 'object' as const,
    properties: { confirm: { type: 'boolean' as const, title: 'Do it', default: false } },
    required: ['confirm'],
  }

  function resultOf(outcome: ToolOutcome): CallToolResult | InputRequiredResult {
    if (outcome.kind === 'ask')
      return inputRequired({
        inputRequests: { confirm: inputRequired.elicit({ message: outcome.message, requestedSchema: confirmForm }) },
      })
    const content = [{ type: 'text' as const, text: outcome.text }]
    if (outcome.kind === 'error') return { content, isError: true }
    // Clients that pass on texts alone see the data, too: the specification recommends it.
    const data = { type: 'text' as const, text: JSON.stringify(outcome.content) }
    return { content: [...content, data], structuredContent: outcome.content }
  }

  function confirmationIn({ mcpReq }: ServerContext): Caller['confirmation'] {
    const answer = inputResponse(mcpReq.inputResponses, 'confirm')
    if (answer.kind !== 'elicit') return 'missing'
    return answer.action === 'accept' && answer.content?.confirm === true ? 'accepted' : 'declined'
  }

  function callerOf(sender: Sender, context: ServerContext): Caller {
    const envelope = (context.mcpReq.envelope ?? {}) as Partial<Record<string, unknown>>
    const { elicitation } = (envelope[library.CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities
    const info = (envelope[library.CLIENT_INFO_META_KEY] ?? {}) as Partial<Implementation>
    const { name = sender.userAgent, version = '' } = info
    return {
      principal: sender.principal,
      client: clientOf(app, sender),
      agent: agentName(`${name} ${version}`),
      confirmation: confirmationIn(context),
      canAsk: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
      signal: context.mcpReq.signal,
    }
  }

  function serverFor({ authInfo }: McpRequestContext): InstanceType<typeof Server> {
    const sender = authInfo?.extra?.sender as Sender
    const { scopes } = sender.principal
    const server = new Server(
      { name: SERVER_NAME, title: 'Decision service', version: '1.0.0' },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    )
    server.setRequestHandler('tools/list', () => ({
      tools: list.filter(({ tool }) => isAllowed(tool, scopes)).map(({ row }) => row),
    }))
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const tool = toolFor(params.name, scopes)
      if (tool === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such tool for this key.')
      return resultOf(await calls.call(tool, params.arguments ?? {}, callerOf(sender, context)))
    })
    return server
  }

  const onerror = (error: Error): void => log.debug('a request of MCP was refused', { err: error })
  const { fetch } = createMcpHandler(serverFor, { onerror, maxSubscriptions: 0 })
  return (request, body, sender) => {
    const { name, scopes } = sender.principal
    const authInfo = { token: '', clientId: name, scopes: [...scopes], extra: { sender } }
    return fetch(request, { authInfo, parsedBody: body })
  }
}

/** The API in this process, with the key of the sender. */
function clientOf(app: App, { key, address, host }: Sender) {
  const send: typeof fetch = (url, init = {}) =>
    app.inProcess({
      method: init.method ?? 'GET',
      path: String(url).slice(BASE.length),
      headers: { ...(init.headers as Record<string, string>), host },
      body: (init.body as string | null) ?? undefined,
      address,
      signal: init.signal ?? undefined,
    })
  return createClient({ baseUrl: BASE, key, fetch: send, retries: 0, timeoutMs: CALL_MS_MAX })
}

/** A name in one line. */
function agentName(text: string): string {
  const line = text.replace(/[^\x20-\x7e]+/g, ' ').trim()
  return line === '' ? 'unknown' : line.slice(0, AGENT_CHARS_MAX)
}
