/** Requests that wait before they are served. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { collectBody } from '../../../server/http/body.js'
import { replyError } from '../../../server/http/error-reply.js'
import type { Exchange } from '../../../server/http/exchange.js'
import { Listener } from '../../../server/http/listener.js'
import { replyJson } from '../../../server/http/reply.js'
import { afterwards } from '../../support/afterwards.js'
import { until } from '../../support/until.js'

/** What a request says, with its body. */
function echo(exchange: Exchange, waited: number | null | undefined): void {
  const head = {
    method: exchange.method,
    path: exchange.path,
    query: exchange.query(),
    key: exchange.header('x-key'),
    waited: waited ?? null,
  }
  if (exchange.method !== 'post') return replyJson(exchange, 200, head)
  collectBody(exchange, 8_000_000)
    .then((bytes) => replyJson(exchange, 200, { ...head, bytes: bytes.length, last: bytes.at(-1) }))
    .catch((error: unknown) => replyError(exchange, error))
}

/** A port whose requests wait until the test lets them go on. */
async function waiting(test: TestContext) {
  const held: ((waited: number) => void)[] = []
  const state = {
    served: 0,
    /** Lets the request go on that waits, or the next one that comes to wait. */
    goOn: (waited: number): void => {
      const one = held.shift()
      if (one === undefined) setTimeout(() => state.goOn(waited), 5).unref()
      else one(waited)
    },
  }
  const listener = await Listener.open({
    host: '127.0.0.1',
    port: 0,
    handle: (exchange, waited) => {
      state.served++
      echo(exchange, waited)
    },
    waitsFor: (request) =>
      request.getUrl() === '/now' ? null : new Promise<number>((resolve) => void held.push(resolve)),
    fault: replyError,
    failed: (_exchange, error) => assert.fail(String(error)),
    over() {},
  })
  afterwards(test, () => listener.close())
  return { state, listener, base: `http://127.0.0.1:${listener.port}` }
}

describe('a request that waits', () => {
  it('is served later as it came', async (t) => {
    const { state, base } = await waiting(t)
    const answer = fetch(`${base}/a/b?x=1&y=2`, { headers: { 'x-key': 'k' } })
    await sleep(50)
    assert.equal(state.served, 0)
    state.goOn(7)
    const expected = { method: 'get', path: '/a/b', query: 'x=1&y=2', key: 'k', waited: 7 }
    assert.deepEqual(await (await answer).json(), expected)
  })

  it('is served at once where it waits for nothing', async (t) => {
    const { base } = await waiting(t)
    assert.equal(((await (await fetch(`${base}/now`)).json()) as { waited: unknown }).waited, null)
  })

  it('keeps its body, however large and in however many pieces', async (t) => {
    const { state, base } = await waiting(t)
    for (const size of [0, 10, 70_000, 3_000_000]) {
      const answer = fetch(`${base}/body`, { method: 'POST', body: new Uint8Array(size).fill(65) })
      await sleep(60)
      state.goOn(0)
      const { bytes, last } = (await (await answer).json()) as { bytes: number; last?: number }
      assert.deepEqual([bytes, last], [size, size === 0 ? undefined : 65])
    }
  })

  it('keeps the beginning of a body whose rest comes after it is served', async (t) => {
    const { state, listener } = await waiting(t)
    const socket = connect(listener.port, '127.0.0.1')
    socket.write('POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc')
    await sleep(60)
    state.goOn(0)
    await sleep(60)
    socket.write('def')
    const [answer] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    assert.match(answer.toString(), /"bytes":6,"last":102/)
  })

  it('is not served where its client has gone, and holds up no drain', async (t) => {
    const { state, listener } = await waiting(t)
    const socket = connect(listener.port, '127.0.0.1')
    socket.write('GET /a HTTP/1.1\r\nHost: a\r\n\r\n')
    await until(() => listener.held > 0)
    assert.equal(await listener.whenIdle(10), false)
    socket.destroy()
    await until(() => listener.held === 0)
    state.goOn(0)
    assert.equal(state.served, 0)
  })

  it('leaves its connection to the next one', async (t) => {
    const { state, listener } = await waiting(t)
    const socket = connect(listener.port, '127.0.0.1')
    for (const path of ['/a', '/b']) {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
      await sleep(60)
      state.goOn(0)
      const [answer] = (await once(socket, 'data')) as [Buffer]
      assert.match(answer.toString(), new RegExp(`"path":"${path}"`))
    }
    socket.destroy()
  })
})
