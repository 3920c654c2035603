/** The adapter as exchange.ts and listener.ts use it. The scenarios run with it by SERVICE_HTTP_LIBRARY=node. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, it, type TestContext } from 'node:test'
import { atRoundEnd } from '../../../../engine/index.js'
import type { Handler, HttpResponse, ListenSocket } from '../../../../server/http/library.js'
import { ArrivingBodies } from '../../../../server/http/node-http/connections.js'
import { nodeHttp } from '../../../../server/http/node-http/node-app.js'
import { NodeResponse } from '../../../../server/http/node-http/node-response.js'
import { afterwards } from '../../../support/afterwards.js'

async function appOf(test: TestContext, handler: Handler): Promise<{ port: number; socket: ListenSocket }> {
  const app = nodeHttp.plainApp().any('/*', handler)
  const socket = await new Promise<ListenSocket>((resolve, reject) =>
    app.listen('127.0.0.1', 0, 1, (listening) =>
      listening === false ? reject(new Error('port')) : resolve(listening),
    ),
  )
  afterwards(test, () => void app.close())
  return { port: nodeHttp.portOf(socket), socket }
}

async function clientOf(test: TestContext, port: number): Promise<{ socket: Socket; text(): string }> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  afterwards(test, () => void socket.destroy())
  await once(socket, 'connect')
  const pieces: Buffer[] = []
  socket.on('data', (piece: Buffer) => pieces.push(piece))
  socket.on('error', () => {})
  return { socket, text: () => Buffer.concat(pieces).toString('latin1') }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const post = (length: number): string => `POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`

describe('the adapter over node:http', () => {
  it('gives a body in pieces, the last one marked, and an empty one where there is no body', async (test) => {
    const seen: string[] = []
    const { port } = await appOf(test, (res) => {
      res.onData((piece, last) => {
        seen.push(`${Buffer.from(piece).toString()}${last ? '.' : ''}`)
        if (last) res.end('ok')
      })
    })
    const { socket, text } = await clientOf(test, port)
    socket.write(`${post(4)}ab`)
    await until(() => seen.length === 1)
    socket.write('cd')
    await until(() => text().endsWith('ok'))
    socket.write('GET /x HTTP/1.1\r\nHost: x\r\n\r\n')
    await until(() => text().split('HTTP/1.1 200 OK').length === 3)
    assert.deepEqual(seen, ['ab', 'cd.', '.'])
  })

  it('copies what is written: its memory may be reused at once', async (test) => {
    const { port } = await appOf(test, (res) => {
      const bytes = Buffer.from('first')
      res.write(bytes)
      bytes.write('later')
      res.end()
    })
    const { socket, text } = await clientOf(test, port)
    socket.write('GET /x HTTP/1.1\r\nHost: x\r\n\r\n')
    await until(() => text().endsWith('0\r\n\r\n'))
    assert.match(text(), /\r\n5\r\nfirst\r\n0\r\n/)
  })

  it('calls onAborted once when the client is gone, and after `close` at once', async (test) => {
    let aborts = 0
    let held: HttpResponse | null = null
    const { port } = await appOf(test, (res) => {
      held = res
      res.onAborted(() => aborts++)
    })
    const gone = await clientOf(test, port)
    gone.socket.write('GET /x HTTP/1.1\r\nHost: x\r\n\r\n')
    await until(() => held !== null)
    gone.socket.resetAndDestroy()
    await until(() => aborts === 1)
    held = null
    const cut = await clientOf(test, port)
    cut.socket.write('GET /x HTTP/1.1\r\nHost: x\r\n\r\n')
    await until(() => held !== null)
    ;(held as unknown as HttpResponse).close()
    assert.equal(aborts, 2)
    await once(cut.socket, 'end')
    assert.equal(aborts, 2)
  })

  it('takes a client that ended its side for gone, unless reading is paused: then it is answered', async (test) => {
    const results: string[] = []
    const paused: HttpResponse[] = []
    const { port } = await appOf(test, (res, req) => {
      res.onAborted(() => results.push('gone'))
      if (req.getUrl() !== '/paused') return
      res.pause()
      paused.push(res)
    })
    const plain = await clientOf(test, port)
    plain.socket.end('GET /x HTTP/1.1\r\nHost: x\r\n\r\n')
    await until(() => results.length === 1)
    const waiting = await clientOf(test, port)
    waiting.socket.end('GET /paused HTTP/1.1\r\nHost: x\r\n\r\n')
    await until(() => paused.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 50))
    paused[0]!.end('still there')
    await until(() => waiting.text().endsWith('still there'))
    assert.deepEqual(results, ['gone'])
  })

  it('gives the handler a whole body, and the time to pause, though the end of the client is known first', async () => {
    const socket = Object.assign(new PassThrough(), { destroy: () => results.push('closed') })
    const req = Object.assign(new PassThrough(), { socket, headers: {}, complete: true })
    const bodies = new ArrivingBodies()
    const results: string[] = []
    const res = new NodeResponse(req as never, new PassThrough() as never, bodies, () => {})
    res.onAborted(() => results.push('gone'))
    res.onData((_piece, last) => {
      results.push(last ? 'last' : 'piece')
      if (last) atRoundEnd(() => res.pause())
    })
    res.handled()
    socket.emit('end')
    req.emit('data', Buffer.from('body'))
    req.emit('end')
    await new Promise((resolve) => setTimeout(resolve, 5))
    assert.deepEqual(results, ['piece', 'last'])
    res.resume()
    assert.deepEqual(results, ['piece', 'last', 'gone', 'closed'])
    bodies.stop()
  })

  it('serves the requests of a connection one after the other, and none after one that closes it', async (test) => {
    const order: string[] = []
    const { port } = await appOf(test, (res, req) => {
      const path = req.getUrl()
      order.push(path)
      setTimeout(() => {
        order.push(`${path} done`)
        res.end(path, path === '/last')
      }, 10)
    })
    const { socket, text } = await clientOf(test, port)
    socket.write(['/a', '/last', '/b'].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))
    await once(socket, 'end')
    assert.deepEqual(order, ['/a', '/a done', '/last', '/last done'])
    assert.equal(text().split('HTTP/1.1 200 OK').length, 3)
  })

  it('hands over a large answer as the client reads it', async (test) => {
    const bytes = Buffer.alloc(32 * 1024 * 1024, 'x')
    const offsets: number[] = []
    const { port } = await appOf(test, (res) => {
      const [, done] = res.tryEnd(bytes, bytes.length)
      assert.equal(done, false)
      offsets.push(res.getWriteOffset())
      res.onWritable((offset) => {
        offsets.push(offset)
        return res.tryEnd(bytes.subarray(offset), bytes.length)[0]
      })
    })
    const { socket } = await clientOf(test, port)
    socket.pause()
    socket.write('GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await until(() => offsets.length > 0)
    assert.ok((offsets.at(-1) as number) < bytes.length)
    let read = 0
    socket.on('data', (piece: Buffer) => (read += piece.length))
    socket.resume()
    await once(socket, 'end')
    assert.ok(read > bytes.length)
  })

  it('stops listening and leaves open connections open', async (test) => {
    const { port, socket: listening } = await appOf(test, (res) => void res.end('ok'))
    const { socket, text } = await clientOf(test, port)
    socket.write('GET /x HTTP/1.1\r\nHost: x\r\n\r\n')
    await until(() => text().endsWith('ok'))
    nodeHttp.stopListening(listening)
    const refused = connect({ port, host: '127.0.0.1' })
    assert.equal(((await once(refused, 'error')) as [NodeJS.ErrnoException])[0].code, 'ECONNREFUSED')
    socket.write('GET /x HTTP/1.1\r\nHost: x\r\n\r\n')
    await until(() => text().split('HTTP/1.1 200 OK').length === 3)
  })

  it('closes a body that stops arriving, and no other', async (test) => {
    const bodies = new ArrivingBodies(50, 10)
    afterwards(test, () => bodies.stop())
    const closed: string[] = []
    const bodyOf = (name: string) => ({ close: () => closed.push(name) })
    const [slow, fast, whole] = [bodyOf('slow'), bodyOf('fast'), bodyOf('whole')]
    for (const body of [slow, fast, whole]) bodies.begin(body)
    bodies.end(whole)
    const feeding = setInterval(() => bodies.stays(fast), 1)
    await until(() => closed.includes('slow'))
    clearInterval(feeding)
    assert.ok(!closed.includes('whole'))
  })
})
