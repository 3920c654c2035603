/** The port of a node that is not the owner: it forwards requests, and waits for an owner. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { Door } from '../../../server/cluster/door.js'
import { Forwarder } from '../../../server/cluster/forwarder.js'
import { replyJson } from '../../../server/http/reply.js'
import { afterwards } from '../../support/afterwards.js'

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request) text += String(piece)
  return text
}

/** A node that is the owner, as HTTP sees it. */
async function owner(test: TestContext, serve: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(serve).listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterwards(test, () => {
    server.closeAllConnections()
    server.close()
  })
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Its requests wait so long for an owner: longer than any machine needs, where a test does not say otherwise. */
async function node(test: TestContext, waitMs = 60_000) {
  const state: { url: string | null; others: readonly string[] } = { url: null, others: [] }
  const forwarder = new Forwarder({ owner: () => state.url, ready: () => state.others }, waitMs)
  const door = await Door.open({
    host: '127.0.0.1',
    port: 0,
    failed: (error) => assert.fail(String(error)),
    elsewhere: (exchange) => forwarder.forward(exchange, exchange.path.startsWith('/api/v1/events')),
  })
  afterwards(test, () => {
    door.close()
    forwarder.close()
  })
  return { state, door, base: `http://127.0.0.1:${door.port}` }
}

const echo: RequestListener = async (request, response) => {
  const body = await textOf(request)
  const { method, url, headers } = request
  const answer = JSON.stringify({ method, url, key: headers['x-service-api-key'], body })
  response.setHeader('content-type', 'application/json').setHeader('x-own', 'yes').end(answer)
}

describe('a node that is not the owner', () => {
  it('forwards a request as it came, and its answer', async (t) => {
    const { state, base } = await node(t)
    state.url = (await owner(t, echo)).url
    const answer = await fetch(`${base}/api/v1/events/a?x=1`, {
      method: 'POST',
      headers: { 'x-service-api-key': 'k' },
      body: '{"a":1}',
    })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('x-own'), 'yes')
    assert.deepEqual(await answer.json(), { method: 'POST', url: '/api/v1/events/a?x=1', key: 'k', body: '{"a":1}' })
    const read = (await (await fetch(`${base}/api/v1/jobs`)).json()) as { method: string }
    assert.equal(read.method, 'GET')
  })

  it('forwards bodies and answers of many megabytes', async (t) => {
    const { state, base } = await node(t)
    state.url = (await owner(t, async (request, response) => void response.end(await textOf(request)))).url
    const body = 'x'.repeat(5 * 1024 * 1024)
    assert.equal(await (await fetch(`${base}/api/v1/events/_bulk`, { method: 'POST', body })).text(), body)
  })

  it('lets requests wait until there is an owner', async (t) => {
    const { state, base } = await node(t)
    const waiting = fetch(`${base}/api/v1/events/`, { method: 'POST', body: '{}' })
    state.url = (await owner(t, echo)).url
    assert.equal((await waiting).status, 200)
  })

  it('sends to another node what any node answers, while there is no owner, and nothing else', async (t) => {
    const [patient, hasty] = [await node(t), await node(t, 50)]
    const gone = await owner(t, echo)
    gone.server.closeAllConnections()
    gone.server.close()
    for (const { state } of [patient, hasty]) state.others = [gone.url, (await owner(t, echo)).url]
    for (let i = 0; i < 3; i++)
      assert.equal((await fetch(`${patient.base}/api/v1/events/a`, { method: 'POST', body: '{}' })).status, 200)
    assert.equal((await fetch(`${hasty.base}/api/v1/jobs`)).status, 503)
  })

  it('waits for the answer of another node, although there is an owner meanwhile', async (t) => {
    const { state, base } = await node(t)
    const slow = await owner(t, (request, response) => {
      state.url = 'http://127.0.0.1:9'
      setTimeout(() => void echo(request, response), 600)
    })
    state.others = [slow.url]
    assert.equal((await fetch(`${base}/api/v1/events/`, { method: 'POST', body: '{}' })).status, 200)
  })

  it('answers 503 with Retry-After where there is none in time', async (t) => {
    const { base } = await node(t, 50)
    const answer = await fetch(`${base}/api/v1/jobs`)
    assert.equal(answer.status, 503)
    assert.ok(Number(answer.headers.get('retry-after')) >= 1)
  })

  it('sends a request again that may be repeated, and no other', async (t) => {
    const { state, base } = await node(t)
    let lost = 0
    const dying = await owner(t, (request) => {
      lost++
      request.socket.destroy()
      state.url = working.url
    })
    const working = await owner(t, echo)
    for (const [method, path, status] of [
      ['GET', '/api/v1/jobs', 200],
      ['PUT', '/api/v1/events/1/a/feedback', 503],
      ['POST', '/api/v1/events/a', 200],
      ['POST', '/api/v1/events/', 503],
      ['POST', '/api/v2/events/query', 200],
      ['POST', '/api/v2/metrics/job', 200],
      ['POST', '/api/v1/jobs/1/stop', 503],
      ['POST', '/api/v2/resources', 503],
    ] as const) {
      state.url = dying.url
      const answer = await fetch(`${base}${path}`, { method, ...(method === 'GET' ? {} : { body: '{}' }) })
      assert.equal(answer.status, status, `${method} ${path}`)
      if (status === 503) assert.match(await answer.text(), /may have taken effect/)
    }
    assert.equal(lost, 8)
  })

  it('forwards a request that offers another protocol, as clients in Java do, and no WebSocket', async (t) => {
    const { state, base } = await node(t)
    state.url = (await owner(t, echo)).url
    const asked = async (upgrade: string): Promise<{ status: number; text: string }> => {
      const headers = { connection: 'Upgrade', upgrade }
      const [answer] = (await once(request(`${base}/api/v1/jobs`, { headers }).end(), 'response')) as [IncomingMessage]
      return { status: answer.statusCode ?? 0, text: await textOf(answer) }
    }
    const java = await asked('h2c')
    assert.deepEqual([java.status, JSON.parse(java.text).url], [200, '/api/v1/jobs'])
    const socket = await asked('websocket')
    assert.equal(socket.status, 503)
    assert.match(socket.text, /open the WebSocket at another node/)
  })

  it('sends a read again whose answer breaks off, and cuts off the answer to anything else', async (t) => {
    const { state, base } = await node(t)
    const dying = await owner(t, (request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{')
      setTimeout(() => request.socket.destroy(), 20)
      state.url = working.url
    })
    const working = await owner(t, echo)
    for (const [method, path] of [
      ['GET', '/api/v1/jobs'],
      ['POST', '/api/v2/events/query'],
    ] as const) {
      state.url = dying.url
      const answer = await fetch(`${base}${path}`, { method, ...(method === 'GET' ? {} : { body: '{"job_ids":[1]}' }) })
      const { url, body } = (await answer.json()) as { url: string; body: string }
      assert.deepEqual([answer.status, url, body], [200, path, method === 'GET' ? '' : '{"job_ids":[1]}'])
    }
    state.url = dying.url
    await assert.rejects(fetch(`${base}/api/v2/resources`, { method: 'POST', body: '{}' }))
  })

  it('serves its engine while it has one, on the same connections', async (t) => {
    const { state, door, base } = await node(t)
    state.url = (await owner(t, echo)).url
    const path = `${base}/api/v1/jobs`
    assert.equal(((await (await fetch(path)).json()) as { url: string }).url, '/api/v1/jobs')
    const ended: number[] = []
    const served = door.serve({
      handle: (exchange) => replyJson(exchange, 200, { own: true }),
      fault: () => {},
      failed: () => {},
      over: (_exchange, status) => void ended.push(status),
    })
    assert.deepEqual(await (await fetch(path)).json(), { own: true })
    assert.deepEqual(ended, [200])
    served.stopListening()
    assert.equal(await served.whenIdle(1_000), true)
    served.close()
    assert.equal(((await (await fetch(path)).json()) as { url: string }).url, '/api/v1/jobs')
  })
})
