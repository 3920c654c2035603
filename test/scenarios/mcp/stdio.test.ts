/** The bridge of `decide mcp`, driven by the official client over a process of its own. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { after, before, test } from 'node:test'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { serveStdio } from '../../../server/mcp/stdio.js'
import { makeJob, type JobSetup } from '../../support/client.js'
import { agentOf, clientWith, type AgentOptions } from '../../support/mcp/agent.js'
import { MANAGEMENT_KEY, startService, type TestService } from '../../support/service.js'

const bridge = fileURLToPath(new URL('../../support/mcp/bridge.js', import.meta.url))

let service: TestService
let job: JobSetup

before(async () => {
  service = await startService()
  job = await makeJob(service.client, { decision_points: ['rule'] })
})
after(() => service.close())

async function connect(options: AgentOptions) {
  const asked: string[] = []
  const client = clientWith(options, asked)
  const env = { TEST_BASE_URL: service.baseUrl, TEST_KEY: MANAGEMENT_KEY }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [bridge], env }))
  return agentOf(client, asked)
}

for (const era of ['modern', 'legacy'] as const)
  test(`a ${era} client reaches the tools, and is asked for confirmation`, async () => {
    const id = `gone-${era}`
    await service.client.post(`/api/v1/events/${id}`, { job_id: job.jobId, raw_body: { rule: id } })
    const agent = await connect({ era, person: 'accept' })
    assert.ok((await agent.client.listTools()).tools.length > 15)
    assert.ok((await agent.call('find_jobs')).total >= 1)
    const done = await agent.change('delete_events', {
      job_id: job.jobId,
      filters: [{ field: 'rule', operator: 'is', value: id }],
    })
    assert.equal(done.result.events_deleted, 1)
    assert.equal(agent.asked.length, 1)
    await agent.close()
    const { body } = await service.client.get('/api/monitoring/api/v1/audit/logs?action=tool%20called&size=5')
    assert.equal(body.audit_logs[0].details.agent, 'test agent 7')
  })

test('a script that sends its requests and ends its output gets every answer', async () => {
  const env = { ...process.env, TEST_BASE_URL: service.baseUrl, TEST_KEY: MANAGEMENT_KEY }
  const clientInfo = { name: 'a script', version: '1' }
  const input = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
    { id: 3, method: 'tools/call', params: { name: 'find_jobs', arguments: {} } },
  ]
  const sent = input.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join('')
  const child = spawn(process.execPath, [bridge], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(sent)
  const lines = (await text(child.stdout)).trim().split('\n')
  const answers = lines.map((line) => JSON.parse(line))
  assert.deepEqual(answers.map(({ id }) => id).sort(), [1, 2, 3])
  for (const { id, result } of answers) assert.ok(result !== undefined, String(id))
})

test('a wrong key and a wrong address end the start with a sentence', async () => {
  await assert.rejects(
    serveStdio({ baseUrl: service.baseUrl, key: 'wrong' }),
    /the service refused: missing or invalid API key/,
  )
  await assert.rejects(serveStdio({ baseUrl: 'http://127.0.0.1:1', key: 'wrong' }), Error)
})
