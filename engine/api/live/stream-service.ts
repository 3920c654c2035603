/** The contract of the stream: what happens in jobs, as it happens, and from any place of the past on. */
import type { Refusal } from '../../errors.js'
import type { JobSelection } from '../query-service.js'
import type { Principal } from '../principal.js'

/** What a stream tells of. */
export const streamTypes = ['decision', 'vote', 'training', 'cluster'] as const

export type StreamType = (typeof streamTypes)[number]

/** How messages are written: as server-sent events, or one JSON object per line. */
export type StreamForm = 'sse' | 'lines'

export interface StreamQuery extends JobSelection {
  /** Default: all. */
  readonly types?: readonly StreamType[]
  /** `[{field, operator, value}]` as the client sent it. They select decisions, clusters, and votes on events. */
  readonly filters?: unknown
  /** The id of the last message that the client has. Absent: from now on. */
  readonly after?: string
  readonly form: StreamForm
}

/** Who gets the messages of a stream. */
export interface StreamListener {
  /** Whole messages. False: the client has not read them yet, so there are no more until `ready`. */
  take(messages: Uint8Array): boolean
  /** Called now and then; `after` is the place of the stream. */
  beat(after: string): void
  /** The service ends the stream. */
  ended(reason: Refusal): void
}

export interface StreamSubscription {
  /** The client has read what it got. */
  ready(): void
  close(): void
}

export interface StreamsService {
  /**
   * Begins a stream; its first message says where it begins.
   * @throws Refusal job_not_found, invalid_body, invalid_cursor, query_too_large, streams_busy, draining.
   */
  open(principal: Principal, query: StreamQuery, listener: StreamListener): StreamSubscription
  /** Streams that are open now. */
  readonly listeners: number
}
