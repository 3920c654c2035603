/**
 * The buckets of the events in the columns: a place for each, and an event that stands for it.
 *
 * 1. A place is found by the bytes of an id, without a text for each event.
 */
import { BUCKET_ID_BYTES, bucketIdText } from '../../domain/event/bucket-key.js'
import { ByteTable, CROWDED, hashBytes, viewOfBytes } from '../../domain/event/byte-table.js'
import { decodeBucketHead } from '../../store/bucket-row.js'
import type { BucketTable } from '../../store/bucket-table.js'

export class BucketColumn {
  readonly #pieces = new ByteTable()
  /** By piece. */
  readonly #places: number[] = []
  /** Those that the table has no room for. */
  readonly #crowded = new Map<string, number>()
  /** The id that is looked for. */
  readonly #id = new Uint8Array(BUCKET_ID_BYTES)
  readonly #view = viewOfBytes(this.#id)
  /** By place: the id (one character for each byte), and the time of one of its events. */
  readonly ids: string[] = []
  readonly times: number[] = []
  /** By place: 1 if the bucket is of the present decision points, 0 if of others, -1 if it is not known yet. */
  readonly #current: number[] = []
  #fingerprint = 0

  get length(): number {
    return this.ids.length
  }

  /** The decision points have changed. */
  setPoints(fingerprint: number): void {
    this.#fingerprint = fingerprint
    this.#current.length = 0
  }

  /** The place of the bucket whose id begins at `at`. */
  placeOf(bytes: Uint8Array, at: number, micros: number): number {
    for (let i = 0; i < BUCKET_ID_BYTES; i++) this.#id[i] = bytes[at + i] as number
    const hash = hashBytes(this.#view, 0, BUCKET_ID_BYTES)
    const piece = this.#pieces.find(this.#view, 0, BUCKET_ID_BYTES, hash)
    if (piece >= 0) return this.#places[piece] as number
    const id = bucketIdText(this.#id)
    const known = this.#crowded.get(id)
    if (known !== undefined) return known
    const place = this.ids.push(id) - 1
    this.times.push(micros)
    if (piece === CROWDED) this.#crowded.set(id, place)
    else this.#places[this.#pieces.add(this.#view, 0, BUCKET_ID_BYTES, hash)] = place
    return place
  }

  /** True if all events of the bucket have the same values at the job's present decision points. */
  isCurrent(table: BucketTable, place: number): boolean {
    const known = this.#current[place]
    if (known !== undefined && known >= 0) return known === 1
    const row = table.row(Buffer.from(this.ids[place] as string, 'latin1'))
    const isCurrent = row !== undefined && decodeBucketHead(row).fingerprint === this.#fingerprint
    for (let at = this.#current.length; at < place; at++) this.#current[at] = -1
    this.#current[place] = isCurrent ? 1 : 0
    return isCurrent
  }
}
