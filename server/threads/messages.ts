/**
 * Messages between an HTTP thread and the main thread, beside the rings of the lane: requests that the main thread
 * serves itself, and what concerns a whole thread.
 *
 * `id` is the number of a request on its thread. Messages of one direction arrive in order.
 */
import type { AppDescriptor } from '../http/native.js'
import type { Headers } from '../http/send.js'
import type { TlsFiles } from '../http/tls.js'

/** What an HTTP thread is started with. */
export interface ThreadData {
  readonly name: string
  readonly keyHeader: string
  readonly emptyErrorMessage: boolean
  readonly tls: TlsFiles | undefined
  /** Threads that decide events. */
  readonly deciders: number
  /** The rate limit of callers; null: none. */
  readonly rate: { readonly perSecond: number; readonly burst: number } | null
  readonly connectionsMax: number
  /** False: all requests are passed to the main thread. */
  readonly servesEvents: boolean
  /** The shared state, and the rings of requests and answers. */
  readonly shared: SharedArrayBuffer
  readonly requests: SharedArrayBuffer
  readonly answers: SharedArrayBuffer
}

/** A request as its thread passes it on. */
export interface PassedRequest {
  readonly id: number
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly address: string
  readonly mayUpgrade: boolean
  readonly hasBody: boolean
}

/** Numbers of requests by route, since the last time they were told. */
export interface TrafficCounts {
  readonly method: string
  readonly path: string
  readonly statuses: readonly (readonly [number, number])[]
  readonly seconds: readonly number[]
  readonly secondsSum: number
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

export type FromThread =
  | { readonly t: 'ready' | 'renewed'; readonly descriptor: AppDescriptor }
  | { readonly t: 'failed'; readonly message: string }
  | ({ readonly t: 'open' } & PassedRequest)
  | { readonly t: 'data'; readonly id: number; readonly bytes: Uint8Array; readonly last: boolean }
  | { readonly t: 'gone' | 'opened' | 'closed'; readonly id: number }
  /** Of an answer in pieces, or of a WebSocket: so many bytes were sent; `flows`: the client reads. */
  | { readonly t: 'sent'; readonly id: number; readonly bytes: number; readonly flows: boolean }
  | { readonly t: 'traffic'; readonly counts: readonly TrafficCounts[] }
  | ({ readonly t: 'log' } & LogLine)
  | { readonly t: 'cut'; readonly caller: string }
  /** Connections are refused: so many are open. */
  | { readonly t: 'full'; readonly open: number }
  | { readonly t: 'large'; readonly body: Uint8Array }
  | { readonly t: 'drained'; readonly whole: boolean }

export type ToThread =
  | {
      readonly t: 'reply' | 'piece'
      readonly id: number
      readonly status: string
      readonly headers: Headers
      readonly body: string | Uint8Array
    }
  | { readonly t: 'end' | 'pause' | 'resume' | 'cut' | 'read' | 'upgrade' | 'closeSocket'; readonly id: number }
  | { readonly t: 'taken'; readonly id: number; readonly bytes: number }
  | { readonly t: 'send'; readonly id: number; readonly message: string | Uint8Array }
  | { readonly t: 'endSocket'; readonly id: number; readonly code: number; readonly reason: string }
  | { readonly t: 'traffic' | 'renew' | 'close' }
  | { readonly t: 'drain'; readonly limitMs: number }

/** A copy of bytes that a message may take along. */
export function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
