/**
 * Requests that HTTP threads pass on, as the main thread serves them. Each is a request and a response in the form of
 * the HTTP library. So all routes serve them as any other.
 *
 * Owns: what is on its way to the thread. Leaves out: the connection (passed-request.ts), routes (server.ts).
 *
 * 1. A large answer goes to its thread as a whole, and is counted and sent there.
 * 2. The bytes of pieces that the thread has not sent are bounded by their writers, which are told to wait.
 */
import type { MessagePort } from 'node:worker_threads'
import { Exchange, type ExchangeHost } from '../http/exchange.js'
import { InMemoryRequest } from '../http/in-process.js'
import type { HttpResponse, SocketData } from '../http/library.js'
import { nameText } from '../http/node-http/node-request.js'
import { addressBytes } from '../http/node-http/remote-address.js'
import { copyOf, type FromThread, type PassedRequest } from './messages.js'
import { ServedSocket, type Tell } from './served-socket.js'

/** Bytes that a thread has not sent yet, above which the writer waits. */
const UNSENT_MAX = 256 * 1024

type Told = Extract<FromThread, { id: number }>

export class ServedRequests {
  readonly #port: MessagePort
  readonly #host: ExchangeHost
  readonly #handle: (exchange: Exchange) => void
  readonly #open = new Map<number, ServedResponse>()

  constructor(port: MessagePort, host: ExchangeHost, handle: (exchange: Exchange) => void) {
    this.#port = port
    this.#host = host
    this.#handle = handle
  }

  /** A message about one of the requests. */
  take(message: Told): void {
    if (message.t === 'open') return this.#serve(message)
    this.#open.get(message.id)?.take(message)
  }

  #serve(request: PassedRequest): void {
    const { id } = request
    const tell: Tell = (message, moved = []) => this.#port.postMessage({ ...message, id }, moved)
    const response = new ServedResponse(request, tell, () => this.#open.delete(id))
    this.#open.set(id, response)
    const socketContext = request.mayUpgrade ? true : undefined
    const exchange = new Exchange(response, new InMemoryRequest(request), this.#host, '', socketContext)
    try {
      this.#handle(exchange)
    } catch (error) {
      this.#host.fault(exchange, error)
    }
    exchange.leave()
    response.watch()
  }
}

class ServedResponse implements HttpResponse {
  readonly #request: PassedRequest
  readonly #tell: Tell
  readonly #over: () => void
  #status = '200 OK'
  #headers: [string, string][] = []
  #isOver = false
  #hasPieces = false
  #isPaused = false
  #flows = true
  #unsent = 0
  #aborted: () => void = () => {}
  #onData: ((piece: ArrayBuffer, last: boolean) => void) | null = null
  #socket: ServedSocket | null = null

  constructor(request: PassedRequest, tell: Tell, over: () => void) {
    this.#request = request
    this.#tell = tell
    this.#over = over
  }

  take(message: Exclude<Told, { t: 'open' }>): void {
    switch (message.t) {
      case 'data':
        this.#tell({ t: 'taken', bytes: message.bytes.length })
        this.#onData?.(message.bytes.buffer as ArrayBuffer, message.last)
        if (message.last) this.#watchLater()
        return
      case 'gone':
        this.#end()
        return this.#aborted()
      case 'sent':
        if (this.#socket !== null) return this.#socket.sent(message.bytes, message.flows)
        this.#unsent -= message.bytes
        this.#flows = message.flows
        return
      case 'opened':
        return this.#socket?.opened()
      case 'closed':
        this.#end()
        return this.#socket?.closed()
    }
  }

  /** The handler has returned. */
  watch(): void {
    if (!this.#request.hasBody) this.#watch()
  }

  /** A client whose request goes on, and who may stop it, is watched. */
  #watch(): void {
    if (!this.#isOver && !this.#isPaused && this.#socket === null) this.#tell({ t: 'read' })
  }

  /** A whole body is served at the end of a round. */
  #watchLater(): void {
    setImmediate(() => setImmediate(() => this.#watch()))
  }

  writeStatus(status: string): this {
    this.#status = status
    return this
  }

  writeHeader(name: string | Uint8Array, value: string | Uint8Array): this {
    this.#headers.push([nameText(name), typeof value === 'string' ? value : Buffer.from(value).toString()])
    return this
  }

  write(piece: string | Uint8Array): boolean {
    if (this.#isOver) return true
    this.#hasPieces = true
    this.#unsent += piece.length
    this.#answer('piece', piece)
    this.#headers = []
    return this.#flows && this.#unsent <= UNSENT_MAX
  }

  end(body: string | Uint8Array = ''): this {
    if (this.#isOver) return this
    if (!this.#hasPieces) this.#answer('reply', body)
    else {
      if (body.length > 0) this.#answer('piece', body)
      this.#tell({ t: 'end' })
    }
    this.#end()
    return this
  }

  endWithoutBody(): this {
    return this.end()
  }

  tryEnd(bytes: Uint8Array): [ok: boolean, done: boolean] {
    this.end(bytes)
    return [true, true]
  }

  getWriteOffset(): number {
    return 0
  }

  onWritable(): this {
    return this
  }

  onAborted(handler: () => void): this {
    this.#aborted = handler
    return this
  }

  onData(handler: (piece: ArrayBuffer, last: boolean) => void): this {
    this.#onData = handler
    if (!this.#request.hasBody) setImmediate(() => handler(new ArrayBuffer(0), true))
    return this
  }

  cork(write: () => void): this {
    write()
    return this
  }

  pause(): void {
    this.#isPaused = true
    if (!this.#isOver && this.#request.hasBody) this.#tell({ t: 'pause' })
  }

  resume(): void {
    this.#isPaused = false
    if (!this.#isOver && this.#request.hasBody) this.#tell({ t: 'resume' })
  }

  close(): this {
    if (!this.#isOver) this.#tell({ t: 'cut' })
    return this
  }

  getRemoteAddress(): ArrayBuffer {
    return addressBytes(this.#request.address.replace('/64', '')).buffer
  }

  upgrade(data: SocketData): void {
    this.#socket = new ServedSocket(data, this.#tell)
    this.#tell({ t: 'upgrade' })
  }

  #answer(t: 'reply' | 'piece', body: string | Uint8Array): void {
    const copy = typeof body === 'string' ? body : copyOf(body)
    const moved = typeof copy === 'string' ? [] : [copy.buffer]
    this.#tell({ t, status: this.#status, headers: this.#headers, body: copy }, moved)
  }

  #end(): void {
    this.#isOver = true
    this.#over()
  }
}
