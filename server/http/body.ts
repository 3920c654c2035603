/**
 * A whole request body, within a bound.
 *
 * Owns: collecting chunks, gzip, the byte order mark, the bound before and after unpacking. Leaves out: the bound over
 * all bodies (held-bytes.ts), JSON (validate.ts), lines (ndjson.ts).
 *
 * 1. A body of one chunk is copied only until its read has ended; a taker that keeps it copies it.
 * 2. At most the bound is held, compressed or not. Above it the refusal is `body_too_large`, and the rest is dropped.
 * 3. When the client disconnects, the collected chunks are released.
 * 4. A byte order mark, which .NET and PowerShell write before UTF-8, is not part of the body (RFC 8259, 8.1).
 * 5. At most `unpackedAtOnce` bodies are unpacked at a time. A waiting one holds its compressed bytes.
 */
import { gunzip } from 'node:zlib'
import { limits, Refusal } from '../../engine/index.js'
import { afterRead, keepForRead, type AfterRead } from './framing/after-read.js'
import type { BodySink } from './body-sink.js'
import type { Exchange } from './exchange.js'
import { Gatherer } from './gatherer.js'
import { heldBodies, type HeldBytes } from './held-bytes.js'

/** Takes a collected body. */
export interface CollectedBody {
  /** The bytes are valid during the call only. */
  collected(bytes: Uint8Array): void
  /** There is no body: it is over the bound, it is invalid gzip, or there is no room for it. */
  uncollected(refusal: Refusal): void
  /** The client disconnected before its body was complete, or before it was answered. */
  gone?(): void
}

/** The first byte of gzip. No JSON text begins with it, so the Content-Encoding header is not needed. */
const GZIP_FIRST = 0x1f

/** True if the bytes begin gzip; one byte is enough to tell it from JSON. */
export function isGzipStart(bytes: Uint8Array): boolean {
  return bytes[0] === GZIP_FIRST
}

/** The bytes without a leading UTF-8 byte order mark. */
export function withoutByteOrderMark<T extends Uint8Array>(bytes: T): T {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? (bytes.subarray(3) as T) : bytes
}

/** Number of bodies being unpacked, and the starts of the waiting ones in order. */
let unpacking = 0
const waiting: (() => void)[] = []

/** Unpacks the bytes. `back` gets the result, valid during the call only, or the error. */
function unpack(bytes: Uint8Array, bytesMax: number, back: (error: Error | null, plain: Buffer) => void): void {
  if (unpacking >= limits.unpackedAtOnce) {
    waiting.push(() => unpack(bytes, bytesMax, back))
    return
  }
  unpacking++
  gunzip(bytes, { maxOutputLength: bytesMax }, (error, plain) => {
    unpacking--
    try {
      back(error, plain)
    } finally {
      waiting.shift()?.()
    }
  })
}

/** The refusal of a body that has partly arrived and finds no room. */
export function noRoomForBodies(): Refusal {
  return new Refusal('bodies_busy', 'too many large bodies are arriving at the same time')
}

/** Collects one body and gives it to its taker. */
export class BodyCollector implements BodySink, AfterRead {
  readonly #bytesMax: number
  readonly #taker: CollectedBody
  readonly #room: HeldBytes
  /** Made with the second chunk: most bodies have one chunk. */
  #gathered: Gatherer | null = null
  /** The whole body, until its read has ended. */
  #whole: Uint8Array | null = null
  #over = false

  /** `room` counts the bytes held while the body arrives. */
  constructor(bytesMax: number, taker: CollectedBody, room: HeldBytes = heldBodies) {
    this.#bytesMax = bytesMax
    this.#taker = taker
    this.#room = room
  }

  chunk(bytes: Uint8Array, last: boolean): void {
    if (this.#over) return
    if ((this.#gathered?.length ?? 0) + bytes.length > this.#bytesMax) return this.#refuse(this.#tooLarge())
    if (last && this.#gathered === null) return this.#wait(keepForRead(bytes), bytes)
    const gathered = (this.#gathered ??= new Gatherer(this.#room))
    if (!gathered.add(bytes)) return this.#refuse(noRoomForBodies())
    if (last) this.#wait(gathered.take(), bytes)
  }

  gone(): void {
    this.#over = true
    this.#gathered?.clear()
    this.#taker.gone?.()
  }

  /** The read has ended, and the client is still there. */
  afterRead(): void {
    const whole = this.#whole
    this.#whole = null
    if (!this.#over && whole !== null) this.#finish(whole)
  }

  #wait(whole: Uint8Array | null, bytes: Uint8Array): void {
    if (whole === null) return this.#finish(bytes)
    this.#whole = whole
    afterRead(this)
  }

  #finish(bytes: Uint8Array): void {
    this.#over = true
    if (isGzipStart(bytes)) this.#inflate(bytes)
    else this.#taker.collected(withoutByteOrderMark(bytes))
  }

  #inflate(bytes: Uint8Array): void {
    const { length } = bytes
    if (!this.#room.take(length)) return this.#refuse(noRoomForBodies())
    unpack(bytes.slice(), this.#bytesMax, (error, plain) => {
      this.#room.giveBack(length)
      if (error === null) this.#taker.collected(withoutByteOrderMark(plain))
      else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') this.#refuse(this.#tooLarge())
      else this.#taker.uncollected(new Refusal('invalid_json', 'the body is not valid gzip'))
    })
  }

  #tooLarge(): Refusal {
    return new Refusal('body_too_large', `the body is over the limit of ${this.#bytesMax} bytes`)
  }

  #refuse(refusal: Refusal): void {
    this.#over = true
    this.#gathered?.clear()
    this.#taker.uncollected(refusal)
  }
}

/**
 * The whole body, which the caller may keep. Rejects with body_too_large, bodies_busy, or invalid_json for invalid
 * gzip. Never settles if the client disconnects first. `gone` is called if it disconnects before it is answered;
 * without it the work goes on without its client.
 */
export function collectBody(
  exchange: Exchange,
  bytesMax: number,
  gone?: () => void,
  room?: HeldBytes,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const taker: CollectedBody = {
      collected: (bytes) => {
        if (gone === undefined) exchange.stopReading()
        resolve(bytes.slice())
      },
      uncollected: reject,
      ...(gone === undefined ? {} : { gone }),
    }
    exchange.onBody(new BodyCollector(bytesMax, taker, room))
  })
}
