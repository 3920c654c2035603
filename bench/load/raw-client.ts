/**
 * One connection with one request at a time, as close to the wire as Node.js gets: for latencies of single requests.
 */
import { connect, type Socket } from 'node:net'
import { ResponseReader } from './response-reader.js'

export interface RawAnswer {
  readonly status: number
  readonly body: string
}

export class RawClient {
  readonly #socket: Socket
  #status = 0
  #pieces: Buffer[] = []
  #resolve: ((answer: RawAnswer) => void) | null = null
  #reject: ((error: Error) => void) | null = null

  constructor(port: number) {
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true })
    const reader = new ResponseReader({
      start: (status) => {
        this.#status = status
        this.#pieces = []
      },
      body: (piece) => this.#pieces.push(Buffer.from(piece)),
      end: () => this.#resolve?.({ status: this.#status, body: Buffer.concat(this.#pieces).toString('utf8') }),
    })
    this.#socket.on('data', (piece) => reader.feed(piece))
    this.#socket.on('error', (error) => this.#reject?.(error))
    this.#socket.on('close', () => this.#reject?.(new Error('the connection was closed')))
  }

  send(request: Buffer): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#reject = null
    this.#socket.destroy()
  }
}
