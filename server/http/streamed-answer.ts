/**
 * An answer that is sent in pieces.
 *
 * Owns: the order of native calls. Leaves out: whether an answer may still be sent (exchange.ts), the pieces.
 */
import type { HttpResponse } from './native.js'
import { codeOf, writeHead, type Headers } from './send.js'

export class StreamedAnswer {
  readonly code: number
  readonly #res: HttpResponse
  readonly #status: string

  constructor(res: HttpResponse, status: string) {
    this.#res = res
    this.#status = status
    this.code = codeOf(status)
  }

  /** Writes the head, which is sent with the first piece. `isHead`: it is the whole answer. */
  begin(type: string, headers: Headers, isHead: boolean): void {
    const res = this.#res
    res.cork(() => {
      writeHead(res, this.#status, type, headers)
      if (isHead) res.endWithoutBody()
    })
  }

  /** False if the client has not read all earlier pieces; the piece is kept anyway. */
  write(piece: string | Uint8Array): boolean {
    let flowing = true
    this.#res.cork(() => void (flowing = this.#res.write(piece)))
    return flowing
  }

  /**
   * To close the connection, the native `end` would write a header into the body. So the connection is not read any
   * more; it is idle, and soon closed.
   */
  end(close: boolean): void {
    if (close) this.#res.pause()
    this.#res.cork(() => void this.#res.end())
  }
}
