/**
 * A whole request body, within a bound.
 *
 * Owns: collecting chunks, gzip, the byte order mark, the bound before and after unpacking. Leaves out: the bound over
 * all bodies (held-bytes.ts), JSON (validate.ts), lines (ndjson.ts).
 *
 * 1. A body of one chunk is copied only until its read has ended; a taker that keeps it copies it.
 * 2. At most the bound is held, compressed or not. Above it the refusal is `body_too_large`, and the rest is dropped.
 * 3. When the client disconnects, the collected chunks are released.
 * 4. A taker gets UTF-8, whichever charset the body is in, without a byte order mark, which .NET and PowerShell write
 *    (RFC 8259, 8.1). Only one that checks a signature takes the body as it was sent.
 * 5. At most `unpackedAtOnce` bodies are unpacked at a time. A waiting one holds its compressed bytes.
 */
import { gunzip } from 'node:zlib'
import { limits, mayBeOther, Refusal, toUtf8, UnknownCharset } from '../../engine/index.js'
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

/** The charset of a body that its taker wants as it was sent. */
export const asSent = null

/** The bytes without a leading UTF-8 byte order mark. */
export function withoutByteOrderMark<T extends Uint8Array>(bytes: T): T {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? (bytes.subarray(3) as T) : bytes
}

/** Without NUL behind the text: some programs end a text with one. UTF-16 may end with one byte of the kind. */
function withoutNuls(bytes: Uint8Array): Uint8Array {
  if (mayBeOther(bytes)) return bytes
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end--
  return bytes.subarray(0, end)
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
  readonly #charset: string | null
  /** Made with the second chunk: most bodies have one chunk. */
  #gathered: Gatherer | null = null
  /** The whole body, until its read has ended. */
  #whole: Uint8Array | null = null
  #over = false

  /** `charset`: as Exchange says, or `asSent`. `room` counts the bytes held while the body arrives. */
  constructor(bytesMax: number, taker: CollectedBody, charset: string | null, room: HeldBytes = heldBodies) {
    this.#bytesMax = bytesMax
    this.#taker = taker
    this.#charset = charset
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

  silent(): void {
    if (this.#over || this.#whole !== null) return
    const why = 'nothing more of it came for some seconds. A chunk extension is not read'
    this.#refuse(new Refusal('invalid_json', `the body in chunks has no end: ${why}`))
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
    else this.#give(bytes)
  }

  #give(given: Uint8Array): void {
    const charset = this.#charset
    if (charset === null) return this.#taker.collected(given)
    const bytes = given.at(-1) === 0 && charset === '' ? withoutNuls(given) : given
    if (charset === '' && !mayBeOther(bytes)) return this.#taker.collected(bytes)
    let text: Uint8Array
    try {
      text = toUtf8(bytes, charset)
    } catch (error) {
      if (!(error instanceof UnknownCharset)) throw error
      return this.#refuse(new Refusal('invalid_json', `${error.message}: send UTF-8`))
    }
    if (text.length > this.#bytesMax) this.#refuse(this.#tooLarge())
    else this.#taker.collected(text)
  }

  #inflate(bytes: Uint8Array): void {
    const { length } = bytes
    if (!this.#room.take(length)) return this.#refuse(noRoomForBodies())
    unpack(bytes.slice(), this.#bytesMax, (error, plain) => {
      this.#room.giveBack(length)
      if (error === null) this.#give(plain)
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

export interface BodyOptions {
  /** Default: as the exchange says, which must be readable then. */
  readonly charset?: string | null
  /** Counts the bytes that are held while the body arrives. */
  readonly room?: HeldBytes | undefined
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
  { charset = exchange.charset, room }: BodyOptions = {},
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
    exchange.onBody(new BodyCollector(bytesMax, taker, charset, room))
  })
}
