/**
 * Tools for agents that start their servers themselves: the protocol over standard input and output, for `decide mcp`.
 *
 * Owns: the bridge to `/mcp` of a running service. What a tool does, who may use it and what is confirmed is decided
 * there, as for any other client.
 *
 * 1. Standard output has messages of the protocol alone.
 * 2. A client of an older revision is asked for its confirmation by this process, which then calls again.
 */
import { PassThrough } from 'node:stream'
import type {
  CallToolResult,
  ClientCapabilities,
  Implementation,
  ListToolsResult,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server'
import { SERVER_NAME } from './tool.js'

export interface StdioOptions {
  /** The address of the service. */
  readonly baseUrl: string
  /** A key or a token. */
  readonly key: string
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Told of what goes wrong; never writes to standard output. */
  readonly onError?: ((error: Error) => void) | undefined
}

/** A running bridge. */
export interface StdioBridge {
  /** Resolves when the client has gone. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

const REVISION = '2026-07-28'
/** The service bounds each call itself. */
const ANSWER_MS_MAX = 11 * 60_000

/** What a client says of itself, in the form of the current revision. */
interface ClientSelf {
  readonly info: Implementation
  readonly capabilities: ClientCapabilities
}

interface RpcAnswer {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Asks the service. @throws Error with a sentence if there is no answer. */
async function ask(
  { baseUrl, key, fetch = globalThis.fetch }: StdioOptions,
  method: string,
  params: Readonly<Record<string, unknown>>,
  { info, capabilities }: ClientSelf,
): Promise<RpcAnswer> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': info,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${key}`,
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
    // The key is for this service alone.
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  })
  const answer = JSON.parse(await response.text()) as RpcAnswer & { readonly error?: unknown }
  if (typeof answer.error === 'string') throw new Error(`the service refused: ${answer.error}`)
  return answer
}

/** Resolves when all that was read is answered: a script sends its requests and ends its output. */
async function answered(input: PassThrough, underWay: ReadonlySet<Promise<unknown>>): Promise<void> {
  do {
    await Promise.allSettled(underWay)
    // What was read begins, and what was answered is written, in this round of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
  } while (underWay.size > 0 || input.readableLength > 0)
  input.end()
}

/**
 * Serves the tools of a service on standard input and output. Rejects if the service does not answer, or refuses the
 * key.
 */
export async function serveStdio(options: StdioOptions): Promise<StdioBridge> {
  const library = await import('@modelcontextprotocol/server')
  const stdio = await import('@modelcontextprotocol/server/stdio')
  const own: ClientSelf = { info: { name: 'decide mcp', version: REVISION }, capabilities: {} }
  // A wrong address or key shows before a client waits for tools.
  const first = await ask(options, 'server/discover', {}, own)
  if (first.result === undefined) throw new Error(`the service refused: ${first.error?.message ?? 'no reason given'}`)
  const instructions = String(first.result.instructions ?? '')

  const underWay = new Set<Promise<RpcAnswer>>()
  const forward = async (server: Server, method: string, params: object, { mcpReq }: ServerContext) => {
    const envelope = (mcpReq.envelope ?? {}) as Partial<Record<string, unknown>>
    const info = envelope[library.CLIENT_INFO_META_KEY] ?? server.getClientVersion() ?? own.info
    const capabilities = envelope[library.CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {}
    const self = { info: info as Implementation, capabilities: capabilities as ClientCapabilities }
    const answers = mcpReq.inputResponses === undefined ? {} : { inputResponses: mcpReq.inputResponses }
    const coming = ask(options, method, { ...params, ...answers }, self)
    underWay.add(coming)
    const { result, error } = await coming.finally(() => underWay.delete(coming))
    if (error !== undefined) throw new library.ProtocolError(error.code, error.message, error.data)
    const { _meta: _, ...rest } = result ?? {}
    return rest as unknown
  }

  const factory = (): Server => {
    const server = new library.Server(
      { name: SERVER_NAME, title: 'Decision service', version: '1.0.0' },
      { capabilities: { tools: {} }, instructions },
    )
    server.setRequestHandler(
      'tools/list',
      async (_request, context) => (await forward(server, 'tools/list', {}, context)) as ListToolsResult,
    )
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const { name, arguments: given = {} } = params
      return (await forward(server, 'tools/call', { name, arguments: given }, context)) as CallToolResult
    })
    return server
  }
  // The library drops what is under way when its input ends. It is told of the end when all is answered.
  const input = process.stdin.pipe(new PassThrough(), { end: false })
  const transport = new stdio.StdioServerTransport(input)
  const onerror = options.onError
  const handle = stdio.serveStdio(factory, { transport, ...(onerror === undefined ? {} : { onerror }) })
  const ended = new Promise<void>((resolve) => process.stdin.once('close', resolve).once('end', resolve))
  return { closed: ended.then(() => answered(input, underWay)), close: () => handle.close() }
}
