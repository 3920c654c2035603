/** The official client of the protocol, connected to a service. */
import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client'
import { MANAGEMENT_KEY, type TestService } from '../service.js'

export interface AgentOptions {
  readonly key?: string
  /** `legacy`: a client of the revisions before 2026-07-28. */
  readonly era?: 'modern' | 'legacy'
  /** What a person answers when asked; absent: nobody can be asked. */
  readonly person?: 'accept' | 'decline'
  readonly headers?: Readonly<Record<string, string>>
}

export interface Agent {
  readonly client: Client
  /** What people were asked, in order. */
  readonly asked: string[]
  /** The structured content of a call that succeeds. */
  call(name: string, input?: Record<string, unknown>): Promise<any>
  /** The whole result of a call. */
  result(name: string, input?: Record<string, unknown>): Promise<CallToolResult>
  /** Dry run and change in one: the structured content of the change. */
  change(name: string, input: Record<string, unknown>): Promise<any>
  close(): Promise<void>
}

/** An agent over a connected client. */
export function agentOf(client: Client, asked: string[]): Agent {
  const result = async (name: string, input: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: input })) as CallToolResult
  const call = async (name: string, input: Record<string, unknown> = {}): Promise<any> => {
    const answer = await result(name, input)
    assert.ok(answer.isError !== true, `${name}: ${JSON.stringify(answer.content)}`)
    return answer.structuredContent
  }
  return {
    client,
    asked,
    call,
    result,
    async change(name, input) {
      const dry = await call(name, input)
      assert.equal(dry.changed, false)
      assert.ok(typeof dry.token === 'string', JSON.stringify(dry))
      return call(name, { ...input, token: dry.token })
    },
    close: () => client.close(),
  }
}

/** A client that answers confirmations as the person does. */
export function clientWith({ era = 'modern', person }: AgentOptions, asked: string[]): Client {
  const client = new Client(
    { name: 'test agent', version: '7' },
    {
      capabilities: person === undefined ? {} : { elicitation: {} },
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
    },
  )
  if (person !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message)
      return person === 'accept' ? { action: 'accept', content: { confirm: true } } : { action: 'decline' }
    })
  return client
}

/** Connects an agent over HTTP. */
export async function connectAgent(service: TestService, options: AgentOptions = {}): Promise<Agent> {
  const asked: string[] = []
  const client = clientWith(options, asked)
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', service.baseUrl), {
    requestInit: { headers: { authorization: `Bearer ${options.key ?? MANAGEMENT_KEY}`, ...options.headers } },
  })
  await client.connect(transport)
  return agentOf(client, asked)
}
