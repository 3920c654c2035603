/**
 * The frames in which parcels travel: a message of NATS has a largest size, so a parcel comes in parts.
 *
 * | 0 part u32 | 4 parts u32 | 8 oldest u32 | 12 bytes of the part |
 *
 * 1. No parts at all: in a request it asks what has become of the parcel; in an answer it says that nobody has it.
 * 2. `oldest`: the sender waits for no parcel with a lower number.
 */

/** Of a frame's head. */
export const HEAD_BYTES = 12
/** Of subject and headers of a message. */
const OVERHEAD_BYTES = 1_024

export interface Frame {
  readonly part: number
  readonly parts: number
  readonly oldest: number
  readonly bytes: Buffer
}

/** Null where it is none. */
export function decodeFrame(data: Uint8Array): Frame | null {
  if (data.length < HEAD_BYTES) return null
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length)
  const [part, parts, oldest] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)]
  return { part, parts, oldest, bytes: bytes.subarray(HEAD_BYTES) }
}

function frameOf(part: number, parts: number, oldest: number, bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(part, 0)
  head.writeUInt32LE(parts, 4)
  head.writeUInt32LE(oldest, 8)
  return Buffer.concat([head, bytes])
}

/** A parcel as frames, where a message may have so many bytes. */
export function framesOf(bytes: Uint8Array, oldest: number, payloadMax = 1024 ** 2): Buffer[] {
  const most = payloadMax - OVERHEAD_BYTES
  const parts = Math.max(1, Math.ceil(bytes.length / most))
  return Array.from({ length: parts }, (_, part) =>
    frameOf(part, parts, oldest, bytes.subarray(part * most, (part + 1) * most)),
  )
}

/** The frame without parts. */
export function emptyFrame(oldest = 0): Buffer {
  return frameOf(0, 0, oldest, Buffer.alloc(0))
}

/** Parts of one parcel that have come. They may come again. */
export class Parts {
  readonly sinceMs = performance.now()
  readonly #came: (Uint8Array | undefined)[] = []
  #count = 0

  /** The whole, where all parts are there now. */
  add({ part, parts, bytes }: Frame): Buffer | null {
    if (part >= parts) return null
    if (this.#came[part] === undefined) this.#count++
    this.#came[part] = Buffer.from(bytes)
    return this.#count === parts ? Buffer.concat(this.#came as Uint8Array[]) : null
  }
}
