/**
 * HMAC-SHA-256 of short texts with one key (RFC 2104, FIPS 180-4), for a draw with every event that a gate would
 * settle.
 *
 * For a text of a few dozen bytes a call into OpenSSL costs several times as much as the hash itself. Here the key's
 * two blocks are hashed once, and a text of up to 55 bytes takes two more. Four ids of the service at once take a
 * quarter of the time of four in turn (hash-lanes.ts). Tests compare both with `node:crypto`.
 */
import { eventIdOf } from '../event/event-id.js'
import { hashLanesOfThread } from './hash-lanes.js'
import { sha256Rounds as rounds, sha256Start as start } from './sha256-constants.js'

const BLOCK = 64
const words = new Int32Array(64)

function rotate(x: number, bits: number): number {
  return (x >>> bits) | (x << (32 - bits))
}

/** Takes the block of `bytes` at `at` into the state. */
function compress(state: Int32Array, bytes: Uint8Array, at: number): void {
  for (let i = 0, from = at; i < 16; i++, from += 4)
    words[i] =
      ((bytes[from] as number) << 24) |
      ((bytes[from + 1] as number) << 16) |
      ((bytes[from + 2] as number) << 8) |
      (bytes[from + 3] as number)
  for (let i = 16; i < 64; i++) {
    const [w2, w15] = [words[i - 2] as number, words[i - 15] as number]
    const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3)
    const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10)
    words[i] = ((words[i - 16] as number) + s0 + (words[i - 7] as number) + s1) | 0
  }
  let a = state[0] as number
  let b = state[1] as number
  let c = state[2] as number
  let d = state[3] as number
  let e = state[4] as number
  let f = state[5] as number
  let g = state[6] as number
  let h = state[7] as number
  for (let i = 0; i < 64; i++) {
    const sum = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const one = (h + sum + ((e & f) ^ (~e & g)) + (rounds[i] as number) + (words[i] as number)) | 0
    const two = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + two) | 0
  }
  state[0] = (state[0] as number) + a
  state[1] = (state[1] as number) + b
  state[2] = (state[2] as number) + c
  state[3] = (state[3] as number) + d
  state[4] = (state[4] as number) + e
  state[5] = (state[5] as number) + f
  state[6] = (state[6] as number) + g
  state[7] = (state[7] as number) + h
}

export class KeyedHash {
  readonly #inner: Int32Array
  readonly #outer: Int32Array
  readonly #state = new Int32Array(8)
  #text = Buffer.alloc(4 * BLOCK)
  readonly #last = new Uint8Array(BLOCK)

  /** At most 64 bytes: longer keys would be hashed first. */
  constructor(key: Uint8Array) {
    if (key.length > BLOCK) throw new RangeError('a key has at most 64 bytes')
    this.#inner = keyState(key, 0x36)
    this.#outer = keyState(key, 0x5c)
    // The outer text is one block: the inner hash, the end mark, and the length of both blocks in bits.
    this.#last[32] = 0x80
    this.#last[62] = ((BLOCK + 32) * 8) >>> 8
  }

  /** The first 48 bits of the hash, as a number. */
  first48(text: string): number {
    this.#hash(text)
    return bits48(this.#state[0] as number, this.#state[1] as number)
  }

  /** 48 bits of the hash of the text that was hashed alone last, behind its first 64. */
  get next48(): number {
    return bits48(this.#state[2] as number, this.#state[3] as number)
  }

  #hash(text: string): void {
    const state = this.#state
    const bytes = Buffer.byteLength(text)
    const total = Math.ceil((bytes + 9) / BLOCK) * BLOCK
    if (total > this.#text.length) this.#text = Buffer.alloc(total)
    const buffer = this.#text
    buffer.write(text, 0, 'utf8')
    buffer.fill(0, bytes, total)
    buffer[bytes] = 0x80
    buffer.writeUInt32BE((BLOCK + bytes) * 8, total - 4)
    state.set(this.#inner)
    for (let at = 0; at < total; at += BLOCK) compress(state, buffer, at)
    const last = this.#last
    for (let i = 0; i < 8; i++) {
      const word = state[i] as number
      last[4 * i] = word >>> 24
      last[4 * i + 1] = word >>> 16
      last[4 * i + 2] = word >>> 8
      last[4 * i + 3] = word
    }
    state.set(this.#outer)
    compress(state, last, 0)
  }

  /**
   * For at most `lanes` times, the first 48 bits of the hashes of their event ids go to `first`, and 48 bits behind the
   * first 64 to `next`.
   */
  ofEventIds(times: readonly number[], first: Float64Array, next: Float64Array): void {
    const four = hashLanesOfThread()
    if (four === null) {
      for (const [lane, micros] of times.entries()) {
        first[lane] = this.first48(eventIdOf(micros))
        next[lane] = this.next48
      }
      return
    }
    for (let lane = 0; lane < times.length; lane++) four.putEventId(lane, times[lane] as number)
    four.hash(this.#inner, this.#outer)
    for (let lane = 0; lane < times.length; lane++) {
      first[lane] = bits48(four.word(0, lane), four.word(1, lane))
      next[lane] = bits48(four.word(2, lane), four.word(3, lane))
    }
  }
}

/** The first 48 bits of two words. */
function bits48(first: number, second: number): number {
  return (first >>> 0) * 2 ** 16 + (second >>> 16)
}

function keyState(key: Uint8Array, pad: number): Int32Array {
  const block = new Uint8Array(BLOCK).fill(pad)
  for (const [at, byte] of key.entries()) block[at] = byte ^ pad
  const state = Int32Array.from(start)
  compress(state, block, 0)
  return state
}
