/** A small client of WebSockets (RFC 6455): Node.js 20 has none. */
import { request, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Client } from '../client.js'

export interface OpenWebSocket {
  readonly texts: string[]
  /** Resolves when the texts pass the test. */
  until(holds: (texts: readonly string[]) => boolean): Promise<readonly string[]>
  /** Resolves with the code of the end. */
  readonly ended: Promise<number>
  readonly socket: Socket
}

const TEXT = 1
const CLOSE = 8
/** No measure of speed. */
const LIMIT_MS = 60_000

/** The payload of the first frame and the rest, or null while it is not whole. Frames of a service have no mask. */
function frameOf(bytes: Buffer): { opcode: number; payload: Buffer; rest: Buffer } | null {
  if (bytes.length < 2) return null
  const short = bytes[1]! & 0x7f
  const head = short === 127 ? 10 : short === 126 ? 4 : 2
  if (bytes.length < head) return null
  const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short
  if (bytes.length < head + length) return null
  return {
    opcode: bytes[0]! & 0x0f,
    payload: bytes.subarray(head, head + length),
    rest: bytes.subarray(head + length),
  }
}

function opened(socket: Socket, first: Buffer): OpenWebSocket {
  const texts: string[] = []
  let bytes = first
  const watchers = new Set<() => void>()
  let over: (code: number) => void
  const ended = new Promise<number>((resolve) => (over = resolve))
  const read = (): void => {
    for (let frame = frameOf(bytes); frame !== null; frame = frameOf(bytes)) {
      bytes = frame.rest
      if (frame.opcode === TEXT) texts.push(frame.payload.toString())
      if (frame.opcode === CLOSE) over(frame.payload.readUInt16BE(0))
    }
    for (const watcher of watchers) watcher()
  }
  socket.on('data', (piece: Buffer) => {
    bytes = Buffer.concat([bytes, piece])
    read()
  })
  socket.on('close', () => over(0))
  socket.on('error', () => {})
  read()
  return {
    texts,
    ended,
    socket,
    until: (holds) =>
      new Promise((done, failed) => {
        const timer = setTimeout(() => failed(new Error(`it did not come: ${texts.slice(-5).join()}`)), LIMIT_MS)
        const watcher = (): void => {
          if (!holds(texts)) return
          clearTimeout(timer)
          watchers.delete(watcher)
          done(texts)
        }
        watchers.add(watcher)
        watcher()
      }),
  }
}

/** A WebSocket, or the status and the body of a refusal. */
export function openWebSocket(
  client: Client,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<OpenWebSocket | { readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(`${client.baseUrl}${path}`, {
      agent: false,
      headers: {
        'x-service-api-key': client.key,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': Buffer.from('0123456789abcdef').toString('base64'),
        ...headers,
      },
    })
    asked.on('upgrade', (_response: IncomingMessage, socket: Socket, head: Buffer) => resolve(opened(socket, head)))
    asked.on('response', (response) => {
      let body = ''
      response.on('data', (piece: Buffer) => (body += piece.toString()))
      response.on('end', () => resolve({ status: response.statusCode!, body }))
    })
    asked.on('error', reject)
    asked.end()
  })
}
