/**
 * Reads the own time of an event where most have it: as a text or a number in a field of the event itself.
 *
 * Owns: by shape of the event, the first field that may hold its time. Leaves out: every other place. Those are read
 * by a walk of the whole body (actor/event-times.ts), which gives the same time.
 */
import { BodyCursor } from './body-cursor.js'
import { TAG_FALSE, TAG_NULL, TAG_OBJECT, TAG_TEXT, TAG_TRUE, TAG_WORD } from './body-format.js'
import { isoTimeAt, timeOf } from './event-time.js'
import { Path } from './path.js'
import type { ShapeTree } from './shape-tree.js'
import type { Words } from './words.js'

/** Instead of the place of a field: the event has none of the fields, or one that is not so easily read. */
const [NO_FIELD, HARD_FIELD] = [-1, -2]

export class QuickTime extends BodyCursor {
  readonly #paths: readonly Path[]
  /** By shape of the event: the place of the field in it. */
  readonly #places: (number | undefined)[] = []
  /** Where the time of the latest walk stands. */
  #timeAt = 0
  #names: readonly string[] = []
  #place = 0
  #words!: Words
  /** When the event that is read arrived, microseconds. */
  arrivedMicros = 0
  /** What the latest walk has read: microseconds; null where the event has no time; NaN where this cannot tell. */
  micros: number | null = null

  /** `fields`: paths, in the order in which they are tried. */
  constructor(fields: Iterable<string>) {
    super()
    this.#paths = [...fields].map((field) => new Path(field))
  }

  /** The field that the latest time stands in. */
  get field(): string {
    return this.#names[this.#place] as string
  }

  /** The latest time as it was written. It is valid as long as the bytes. */
  get written(): string {
    this.at = this.#timeAt
    return String(this.scalar(this.bytes[this.at++] as number, this.#words))
  }

  /** @throws Error for an unknown shape or word. */
  walk(bytes: Buffer, shapes: ShapeTree, words: Words): void {
    this.micros = Number.NaN
    if (bytes[0] !== TAG_OBJECT) return
    this.bytes = bytes
    this.at = 1
    const shape = this.count()
    this.#names = shapes.names(shape)
    this.#place = this.#places[shape] ?? this.#placeIn(shape)
    if (this.#place === NO_FIELD) this.micros = null
    if (this.#place < 0) return
    for (let left = this.#place; left > 0; left--) this.skip(shapes)
    this.#timeAt = this.at
    this.#words = words
    this.micros = this.#timeHere() ?? Number.NaN
  }

  /** Null for a value that is no time. */
  #timeHere(): number | null {
    const tag = this.bytes[this.at++] as number
    const micros = this.#usualTime(tag)
    if (!Number.isNaN(micros)) return micros
    // Objects, arrays and numbers beyond those of JavaScript are not read here.
    const isOther = tag === TAG_NULL || tag === TAG_TRUE || tag === TAG_FALSE || (tag >= TAG_OBJECT && tag < TAG_WORD)
    return isOther ? null : timeOf(this.scalar(tag, this.#words), this.arrivedMicros)
  }

  /** The time of a text in the usual form, which takes a tenth of the time of others. Stays where it is. */
  #usualTime(tag: number): number {
    const start = this.at
    if (tag === TAG_TEXT) {
      const length = this.varint()
      const micros = isoTimeAt(this.bytes, this.at, this.at + length)
      this.at = start
      return micros
    }
    if (tag < TAG_WORD) return Number.NaN
    const word = this.#words.bytes(((tag - TAG_WORD) << 8) | (this.bytes[start] as number))
    return isoTimeAt(word, 0, word.length)
  }

  #placeIn(shape: number): number {
    // Filled from the start: an array with holes would be slow.
    while (this.#places.length <= shape) this.#places.push(undefined)
    return (this.#places[shape] = this.#firstIn(this.#names))
  }

  #firstIn(names: readonly string[]): number {
    const known = new Set(names)
    for (const path of this.#paths) {
      const leads = path.names.some((_, at) => known.has(path.key(0, at + 1)))
      if (leads) return path.length === 1 ? names.indexOf(path.text) : HARD_FIELD
    }
    return NO_FIELD
  }
}
