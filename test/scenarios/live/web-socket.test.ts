/** The stream over a WebSocket; over node:http there is none, and the answer says so. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { httpNotice } from '../../../server/server.js'
import { makeJob } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'
import { openWebSocket, type OpenWebSocket } from '../../support/live/web-socket.js'

const path = '/api/v2/events/stream'
const isNative = httpNotice === null

let service: TestService

before(async () => {
  service = await startService()
})
after(() => service.close())

async function mustOpen(query: string, headers: Readonly<Record<string, string>> = {}): Promise<OpenWebSocket> {
  const socket = await openWebSocket(service.client, `${path}${query}`, headers)
  assert.ok('texts' in socket, JSON.stringify(socket))
  return socket
}

/** The messages that are no heartbeats. */
function told(texts: readonly string[]): any[] {
  return texts.map((text) => JSON.parse(text)).filter(({ type }) => type !== 'heartbeat')
}

test('a WebSocket has the same messages as the stream of events, and goes on where it broke off', {
  skip: !isNative,
}, async () => {
  const { jobId } = await makeJob(service.client)
  const socket = await mustOpen(`?job_id=${jobId}`)
  await socket.until((texts) => texts.length === 1)
  const lines = Array.from({ length: 300 }, (_, n) => ({ job_id: jobId, event_id: `e${n}`, raw_body: { rule: 'a' } }))
  await service.client.bulk(lines.map((line) => JSON.stringify(line)).join('\n'))
  const messages = told(await socket.until((texts) => told(texts).length >= 301))
  assert.deepEqual([messages[0].type, messages[1].type, messages[300].data.event_id], ['ready', 'decision', 'e299'])
  socket.socket.destroy()
  const again = await mustOpen(`?job_id=${jobId}&last_event_id=${messages[250].id}`)
  const rest = told(await again.until((texts) => told(texts).length >= 50))
  assert.deepEqual(
    rest.map(({ data }) => data.event_id),
    lines.slice(250).map(({ event_id }) => event_id),
  )
  again.socket.destroy()
})

test('a refusal is answered before there is a WebSocket', { skip: !isNative }, async () => {
  const unknown = await openWebSocket(service.client, `${path}?job_id=99999`)
  assert.deepEqual(unknown, { status: 404, body: '{"error":"job not found"}' })
  const foreign = await openWebSocket(service.client, path, { origin: 'https://evil.test' })
  assert.ok('status' in foreign)
  assert.equal(foreign.status, 403)
  const own = await mustOpen('', { origin: service.baseUrl })
  own.socket.destroy()
})

test('a drain closes a WebSocket with the code that says to come again', { skip: !isNative }, async () => {
  const draining = await startService()
  const socket = await openWebSocket(draining.client, path)
  assert.ok('texts' in socket)
  await socket.until((texts) => texts.length === 1)
  await draining.close()
  assert.equal(await socket.ended, 1012)
})

test('over node:http a WebSocket is refused with what to do instead', { skip: isNative }, async () => {
  const refused = await openWebSocket(service.client, path)
  assert.ok('status' in refused)
  assert.equal(refused.status, 501)
  assert.match(refused.body, /server-sent events/)
})
