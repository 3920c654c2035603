/**
 * Work that waits until uWebSockets.js has parsed all bytes of one read.
 *
 * uWebSockets.js calls handlers while it parses. If another request follows in the same read before the first has its
 * answer, it closes the connection. A request that was served at once would then be stored without an answer. A
 * connection can neither be closed nor kept from parsing the rest from within the parser.
 */

import { atRoundEnd } from '../../../engine/index.js'

/** Memory for bytes that must outlive their read. */
const ARENA_BYTES = 1024 * 1024
/** At most so many bytes wait for the end of a read. */
const KEPT_BYTES_MAX = 32 * 1024 * 1024

export interface AfterRead {
  /** Called once, when the read has ended. The memory from `keepForRead` is valid during the call. */
  afterRead(): void
}

let queue: AfterRead[] = []
let running: AfterRead[] = []
let arena: ArrayBuffer | null = null
let inArena = 0
let kept = 0

/** Calls the work when the read has ended. */
export function afterRead(work: AfterRead): void {
  if (queue.push(work) === 1) atRoundEnd(run)
}

/** A copy of the bytes, valid until `afterRead` has returned; null if too many bytes wait already. */
export function keepForRead(bytes: Uint8Array): Uint8Array | null {
  const { length } = bytes
  if (kept + length > KEPT_BYTES_MAX) return null
  kept += length
  arena ??= new ArrayBuffer(ARENA_BYTES)
  if (inArena + length > ARENA_BYTES) return new Uint8Array(bytes)
  const copy = new Uint8Array(arena, inArena, length)
  copy.set(bytes)
  inArena += length
  return copy
}

function run(): void {
  const works = queue
  queue = running
  running = works
  for (let i = 0; i < works.length; i++) works[i]!.afterRead()
  works.length = 0
  inArena = 0
  kept = 0
}
