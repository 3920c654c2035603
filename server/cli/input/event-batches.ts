/**
 * Lines for the stream of events in batches of bytes. A line is copied once, from the input to its batch.
 *
 * 1. A batch is sent when it is full, or when its first line has waited long enough for others.
 */
import type { Batch } from '../../client/batches.js'
import type { WrappedLine } from './envelopes.js'

const LINES_MAX = 2_000
const BYTES_MAX = 3 << 19
/** Milliseconds that a line waits for others. */
const LINGER_MS = 50
const [LINE_FEED, RETURN, SPACE] = [0x0a, 0x0d, 0x20]

/** Where an event stands in the input. */
export interface InputPlace {
  readonly number: number
  readonly line: number
}

/** Lines that are sent together, with their places in the input. */
export class EventBatch implements Batch {
  readonly places: InputPlace[] = []
  readonly #bytes: Buffer<ArrayBuffer>
  #length = 0

  constructor(bytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(bytes)
  }

  get lines(): number {
    return this.places.length
  }

  get isFull(): boolean {
    return this.places.length >= LINES_MAX || this.#length >= BYTES_MAX
  }

  /** False if there is no room for so many bytes. */
  hasRoom(bytes: number): boolean {
    return this.#length + bytes <= this.#bytes.length
  }

  /** Adds a line that has room. A document of several lines becomes one: only blanks of JSON are line ends. */
  add(place: InputPlace, { bytes, before, start, end, after }: WrappedLine): void {
    let at = this.#length
    at += this.#bytes.write(before, at, 'latin1')
    const from = at
    this.#bytes.set(bytes.subarray(start, end), at)
    at += end - start
    const document = this.#bytes.subarray(from, at)
    for (const byte of [LINE_FEED, RETURN])
      for (let found = document.indexOf(byte); found >= 0; found = document.indexOf(byte, found + 1))
        document[found] = SPACE
    at += this.#bytes.write(after, at, 'latin1')
    this.#bytes[at] = LINE_FEED
    this.#length = at + 1
    this.places.push(place)
  }

  body(done: number): Uint8Array<ArrayBuffer> {
    let start = 0
    for (let line = 0; line < done; line++) start = this.#bytes.indexOf(LINE_FEED, start) + 1
    return this.#bytes.subarray(start, this.#length)
  }

  isRepeatable(): boolean {
    return true
  }
}

/** Puts lines into batches. */
export class Batcher {
  /** Batches that are full, oldest first. */
  readonly full: EventBatch[] = []
  #open: EventBatch | null = null

  /** There is a batch that waits for more lines. */
  get waits(): boolean {
    return this.#open !== null
  }

  add(place: InputPlace, envelope: WrappedLine): void {
    const { before, start, end, after } = envelope
    const bytes = before.length + end - start + after.length + 1
    if (this.#open?.hasRoom(bytes) === false) this.close()
    // The last line of a batch may go over its bound.
    const batch = (this.#open ??= new EventBatch(BYTES_MAX + Math.max(bytes, BYTES_MAX >> 4)))
    batch.add(place, envelope)
    if (batch.isFull) this.close()
  }

  addText(place: InputPlace, line: string): void {
    const bytes = Buffer.from(line)
    this.add(place, { bytes, before: '', start: 0, end: bytes.length, after: '' })
  }

  /** The open batch gets no more lines. */
  close(): void {
    if (this.#open !== null) this.full.push(this.#open)
    this.#open = null
  }
}

/** Batches of what `put` makes of the items of a source. An item is taken when a batch is wanted, never before. */
export async function* batchesOf<T>(
  items: AsyncGenerator<T, void, void>,
  put: (item: T, batcher: Batcher) => void,
): AsyncGenerator<EventBatch, void, void> {
  const batcher = new Batcher()
  let next: Promise<IteratorResult<T, void>> | undefined
  let late: Promise<null> | undefined
  let timer: NodeJS.Timeout | undefined
  try {
    for (;;) {
      next ??= items.next()
      if (batcher.waits) {
        late ??= new Promise((resolve) => {
          timer = setTimeout(() => resolve(null), LINGER_MS)
        })
      }
      const got = await (late === undefined ? next : Promise.race([next, late]))
      if (got === null || got.done) batcher.close()
      else put(got.value, batcher)
      if (got !== null) next = undefined
      if (batcher.full.length > 0) {
        clearTimeout(timer)
        late = undefined
        yield* batcher.full.splice(0)
      }
      if (got?.done) return
    }
  } finally {
    clearTimeout(timer)
    // A source that is asked for an item ends when it has one: nobody waits for that.
    void items.return().catch(() => {})
  }
}
