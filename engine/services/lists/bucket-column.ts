/** The buckets of the events in the columns: a place for each, and an event that stands for it. */
import { decodeBucketHead } from '../../store/bucket-row.js'
import type { BucketTable } from '../../store/bucket-table.js'

export class BucketColumn {
  readonly #places = new Map<string, number>()
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

  placeOf(id: string, micros: number): number {
    let place = this.#places.get(id)
    if (place !== undefined) return place
    place = this.ids.push(id) - 1
    this.#places.set(id, place)
    this.times.push(micros)
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
