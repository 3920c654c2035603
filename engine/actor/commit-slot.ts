/**
 * The slot through which a shard thread hands a turn's writes to its committing thread, to go on with the next turn.
 *
 * Owns: the memory that the two threads share, how they wait for each other, requests and answers. Leaves out: which
 * turns are handed over (shard.ts), when there is a committing thread (commits.ts).
 *
 * 1. There is one request at a time, of any shard: the next request waits for the answer to the one before.
 * 2. The two threads need nobody else, unless the committing thread dies. Then the main thread answers (`abandon`).
 *
 * | word     | meaning                                                                                   |
 * |----------|-------------------------------------------------------------------------------------------|
 * | 0        | 1 while a thread takes requests                                                           |
 * | 1        | counts requests and answers: odd while a request is unanswered                            |
 * | 2        | the last answer: 1 done, 2 not done                                                       |
 * | 3        | the request: 1 commit, 2 release the shard's memory map, 3 end                            |
 * | 4, 5     | shard, place of the turn                                                                  |
 * | 6, 7     | entries, bytes of the batch                                                               |
 * | 8 + n    | of shard n, the place of the last turn that was answered; negative: not committed         |
 */
import { assert } from '../assert.js'
import { limits } from '../limits.js'
import type { WriteBatch } from '../store/environment.js'
import { shardTables } from '../store/tables.js'
import type { RefusalExtra } from './reply.js'
import { CommitFailed, type CommitElsewhere } from './turn-store.js'

const WORD = 4
const [READY, STATE, ANSWER, KIND, SHARD, PLACE, ENTRIES, BYTES, PLACES] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const
const DONE = 1
const NOT_DONE = 2
const COMMIT = 1
const UNMAP = 2
const END = 3
const HEAD_WORDS = PLACES + limits.shardsMax
/** How long to wait for an answer: the committing thread may be gone, and the main thread too. */
const WAIT_MS = 120_000

/** What the committing thread is started with. */
export interface CommitTask {
  readonly dataDir: string
  readonly slot: SharedArrayBuffer
}

/** What the committing thread tells the main thread of each commit. */
export interface CommitReport {
  readonly shard: number
  readonly place: number
  /** Milliseconds that the commit took. */
  readonly flushMs?: number
  /** Why nothing was written. */
  readonly refusal?: RefusalExtra
}

/** A request to the committing thread. */
export interface CommitRequest {
  readonly shard: number
  readonly place: number
  /** Null: no commit, but the shard's memory map is to be released. */
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

  /**
   * Hands a batch over, once the request before is answered. Null where it does not fit, or no thread takes requests.
   */
  offer(shard: number, place: number, batch: WriteBatch): CommitElsewhere | null {
    this.wait()
    if (Atomics.load(this.#words, READY) !== 1 || batch.packedBytes > this.#bytes.length) return null
    batch.pack(this.#bytes.subarray(0, batch.packedBytes), shardTables)
    this.#words[PLACE] = place
    this.#words[ENTRIES] = batch.size
    this.#words[BYTES] = batch.packedBytes
    this.#request(COMMIT, shard)
    const settled = (): number => Atomics.load(this.#words, PLACES + shard)
    return {
      isOver: () => Math.abs(settled()) === place,
      settle: () => {
        if (Math.abs(settled()) !== place) this.wait()
        if (settled() !== place) throw new CommitFailed('the turn before was not committed')
      },
    }
  }

  /** Makes the committing thread, if there is one, release the memory map of a shard; false where it cannot now. */
  unmap(shard: number): boolean {
    this.wait()
    if (Atomics.load(this.#words, READY) !== 1) return true
    this.#request(UNMAP, shard)
    this.wait()
    return this.#words[ANSWER] === DONE
  }

  /** Waits until the last request is answered. @throws CommitFailed after two minutes without an answer. */
  wait(): void {
    const until = performance.now() + WAIT_MS
    for (;;) {
      const state = Atomics.load(this.#words, STATE)
      if (isFree(state)) return
      if (performance.now() > until) throw new CommitFailed('the commit of the turn before was not answered')
      Atomics.wait(this.#words, STATE, state, WAIT_MS)
    }
  }

  #request(kind: number, shard: number): void {
    this.#words[SHARD] = shard
    this.#words[KIND] = kind
    this.#moveOn()
  }

  #moveOn(): void {
    Atomics.add(this.#words, STATE, 1)
    Atomics.notify(this.#words, STATE)
  }

  /** Called by the committing thread: it takes requests from now on. */
  serve(): void {
    Atomics.store(this.#words, READY, 1)
  }

  /** A thread takes requests. */
  get isServed(): boolean {
    return Atomics.load(this.#words, READY) === 1
  }

  /** Waits for a request; null when the thread is to end. */
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

  /** Answers the request that was taken. */
  answer(isDone: boolean): void {
    if (this.#words[KIND] === COMMIT) {
      const place = this.#words[PLACE] as number
      Atomics.store(this.#words, PLACES + (this.#words[SHARD] as number), isDone ? place : -place)
    }
    this.#words[ANSWER] = isDone ? DONE : NOT_DONE
    this.#moveOn()
  }

  /** The committing thread has ended, or died: its unanswered request counts as not done. */
  abandon(): void {
    Atomics.store(this.#words, READY, 0)
    if (!isFree(Atomics.load(this.#words, STATE))) this.answer(false)
  }

  /** Makes the committing thread end. No request may be under way. */
  end(): void {
    assert(isFree(Atomics.load(this.#words, STATE)), 'the committing thread ends when no request is under way')
    this.#request(END, 0)
  }
}

function isFree(state: number): boolean {
  return state % 2 === 0
}
