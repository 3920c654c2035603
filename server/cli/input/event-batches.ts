/**
 * Lines for the stream of events in batches of bytes. A line is copied once, from the input to its batch.
 *
 * 1. A batch is sent when it is full, or when its first line has waited long enough for others.
 */
import type { Batch } from '../../client/batches.js'
import { lineEnd } from './lines.js'
import type { Envelope } from './envelopes.js'

const LINES_MAX = 2_000
const BYTES_MAX = 3 << 19
/** Milliseconds that a line waits for others. */
const LINGER_MS = 50
const LINE_FEED = 0x0a

/** Lines that are sent together, with their numbers in the input. */
export class EventBatch implements Batch {
  readonly numbers: number[] = []
  readonly #bytes: Buffer<ArrayBuffer>
  #length = 0

  constructor(bytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(bytes)
  }

  get lines(): number {
    return this.numbers.length
  }

  get isFull(): boolean {
    return this.numbers.length >= LINES_MAX || this.#length >= BYTES_MAX
  }

  /** False if there is no room for so many bytes. */
  hasRoom(bytes: number): boolean {
    return this.#length + bytes <= this.#bytes.length
  }

  /** Adds a line that has room. */
  add(number: number, input: Buffer, { before, start, end, after }: Envelope): void {
    let at = this.#length
    at += this.#bytes.write(before, at, 'latin1')
    at += input.copy(this.#bytes, at, start, end)
    at += this.#bytes.write(after, at, 'latin1')
    this.#bytes[at] = LINE_FEED
    this.#length = at + 1
    this.numbers.push(number)
  }

  body(done: number): Uint8Array<ArrayBuffer> {
    let start = 0
    for (let line = 0; line < done; line++) start = lineEnd(this.#bytes, start) + 1
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

  add(number: number, input: Buffer, envelope: Envelope): void {
    const { before, start, end, after } = envelope
    const bytes = before.length + end - start + after.length + 1
    if (this.#open?.hasRoom(bytes) === false) this.close()
    // The last line of a batch may go over its bound.
    const batch = (this.#open ??= new EventBatch(BYTES_MAX + Math.max(bytes, BYTES_MAX >> 4)))
    batch.add(number, input, envelope)
    if (batch.isFull) this.close()
  }

  addText(number: number, line: string): void {
    const input = Buffer.from(line)
    this.add(number, input, { before: '', start: 0, end: input.length, after: '' })
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
