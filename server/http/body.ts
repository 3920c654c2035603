/**
 * A whole request body, within a bound.
 *
 * Owns: collection over chunks, gzip, the byte order mark, the bound on both sides of it. Leaves out: the bound over all bodies (held-bytes.ts),
 * JSON (validate.ts), lines (ndjson.ts).
 *
 * 1. A body that comes in one chunk is not copied; whoever keeps it copies it.
 * 2. No more than the bound is held, compressed or not; beyond it the refusal is `body_too_large`, the rest is dropped.
 * 3. A client that goes leaves nothing behind: the collected chunks go with the collector.
 * 4. A byte order mark, which .NET and PowerShell put before UTF-8, is no part of a body (RFC 8259, 8.1).
 * 5. So many compressed bodies are unpacked at once and no more: one that waits holds what it came as.
 */
import { gunzip } from 'node:zlib'
import { limits, Refusal } from '../../engine/index.js'
import type { BodySink } from './body-sink.js'
import type { Exchange } from './exchange.js'
import { Gatherer } from './gatherer.js'
import { heldBodies, type HeldBytes } from './held-bytes.js'

/** Takes a collected body. */
export interface CollectedBody {
  /** The bytes are valid during the call only. */
  collected(bytes: Uint8Array): void
  /** There is no body: over the bound, broken gzip, or no room for it. */
  uncollected(refusal: Refusal): void
  /** The client went away, before its body was whole or before it was answered. */
  gone?(): void
}

/** The first byte of gzip, which begins no JSON text: the header need not be read, or be right. */
const GZIP_FIRST = 0x1f

/** True for bytes that begin gzip; enough to tell it from JSON by one byte. */
export function isGzipStart(bytes: Uint8Array): boolean {
  return bytes[0] === GZIP_FIRST
}

/** The bytes without the UTF-8 byte order mark that they may begin with. */
export function withoutMark<T extends Uint8Array>(bytes: T): T {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? (bytes.subarray(3) as T) : bytes
}

/** How many are unpacked now, and what begins the others, in order. */
let unpacking = 0
const waiting: (() => void)[] = []

/** Calls back with the bytes, valid during the call only, or with why there are none. */
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

/** Why there is no room for a body of which a part has come. */
export function noRoomForBodies(): Refusal {
  return new Refusal('bodies_busy', 'too many large bodies are on their way')
}

/** Collects one body and gives it to its taker. */
export class BodyCollector implements BodySink {
  readonly #bytesMax: number
  readonly #taker: CollectedBody
  readonly #room: HeldBytes
  /** Made for the second chunk: most bodies have one. */
  #gathered: Gatherer | null = null
  #over = false

  /** `room` is what it is held in while it comes. */
  constructor(bytesMax: number, taker: CollectedBody, room: HeldBytes = heldBodies) {
    this.#bytesMax = bytesMax
    this.#taker = taker
    this.#room = room
  }

  chunk(bytes: Uint8Array, last: boolean): void {
    if (this.#over) return
    if ((this.#gathered?.length ?? 0) + bytes.length > this.#bytesMax) return this.#refuse(this.#tooLarge())
    if (last && this.#gathered === null) return this.#finish(bytes)
    const gathered = (this.#gathered ??= new Gatherer(this.#room))
    if (!gathered.add(bytes)) return this.#refuse(noRoomForBodies())
    if (last) this.#finish(gathered.take())
  }

  gone(): void {
    this.#over = true
    this.#gathered?.clear()
    this.#taker.gone?.()
  }

  #finish(bytes: Uint8Array): void {
    this.#over = true
    if (isGzipStart(bytes)) this.#inflate(bytes)
    else this.#taker.collected(withoutMark(bytes))
  }

  #inflate(bytes: Uint8Array): void {
    const { length } = bytes
    if (!this.#room.take(length)) return this.#refuse(noRoomForBodies())
    unpack(bytes.slice(), this.#bytesMax, (error, plain) => {
      this.#room.giveBack(length)
      if (error === null) this.#taker.collected(withoutMark(plain))
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
 * The whole body, the caller's to keep; rejects with body_too_large, or bodies_busy. Never settles when the client goes first; `gone` is
 * told when it goes, then or before it was answered.
 */
export function collectBody(
  exchange: Exchange,
  bytesMax: number,
  gone?: () => void,
  room?: HeldBytes,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const taker: CollectedBody = {
      collected: (bytes) => resolve(bytes.slice()),
      uncollected: reject,
      ...(gone === undefined ? {} : { gone }),
    }
    exchange.onBody(new BodyCollector(bytesMax, taker, room))
  })
}
