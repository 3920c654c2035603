/** Counterparts of integrations: small real servers that remember what they receive, and fail on demand. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** The answer to one request. */
export type Answering = (received: Received, response: ServerResponse) => void

/** An HTTP server on a free port of the loopback interface. */
export class HttpReceiver {
  readonly received: Received[] = []
  readonly #server: Server
  /** Its answer to a request; 200 and `{}` by default. */
  answer: Answering = (_, response) => void response.end('{}')

  private constructor() {
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = []
      request.on('data', (piece: Buffer) => pieces.push(piece))
      request.on('end', () => {
        const { method = '', url: path = '', headers } = request
        const received = { method, path, headers, body: Buffer.concat(pieces).toString('utf8') }
        this.received.push(received)
        this.answer(received, response)
      })
    })
  }

  static async open(port = 0): Promise<HttpReceiver> {
    const receiver = new HttpReceiver()
    receiver.#server.listen(port, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** The bodies so far, parsed. */
  bodies(): any[] {
    return this.received.map(({ body }) => JSON.parse(body))
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

/** Answers with a status. */
export function status(code: number, headers: Readonly<Record<string, string>> = {}, body = ''): Answering {
  return (_, response) => void response.writeHead(code, { ...headers }).end(body)
}

/** The field of a document of a double that holds further fields as JSON text, for what JSON.stringify cannot write. */
export const FURTHER = '@further'

/** A JSON text in which each such field is replaced by what it holds. */
export function withFurther(json: string): string {
  return json.replace(/"@further":("(?:[^"\\]|\\.)*")/g, (_, text: string) => JSON.parse(text) as string)
}
