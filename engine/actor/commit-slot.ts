/**
 * Where a shard's thread lays what another thread is to commit, while it goes on with the next turn.
 *
 * Owns: the memory that the two share, and how they wait for each other. Leaves out: which turns are handed over (shard.ts), when there is
 * a thread that commits (commits.ts).
 *
 * 1. There is one request at a time, of any shard: who lays the next waits for the one before.
 * 2. Nobody but the two has to do anything for a request to be answered, unless the one that commits dies: then the main thread says so.
 *
 * | word     | meaning                                                                                   |
 * |----------|-------------------------------------------------------------------------------------------|
 * | 0        | 1 while a thread takes requests                                                           |
 * | 1        | counts requests and answers: odd from the one to the other                                |
 * | 2        | the answer to the last: 1 done, 2 not                                                     |
 * | 3        | what is asked for: 1 a commit, 2 to give back the shard's map, 3 to end                   |
 * | 4, 5     | shard, place of the turn                                                                  |
 * | 6, 7     | entries, bytes of the batch                                                               |
 * | 8 + n    | of shard n, the place of the last turn that was laid down and answered; negative: not done |
 */
import { assert } from '../assert.js'
import { limits } from '../limits.js'
import type { WriteBatch } from '../store/environment.js'
import { shardTables } from '../store/tables.js'
import type { CommitElsewhere } from './turn-store.js'

const WORD = 4
const [READY, STATE, ANSWER, KIND, SHARD, PLACE, ENTRIES, BYTES, PLACES] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const
const DONE = 1
const NOT_DONE = 2
const COMMIT = 1
const UNMAP = 2
const END = 3
const HEAD_WORDS = PLACES + limits.shardsMax
/** How long an answer is waited for: its thread may be gone, and nobody left to say so. */
const WAIT_MS = 120_000

/** The turn before is not committed: what was built on it is void. */
export class CommitFailed extends Error {}

/** What the committing thread is asked for. */
export interface CommitRequest {
  readonly shard: number
  readonly place: number
  /** null: no commit, but the shard's map is to be given back. */
  readonly batch: { readonly packed: Uint8Array; readonly entries: number } | null
}

export class CommitSlot {
  readonly memory: SharedArrayBuffer
  readonly #words: Int32Array
  readonly #bytes: Uint8Array

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(HEAD_WORDS * WORD + limits.handedOverBytesMax)
  }

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory
    this.#words = new Int32Array(memory, 0, HEAD_WORDS)
    this.#bytes = new Uint8Array(memory, HEAD_WORDS * WORD)
  }

  /** Lays a batch down to be committed, when the request before is answered; null where it has no room, or nobody would do it. */
  lay(shard: number, place: number, batch: WriteBatch): CommitElsewhere | null {
    this.wait()
    if (Atomics.load(this.#words, READY) !== 1 || batch.packedBytes > this.#bytes.length) return null
    batch.pack(this.#bytes.subarray(0, batch.packedBytes), shardTables)
    this.#words[PLACE] = place
    this.#words[ENTRIES] = batch.size
    this.#words[BYTES] = batch.packedBytes
    this.#ask(COMMIT, shard)
    const said = (): number => Atomics.load(this.#words, PLACES + shard)
    return {
      isOver: () => Math.abs(said()) === place,
      settle: () => {
        if (Math.abs(said()) !== place) this.wait()
        if (said() !== place) throw new CommitFailed('the turn before was not committed')
      },
    }
  }

  /** Has the other thread, where there is one, give the map of a shard back; false where it cannot now. */
  unmap(shard: number): boolean {
    this.wait()
    if (Atomics.load(this.#words, READY) !== 1) return true
    this.#ask(UNMAP, shard)
    this.wait()
    return this.#words[ANSWER] === DONE
  }

  /** Waits until the last request is answered. @throws CommitFailed where that does not happen. */
  wait(): void {
    const until = performance.now() + WAIT_MS
    for (;;) {
      const state = Atomics.load(this.#words, STATE)
      if (isFree(state)) return
      if (performance.now() > until) throw new CommitFailed('nobody says what became of the turn before')
      Atomics.wait(this.#words, STATE, state, WAIT_MS)
    }
  }

  #ask(kind: number, shard: number): void {
    this.#words[SHARD] = shard
    this.#words[KIND] = kind
    this.#moveOn()
  }

  #moveOn(): void {
    Atomics.add(this.#words, STATE, 1)
    Atomics.notify(this.#words, STATE)
  }

  /** For the committing thread: requests are taken from now on. */
  serve(): void {
    Atomics.store(this.#words, READY, 1)
  }

  /** Waits for a request; null when it is to end. */
  take(): CommitRequest | null {
    for (let state = Atomics.load(this.#words, STATE); isFree(state); state = Atomics.load(this.#words, STATE)) {
      Atomics.wait(this.#words, STATE, state)
    }
    const [kind, shard, place, entries, bytes] = [KIND, SHARD, PLACE, ENTRIES, BYTES].map((word) =>
      Atomics.load(this.#words, word),
    ) as [number, number, number, number, number]
    if (kind === END) return null
    return { shard, place, batch: kind === UNMAP ? null : { packed: this.#bytes.subarray(0, bytes), entries } }
  }

  /** Answers what was taken. */
  answer(isDone: boolean): void {
    if (this.#words[KIND] === COMMIT) {
      const place = this.#words[PLACE] as number
      Atomics.store(this.#words, PLACES + (this.#words[SHARD] as number), isDone ? place : -place)
    }
    this.#words[ANSWER] = isDone ? DONE : NOT_DONE
    this.#moveOn()
  }

  /** The committing thread is gone: what it has not answered is not done, as far as anybody knows. */
  abandon(): void {
    Atomics.store(this.#words, READY, 0)
    if (!isFree(Atomics.load(this.#words, STATE))) this.answer(false)
  }

  /** Makes the committing thread end. Nothing may be under way. */
  end(): void {
    assert(isFree(Atomics.load(this.#words, STATE)), 'it ends when nothing is under way')
    this.#ask(END, 0)
  }
}

function isFree(state: number): boolean {
  return state % 2 === 0
}
