/**
 * A request that an HTTP thread passes to the main thread: its answer, and its WebSocket, on the HTTP thread.
 *
 * Owns: the bytes of the body that are on their way, the state of the answer. Leaves out: who serves the request
 * (served-request.ts), the connection (http/exchange.ts).
 *
 * 1. What is on its way to the main thread is bounded: beyond that the connection is not read.
 * 2. A whole request stops its connection being read, as an operation does that takes its time. The main thread says
 *    where a client has to be watched.
 * 3. The end of a body is passed on when its read has ended (after-read.ts). The library cuts a connection where
 *    another request follows in the same read, and then nothing is served.
 */
import type { MessagePort } from 'node:worker_threads'
import type { BodySink } from '../http/body-sink.js'
import { afterRead, type AfterRead } from '../http/framing/after-read.js'
import type { Exchange } from '../http/exchange.js'
import type { HttpSocket, SocketUser } from '../http/native.js'
import type { Headers } from '../http/send.js'
import { copyOf, type FromThread, type ToThread } from './messages.js'

/** Bytes of a body on their way: above the first the connection is not read, below the second it is again. */
const ON_THE_WAY_MAX = 512 * 1024
const ON_THE_WAY_LOW = 128 * 1024
const SENT_SLOWLY = 0

type Answer = Extract<ToThread, { t: 'reply' | 'piece' }>

export class PassedRequests {
  readonly #port: MessagePort
  readonly #open = new Map<number, PassedRequest>()
  #ids = 0

  constructor(port: MessagePort) {
    this.#port = port
  }

  pass(exchange: Exchange): void {
    const id = ++this.#ids
    const request = new PassedRequest(exchange, {
      tell: (message, moved = []) => this.#port.postMessage({ ...message, id }, moved),
      over: () => this.#open.delete(id),
    })
    this.#open.set(id, request)
    request.begin()
  }

  /** A message about one of the requests. */
  take(message: Extract<ToThread, { id: number }>): void {
    this.#open.get(message.id)?.take(message)
  }
}

type WithoutId<T> = T extends { readonly id: number } ? Omit<T, 'id'> : never

interface Host {
  tell(message: WithoutId<FromThread>, moved?: ArrayBuffer[]): void
  over(): void
}

class PassedRequest implements BodySink, SocketUser, AfterRead {
  readonly #exchange: Exchange
  readonly #host: Host
  readonly #headers: ReadonlyMap<string, string>
  #onTheWay = 0
  /** The end of the body, until it is passed on. */
  #last: Uint8Array<ArrayBuffer> | null = null
  #isPaused = false
  #mainPaused = false
  #hasBegun = false
  #socket: HttpSocket | null = null
  /** Messages that wait while the client of the WebSocket does not read. */
  #unsent: (string | Uint8Array)[] = []
  #isSlow = false

  constructor(exchange: Exchange, host: Host) {
    this.#exchange = exchange
    this.#host = host
    this.#headers = exchange.headers(() => true)
  }

  begin(): void {
    const { method, path, mayUpgrade } = this.#exchange
    const headers = Object.fromEntries(this.#headers)
    const isChunked = 'transfer-encoding' in headers
    const hasBody = isChunked || (headers['content-length'] ?? '0') !== '0'
    // The main thread gets whole pieces, however they came.
    delete headers['transfer-encoding']
    const query = this.#exchange.query()
    const url = query === '' ? path : `${path}?${query}`
    const address = this.#exchange.address()
    // Only this thread leaves the body out of an answer to HEAD.
    const request = { method: method === 'head' ? 'get' : method, path: url, headers, address, mayUpgrade, hasBody }
    this.#host.tell({ t: 'open', ...request })
    if (hasBody) return this.#exchange.onBody(this)
    this.#exchange.hold(() => this.gone())
    if (!mayUpgrade) this.#exchange.stopReading()
  }

  chunk(bytes: Uint8Array, last: boolean): void {
    const copy = copyOf(bytes)
    if (last) {
      this.#last = copy
      return afterRead(this)
    }
    this.#data(copy, false)
    if (this.#onTheWay > ON_THE_WAY_MAX) this.#pause()
  }

  afterRead(): void {
    if (this.#last === null) return
    this.#data(this.#last, true)
    this.#exchange.stopReading()
  }

  #data(bytes: Uint8Array<ArrayBuffer>, last: boolean): void {
    this.#onTheWay += bytes.length
    this.#host.tell({ t: 'data', bytes, last }, [bytes.buffer])
  }

  gone(): void {
    this.#last = null
    this.#host.over()
    this.#host.tell({ t: 'gone' })
  }

  take(message: Extract<ToThread, { id: number }>): void {
    const exchange = this.#exchange
    switch (message.t) {
      case 'reply':
        this.#over()
        return exchange.pass({ ...parted(message), body: message.body })
      case 'piece':
        return this.#piece(message)
      case 'end':
        this.#over()
        return exchange.endStream()
      case 'pause':
        this.#mainPaused = true
        return this.#pause()
      case 'resume':
        this.#mainPaused = false
        return this.#readOn()
      case 'read':
        return exchange.readAgain()
      case 'cut':
        return exchange.cut()
      case 'taken':
        this.#onTheWay -= message.bytes
        return this.#readOn()
      case 'upgrade':
        return void exchange.upgrade(this, (name) => this.#headers.get(name) ?? '')
      case 'send':
        this.#unsent.push(message.message)
        return this.#send()
      case 'endSocket':
        return void this.#socket?.end(message.code, message.reason)
      case 'closeSocket':
        return void this.#socket?.close()
    }
  }

  /** What is left of the body is read and dropped. */
  #over(): void {
    this.#host.over()
    this.#last = null
    this.#mainPaused = false
    this.#onTheWay = 0
    this.#readOn()
  }

  #pause(): void {
    if (this.#last !== null) return this.#exchange.stopReading()
    if (this.#isPaused) return
    this.#isPaused = true
    this.#exchange.pause()
  }

  /** A connection that was not paused must not be resumed: the library would then miss what comes next. */
  #readOn(): void {
    if (!this.#isPaused || this.#mainPaused || this.#onTheWay > ON_THE_WAY_LOW) return
    this.#isPaused = false
    this.#exchange.resume()
  }

  #piece(answer: Answer): void {
    if (!this.#hasBegun) {
      this.#hasBegun = true
      const { status, type, headers } = parted(answer)
      this.#exchange.readAgain()
      this.#exchange.beginStream(status, type, headers)
      // That was the whole answer to HEAD.
      if (this.#exchange.method === 'head') return this.gone()
    }
    const flows = this.#exchange.write(answer.body)
    this.#host.tell({ t: 'sent', bytes: answer.body.length, flows })
  }

  opened(socket: HttpSocket): void {
    this.#socket = socket
    this.#host.tell({ t: 'opened' })
  }

  drained(): void {
    this.#isSlow = false
    this.#send()
  }

  closed(): void {
    this.#socket = null
    this.#host.over()
    this.#host.tell({ t: 'closed' })
  }

  #send(): void {
    let bytes = 0
    while (!this.#isSlow && this.#unsent.length > 0 && this.#socket !== null) {
      const next = this.#unsent.shift()!
      bytes += next.length
      this.#isSlow = this.#socket.send(next, false) === SENT_SLOWLY
    }
    if (bytes > 0) this.#host.tell({ t: 'sent', bytes, flows: !this.#isSlow })
  }
}

/** The content type has a place of its own. */
function parted({ status, headers }: Answer): { status: string; type: string; headers: Headers } {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  const others = headers.filter(([name]) => !['content-type', 'content-length'].includes(name.toLowerCase()))
  return { status, type, headers: others }
}
