/**
 * The index of a shard's buckets by their ids, for the thread that writes it.
 *
 * Owns: which buckets `bucket_ids` lacks, and when they are entered. Leaves out: lookups of readers
 * (store/bucket-table.ts), the filter of ids that it may have (indexed-ids.ts).
 *
 * 1. A new bucket is entered in a row of `bucket_tail`, one for each turn and job.
 * 2. `bucket_ids` is written in rounds of many new buckets, a part with each turn, in the order of keys, so that many
 *    entries share a page. When a round is over, the rows of `bucket_tail` that it has read are deleted.
 * 3. Buckets are remembered until the turn that entered them is committed, so lookups need committed entries only.
 */
import { must } from '../../assert.js'
import { BUCKET_ID_BYTES } from '../../domain/event/bucket-key.js'
import type { Environment } from '../../store/environment.js'
import {
  decodeBucketNumber,
  encodeBucketNumber,
  encodeTail,
  visitTail,
  type TailEntry,
} from '../../store/bucket-table.js'
import { bucketKey, bucketNumberOf, countKey, jobOfKey } from '../../store/tables.js'
import type { TurnStore } from '../turn-store.js'
import { IdTable, NO_NUMBER } from './id-table.js'
import { IndexedIds } from './indexed-ids.js'

const nothing = new Uint8Array(0)
/** Entries that the filter reads for each bucket that a turn has made. */
const READ_PER_BUCKET = 8
/** The id that is being entered. */
const entering = Buffer.alloc(BUCKET_ID_BYTES)

/**
 * Keys of rows of `bucket_tail`, as numbers. A key as bytes is a piece of a block that Node.js shares among buffers,
 * and keeps the whole block in memory.
 */
class TailKeys {
  readonly #numbers: number[] = []

  add(jobId: number, number: number): void {
    this.#numbers.push(jobId, number)
  }

  *[Symbol.iterator](): Generator<Buffer, void, undefined> {
    for (let i = 0; i < this.#numbers.length; i += 2)
      yield countKey(this.#numbers[i] as number, this.#numbers[i + 1] as number)
  }
}

/** Numbers of buckets by id, by job. */
type Numbers = Map<number, IdTable>

/** Buckets of a job in the order of their ids, as places in the table of their numbers. */
interface Listed {
  readonly jobId: number
  readonly numbers: IdTable
  readonly places: Int32Array
}

export class BucketIndex {
  readonly #bucketsMax: number
  /** Buckets that were made since this round began, and the rows of the tail that have them. */
  #gathered: Numbers = new Map()
  #tails = new TailKeys()
  /** Those that this round enters, from `#at` on. */
  #entered: Numbers = new Map()
  #enteredTails = new TailKeys()
  #round: Listed[] = []
  /** Buckets in the round, of all jobs; those that were entered. */
  #size = 0
  #at = 0
  /** Those of the round before, until its last turn is committed. */
  #before: Numbers = new Map()
  #count = 0
  #ofTurn = 0
  readonly #indexed = new IndexedIds()

  /** A round takes `bucketsMax` new buckets. */
  constructor(bucketsMax: number) {
    this.#bucketsMax = bucketsMax
  }

  /** The number of the bucket with this id, or null. Its row may be gone. */
  numberOf(store: TurnStore, jobId: number, id: Uint8Array): number | null {
    const known = Math.max(numberIn(this.#gathered, jobId, id), numberIn(this.#entered, jobId, id))
    if (known !== NO_NUMBER) return known
    const before = numberIn(this.#before, jobId, id)
    if (before !== NO_NUMBER) return before
    if (!this.#indexed.mayHave(jobId, id)) return null
    const listed = store.committed('bucket_ids', bucketKey(jobId, id))
    return listed === undefined ? null : decodeBucketNumber(listed)
  }

  /** These buckets are new. */
  add(store: TurnStore, jobId: number, entries: readonly TailEntry[]): void {
    const [first] = entries
    if (first === undefined) return
    store.put('bucket_tail', countKey(jobId, first.number), encodeTail(entries))
    this.#tails.add(jobId, first.number)
    const numbers = numbersOf(this.#gathered, jobId)
    for (const { id, number } of entries) numbers.set(id, number)
    this.#ofTurn += entries.length
  }

  /** The bucket is gone. */
  remove(store: TurnStore, jobId: number, id: Uint8Array): void {
    for (const numbers of [this.#gathered, this.#entered, this.#before]) numbers.get(jobId)?.delete(id)
    store.delete('bucket_ids', bucketKey(jobId, id))
  }

  /** The job was deleted. */
  forgetJob(jobId: number): void {
    for (const numbers of [this.#gathered, this.#entered, this.#before]) numbers.delete(jobId)
  }

  /** Reads from committed state which buckets `bucket_ids` may lack. Nothing else is remembered. */
  load(environment: Pick<Environment, 'range' | 'read'>): void {
    this.#gathered = new Map()
    this.#entered = new Map()
    this.#before = new Map()
    this.#round = []
    this.#tails = new TailKeys()
    this.#enteredTails = new TailKeys()
    this.#size = this.#at = this.#count = this.#ofTurn = 0
    this.#indexed.forget()
    for (const { key, value } of environment.range('bucket_tail', {})) {
      const jobId = jobOfKey(key)
      const numbers = numbersOf(this.#gathered, jobId)
      visitTail(value, (id, number) => {
        // One that is gone must not be entered: it may have come again under another number.
        if (environment.read('buckets', countKey(jobId, number), nothing) >= 0)
          numbers.set(Buffer.from(id, 'latin1'), number)
        this.#count++
      })
      this.#tails.add(jobId, bucketNumberOf(key))
    }
  }

  /** A turn ends, and the one before is committed: enters its share of the round. */
  write(store: TurnStore): void {
    if (this.#before.size > 0) this.#before = new Map()
    if (this.#ofTurn === 0) return
    this.#indexed.read(store, READ_PER_BUCKET * this.#ofTurn)
    const share = Math.ceil((this.#size * this.#ofTurn) / this.#bucketsMax)
    this.#enter(store, this.#at, Math.min(this.#size, this.#at + share))
    this.#count += this.#ofTurn
    this.#ofTurn = 0
    if (this.#at < this.#size) return
    if (this.#size > 0) this.#endRound(store)
    if (this.#count >= this.#bucketsMax) this.#beginRound()
  }

  /** Enters the buckets of the round from number `from` on. */
  #enter(store: TurnStore, from: number, end: number): void {
    let before = 0
    for (const { jobId, numbers, places } of this.#round) {
      const isForgotten = this.#entered.get(jobId) !== numbers
      for (let i = Math.max(0, from - before); i < Math.min(places.length, end - before); i++) {
        const place = places[i] as number
        const number = numbers.numberAt(place)
        // Removed since the round began, or removed and made again.
        if (isForgotten || number === NO_NUMBER) continue
        numbers.copyId(place, entering)
        if (this.#gathered.get(jobId)?.has(entering) === true) continue
        store.put('bucket_ids', bucketKey(jobId, entering), encodeBucketNumber(number))
        this.#indexed.add(jobId, entering)
      }
      before += places.length
    }
    this.#at = end
  }

  #endRound(store: TurnStore): void {
    for (const key of this.#enteredTails) store.delete('bucket_tail', key)
    this.#before = this.#entered
    this.#entered = new Map()
    this.#enteredTails = new TailKeys()
    this.#round = []
    this.#size = this.#at = 0
  }

  #beginRound(): void {
    const round: Listed[] = []
    for (const jobId of [...this.#gathered.keys()].sort((a, b) => a - b)) {
      const numbers = must(this.#gathered.get(jobId), 'the new buckets of job', jobId)
      const places = numbers.sortedPlaces()
      this.#size += places.length
      round.push({ jobId, numbers, places })
    }
    this.#round = round
    this.#entered = this.#gathered
    this.#enteredTails = this.#tails
    this.#gathered = new Map()
    this.#tails = new TailKeys()
    this.#count = 0
  }
}

function numberIn(all: Numbers, jobId: number, id: Uint8Array): number {
  return all.get(jobId)?.get(id) ?? NO_NUMBER
}

function numbersOf(all: Numbers, jobId: number): IdTable {
  let numbers = all.get(jobId)
  if (numbers === undefined) all.set(jobId, (numbers = new IdTable()))
  return numbers
}
