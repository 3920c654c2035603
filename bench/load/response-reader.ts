/**
 * Reads HTTP/1.1 responses from a raw socket: just enough of the protocol for a load generator, and cheap.
 *
 * Reads bodies by Content-Length or in chunks, and nothing else: no responses that end with the connection, no trailers
 * with a meaning. Pieces may be cut anywhere.
 */

/** Gets each response: its start, pieces of its body, its end. */
export interface ResponseListener {
  start(status: number): void
  /** A view of the socket's buffer: use it before returning. */
  body(piece: Buffer): void
  end(): void
}

type State = 'head' | 'fixed' | 'chunk_size' | 'chunk_data' | 'chunk_end' | 'trailer'

const headMax = 65_536

export class ResponseReader {
  readonly #listener: ResponseListener
  #state: State = 'head'
  /** Bytes of the body, or of the chunk, that are still to come. */
  #left = 0
  /** A head or line that the end of a piece has cut. */
  #rest: Buffer | null = null

  constructor(listener: ResponseListener) {
    this.#listener = listener
  }

  /** @throws Error if the bytes are not HTTP responses. */
  feed(piece: Buffer): void {
    const data = this.#rest === null ? piece : Buffer.concat([this.#rest, piece])
    this.#rest = null
    let at = 0
    while (at < data.length) {
      const inBody = this.#state === 'fixed' || this.#state === 'chunk_data'
      const next = inBody ? this.#readBody(data, at) : this.#readLine(data, at)
      if (next === at) {
        if (data.length - at > headMax) throw new Error('a head without end')
        this.#rest = Buffer.from(data.subarray(at))
        return
      }
      at = next
    }
  }

  #readBody(data: Buffer, at: number): number {
    const take = Math.min(this.#left, data.length - at)
    this.#listener.body(data.subarray(at, at + take))
    this.#left -= take
    if (this.#left === 0) {
      if (this.#state === 'fixed') this.#finish()
      else this.#state = 'chunk_end'
    }
    return at + take
  }

  /** Reads a head or a line of the chunked coding; returns `at` again if it is incomplete. */
  #readLine(data: Buffer, at: number): number {
    if (this.#state === 'head') return this.#readHead(data, at)
    const end = data.indexOf('\r\n', at, 'latin1')
    if (end < 0) return at
    const line = data.toString('latin1', at, end)
    if (this.#state === 'chunk_end') this.#state = 'chunk_size'
    else if (this.#state === 'trailer') {
      if (line === '') this.#finish()
    } else {
      this.#left = parseInt(line, 16)
      if (!(this.#left >= 0)) throw new Error(`no chunk size: ${line.slice(0, 40)}`)
      this.#state = this.#left === 0 ? 'trailer' : 'chunk_data'
    }
    return end + 2
  }

  #readHead(data: Buffer, at: number): number {
    const end = data.indexOf('\r\n\r\n', at, 'latin1')
    if (end < 0) return at
    const head = data.toString('latin1', at, end)
    const status = Number(head.slice(9, 12))
    if (!head.startsWith('HTTP/1.1 ') || !(status >= 100)) throw new Error(`no HTTP head: ${head.slice(0, 40)}`)
    const length = /^content-length: *(\d+)/im.exec(head)
    this.#listener.start(status)
    if (length !== null) {
      this.#left = Number(length[1])
      if (this.#left === 0) this.#finish()
      else this.#state = 'fixed'
    } else if (/^transfer-encoding: *chunked/im.test(head)) this.#state = 'chunk_size'
    else if (status === 204 || status === 304) this.#finish()
    else throw new Error('a response without a length')
    return end + 4
  }

  #finish(): void {
    this.#state = 'head'
    this.#listener.end()
  }
}
