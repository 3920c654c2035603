/** Reading for streams as plain data: what the stream thread gets, and what it returns. */
import type { RefusedTask } from '../readers/task-frame.js'
import type { QueriedJob } from '../query/query-protocol.js'
import type { StreamForm, StreamType } from '../../api/live/stream-service.js'

/** Streams that ask for the same messages, and their places. */
export interface StreamTask {
  readonly dataDir: string
  /** SERVICE_NAME, then the neutral name. */
  readonly serviceNames: readonly string[]
  readonly jobs: readonly QueriedJob[]
  readonly types: readonly StreamType[]
  /** Checked (domain/query/filter.ts). */
  readonly filters: readonly unknown[]
  readonly form: StreamForm
  /** Texts of positions; '' for the end of what there is. */
  readonly positions: readonly string[]
  readonly nowMicros: number
}

/** The next messages from one position on. */
export interface StreamPiece {
  readonly messages: Uint8Array
  readonly next: string
  /** There may be more to read at once. */
  readonly more: boolean
}

export type StreamResult = { readonly pieces: readonly StreamPiece[]; readonly tookMs: number } | RefusedTask
