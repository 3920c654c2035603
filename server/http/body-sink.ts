/** Takes a request's body. */
export interface BodySink {
  /** The chunk's memory is valid during the call only. After `last` nothing more comes. */
  chunk(bytes: Uint8Array, last: boolean): void
  /** The client went away; nothing more comes and no answer can leave. */
  gone(): void
  /** Nothing more of a body in chunks came for some seconds. Absent: its pauses may be long. */
  silent?(): void
}
