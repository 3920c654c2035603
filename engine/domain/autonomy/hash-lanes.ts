/**
 * HMAC-SHA-256 of four event ids at once, in WebAssembly. There is one in each thread, for all keys.
 *
 * Owns: the memory, and the ids in it. Leaves out: the code (sha256-code.ts), keys and other texts (keyed-hash.ts).
 * That computes the same bits where this is not to be had.
 */
import { eventIdBytes, layEventId } from '../event/event-id.js'
import { wasmExports, wasmMemory } from '../wasm/wasm-instance.js'
import { compressFour, roundCount } from './sha256-code.js'
import { sha256Rounds } from './sha256-constants.js'

/** Texts that are hashed together. */
export const lanes = 4
const blockBytes = 64
const blockWords = 16
const hashWords = 8

/** Places in the memory, in words. */
const constantsAt = 0
const innerAt = constantsAt + roundCount
const outerAt = innerAt + hashWords
const textAt = outerAt + hashWords
/** The outer text of each lane: the inner hash, the end mark, and the length of both blocks in bits. */
const lastAt = textAt + roundCount * lanes
const hashAt = lastAt + roundCount * lanes

const addressOf = (word: number): number => 4 * word

interface Code {
  compress(start: number, words: number, constants: number, into: number): void
}

export class HashLanes {
  readonly #code: Code
  readonly #words: Int32Array

  /** @throws Error where this machine or this process runs no WebAssembly. */
  constructor() {
    const memory = wasmMemory({ initial: 1, maximum: 1 })
    this.#code = wasmExports([compressFour], memory) as Code
    this.#words = new Int32Array(memory.buffer)
    this.#words.set(sha256Rounds, constantsAt)
    // Behind an id there are zeros and the length of both blocks in bits; behind an inner hash the same.
    const idBits = 8 * (blockBytes + eventIdBytes)
    this.#words.fill(idBits, textAt + (blockWords - 1) * lanes, textAt + blockWords * lanes)
    const lengthBits = 8 * (blockBytes + 4 * hashWords)
    this.#words.fill(0x80 << 24, lastAt + hashWords * lanes, lastAt + (hashWords + 1) * lanes)
    this.#words.fill(lengthBits, lastAt + (blockWords - 1) * lanes, lastAt + blockWords * lanes)
  }

  /** Lays the id that the service makes of a time into a lane. */
  putEventId(lane: number, micros: number): void {
    const words = this.#words
    const at = textAt + lane
    layEventId(micros, words, at, lanes)
    words[at + 3 * lanes] = (words[at + 3 * lanes] as number) | (0x80 << 16)
  }

  /** Hashes what is in the lanes, with the states after the two blocks of a key. */
  hash(inner: Int32Array, outer: Int32Array): void {
    this.#words.set(inner, innerAt)
    this.#words.set(outer, outerAt)
    this.#code.compress(addressOf(innerAt), addressOf(textAt), addressOf(constantsAt), addressOf(lastAt))
    this.#code.compress(addressOf(outerAt), addressOf(lastAt), addressOf(constantsAt), addressOf(hashAt))
  }

  /** A word of the hash of a lane. */
  word(place: number, lane: number): number {
    return this.#words[hashAt + place * lanes + lane] as number
  }
}

/** undefined: not tried yet. */
let ofThread: HashLanes | null | undefined

/** The lanes of this thread; null where there is no WebAssembly. */
export function hashLanesOfThread(): HashLanes | null {
  if (ofThread !== undefined) return ofThread
  try {
    return (ofThread = new HashLanes())
  } catch {
    return (ofThread = null)
  }
}
