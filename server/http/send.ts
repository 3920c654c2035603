/**
 * Writes one whole answer to a native response, in one packet.
 *
 * Owns: the order of native calls, corking. Leaves out: whether an answer may still be sent (exchange.ts).
 *
 * A native response corks its writes only inside a callback. One callback with module variables serves all answers, so
 * that none has to make its own.
 */
import type { SocketData } from './library.js'
import type { HttpResponse } from './native.js'

export type Headers = readonly (readonly [name: string, value: string])[]

export const noHeaders: Headers = []

const OK = '200 OK'
/** As bytes, because a string is encoded at each use. */
const CONTENT_TYPE = Buffer.from('Content-Type', 'latin1')

const codes = new Map<string, number>()

/** The code of a status line: 404 for `404 Not Found`. Cached, because there are few. */
export function codeOf(status: string): number {
  let code = codes.get(status)
  if (code === undefined) codes.set(status, (code = Number(status.slice(0, 3))))
  return code
}

/** One whole answer. */
export interface Content {
  readonly status: string
  readonly type: string
  readonly body: string | Uint8Array
  readonly headers: Headers
}

/** One whole answer, and how it is sent. */
export interface Answer extends Content {
  /** Headers only. */
  readonly head: boolean
  /** End the connection. */
  readonly close: boolean
  /** The native handler still runs, and corks itself. */
  readonly corked: boolean
}

let target: HttpResponse | null = null
let content: Answer | null = null

/** Writes the status line and the headers. */
export function writeHead(res: HttpResponse, status: string, type: string, headers: Headers): void {
  // The native default is 200 OK.
  if (status !== OK) res.writeStatus(status)
  res.writeHeader(CONTENT_TYPE, type)
  for (let i = 0; i < headers.length; i++) res.writeHeader(headers[i]![0], headers[i]![1])
}

function write(): void {
  const res = target
  if (res === null || content === null) return
  const { status, type, body, headers, head, close } = content
  writeHead(res, status, type, headers)
  // With any argument, endWithoutBody would wait for a body that never comes. So it cannot close the connection.
  if (!head) res.end(body, close)
  else if (close) res.end(undefined, true)
  else res.writeHeader('Content-Length', String(Buffer.byteLength(body))).endWithoutBody()
}

/** Ends the response with this answer. The response must not be used afterwards. */
export function sendAnswer(res: HttpResponse, answer: Answer): void {
  target = res
  content = answer
  if (answer.corked) write()
  else res.cork(write)
  target = null
  content = null
}

/** Makes the connection a WebSocket; `header` reads a header of its request. */
export function upgradeTo(
  res: HttpResponse,
  data: SocketData,
  header: (name: string) => string,
  context: unknown,
): void {
  const [key, protocol, extensions] = ['key', 'protocol', 'extensions'].map((name) =>
    header(`sec-websocket-${name}`),
  ) as [string, string, string]
  res.cork(() => res.upgrade?.(data, key, protocol, extensions, context))
}
