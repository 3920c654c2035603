/**
 * `fetch` for bodies of bytes, over node:http: the bytes go to the socket as they are. The one of Node.js copies them
 * three times. It has of an answer what reads one whole text.
 */
import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'

/** What is read of an answer. */
type Answer = Pick<Response, 'ok' | 'status' | 'headers' | 'text' | 'json'>

function answerOf(message: IncomingMessage, text: string): Answer {
  const status = message.statusCode ?? 0
  const headers = { get: (name: string) => [message.headers[name.toLowerCase()] ?? null].flat()[0] ?? null }
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: headers as Headers,
    text: async () => text,
    json: async () => JSON.parse(text),
  }
}

function wholeAnswer(request: ClientRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (message) => {
      const pieces: Buffer[] = []
      message.on('data', (piece: Buffer) => pieces.push(piece))
      message.on('error', reject)
      message.on('end', () => resolve(answerOf(message, Buffer.concat(pieces).toString())))
    })
  })
}

/** A `fetch` with connections of its own, so many at a time. */
export function bytesFetch(connections: number): typeof globalThis.fetch {
  const options = { keepAlive: true, maxSockets: connections }
  let agent: HttpAgent | undefined
  const send = async (address: string, init: RequestInit): Promise<Answer> => {
    const { method = 'GET', headers, body, signal } = init
    const isSecure = address.startsWith('https:')
    agent ??= isSecure ? new HttpsAgent(options) : new HttpAgent(options)
    const how = { method, agent, headers: headers as Record<string, string>, ...(signal ? { signal } : {}) }
    const request = (isSecure ? httpsRequest : httpRequest)(address, how)
    const answer = wholeAnswer(request)
    request.end(body as Uint8Array | string | undefined)
    return answer.catch((cause: unknown) => {
      throw new TypeError('the request failed', { cause })
    })
  }
  return send as unknown as typeof globalThis.fetch
}
