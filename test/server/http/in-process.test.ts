/** Requests of the process to itself, served by the table of routes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal, type RefusalCode } from '../../../engine/index.js'
import { replyRefusal, statusOf } from '../../../server/http/error-reply.js'
import { collectBody } from '../../../server/http/body.js'
import type { Exchange, ExchangeHost } from '../../../server/http/exchange.js'
import { inProcess } from '../../../server/http/in-process.js'

const host: ExchangeHost = {
  draining: false,
  held: 0,
  idle() {},
  over() {},
  fault: (exchange) => exchange.reply('500 Internal Server Error', 'text/plain', 'fault'),
  failed() {},
}

function asking(handle: (exchange: Exchange) => void) {
  const ask = inProcess(host, handle)
  return (more: object = {}) =>
    ask({ method: 'POST', path: '/x?a=1', headers: { 'x-y': 'z' }, address: '192.0.2.7', ...more })
}

test('a request has its method, path, query, headers, body and address', async () => {
  const ask = asking((exchange) => {
    const said = [exchange.method, exchange.path, exchange.query(), exchange.header('x-y'), exchange.address()]
    void collectBody(exchange, 1_000).then((bytes) =>
      exchange.reply('201 Created', 'text/plain', `${said.join(' ')} ${Buffer.from(bytes).toString()}`),
    )
  })
  const answer = await ask({ body: 'böse' })
  assert.equal(answer.status, 201)
  assert.equal(await answer.text(), 'post /x a=1 z 192.0.2.7 böse')
  assert.equal(host.held, 0)
})

test('a refusal, an exception and a streamed answer arrive whole', async () => {
  const refused = await asking((exchange) => replyRefusal(exchange, new Refusal('job_not_found', 'job not found')))()
  assert.deepEqual([refused.status, await refused.json()], [404, { error: 'job not found' }])
  const thrown = await asking(() => {
    throw new Error('bug')
  })()
  assert.equal(thrown.status, 500)
  const streamed = await asking((exchange) => {
    exchange.hold()
    exchange.beginStream('200 OK', 'text/plain')
    setImmediate(() => {
      exchange.write('one ')
      exchange.write('two')
      exchange.endStream()
    })
  })()
  assert.equal(await streamed.text(), 'one two')
})

test('what is not known is 503 where the newest may be missing; what is wrong stays wrong', async () => {
  const lacking = (code: RefusalCode) =>
    asking((exchange) => {
      exchange.mayLackNewest = true
      replyRefusal(exchange, new Refusal(code, 'no'))
    })()
  for (const code of ['event_not_found', 'job_not_found', 'unauthorized', 'forbidden'] as const) {
    const answer = await lacking(code)
    assert.equal(answer.status, 503, code)
    assert.equal(answer.headers.get('retry-after'), '1')
    assert.match(((await answer.json()) as { error: string }).error, /^no; this node .* try again$/)
  }
  for (const code of ['invalid_body', 'origin_refused', 'rate_limited'] as const)
    assert.equal((await lacking(code)).status, statusOf[code])
})

test('a large answer arrives whole', async () => {
  const answer = await asking((exchange) => exchange.reply('200 OK', 'text/plain', 'x'.repeat(1_000_000)))()
  assert.equal((await answer.text()).length, 1_000_000)
})

test('an aborted request is told to its handler, and ends it', async () => {
  const controller = new AbortController()
  let isGone = false
  const answer = asking((exchange) => {
    exchange.hold(() => (isGone = true))
    setImmediate(() => controller.abort(new Error('enough')))
  })({ signal: controller.signal })
  await assert.rejects(answer, /enough/)
  assert.equal(isGone, true)
  assert.equal(host.held, 0)
})
