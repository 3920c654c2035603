/**
 * Encodes and decodes the bodies of one shard (event/body-format.ts), with the shapes and words that they refer to.
 *
 * Owns: the rows of shapes and words. Leaves out: a record's header (event-record.ts), the body's bytes
 * (event/body-*.ts).
 *
 * 1. A shape or word is committed in the same transaction as the first record that uses it, or before.
 * 2. A reader that meets an unknown shape or word reads the new rows. Rows are never changed or deleted.
 */
import { hashBytes, viewOfBytes } from '../domain/event/byte-table.js'
import { BodyReader } from '../domain/event/body-reader.js'
import { BodyScanner } from '../domain/event/body-scanner.js'
import { BodyWriter } from '../domain/event/body-writer.js'
import type { PointKey } from '../domain/event/point-tree.js'
import { ShapeTree } from '../domain/event/shape-tree.js'
import type { StoredPoints } from '../domain/event/stored-points.js'
import { Words } from '../domain/event/words.js'
import type { Environment, WriteBatch } from './environment.js'

/** Reads what it is made for from the bytes of a body. */
interface BodyWalker {
  /** Reads a body that begins at `from`. @throws Error for an unknown shape or word. */
  walk(bytes: Buffer, shapes: ShapeTree, words: Words, from: number): void
}

function numberKey(number: number): Buffer {
  const key = Buffer.allocUnsafe(4)
  key.writeUInt32BE(number, 0)
  return key
}

export class BodyCodec {
  readonly #environment: Environment
  readonly #shapes = new ShapeTree()
  readonly #words = new Words()
  readonly #reader = new BodyReader(this.#shapes, this.#words)
  readonly #writer = new BodyWriter(this.#shapes, this.#words)
  #shapesCommitted = 0
  #wordsCommitted = 0
  /** The fast way from a request's text to a body's bytes. */
  readonly scanner = new BodyScanner(this.#shapes, this.#words)

  constructor(environment: Environment) {
    this.#environment = environment
    this.#readRows()
    this.committed()
  }

  /** The bytes of a body, valid until the next call. Throws the refusals of BodyWriter.write. */
  encode(body: Record<string, unknown>): Buffer {
    const length = this.#writer.write(body)
    return this.#writer.out.subarray(0, length)
  }

  decode(bytes: Uint8Array): Record<string, unknown> {
    try {
      return this.#reader.read(bytes) as Record<string, unknown>
    } catch {
      this.#readRows()
      return this.#reader.read(bytes) as Record<string, unknown>
    }
  }

  /** The value in the scanner's last output whose bytes begin at `start`. */
  readonly scannedValue = (start: number): unknown => this.#reader.readAt(this.scanner.out, start)

  /** The bytes of a body at decision points, valid until the next call for any; null where it is to be decoded. */
  pointKey(bytes: Buffer, points: StoredPoints): PointKey | null {
    try {
      return points.key(bytes, this.#shapes)
    } catch {
      this.#readRows()
      return points.key(bytes, this.#shapes)
    }
  }

  /** Reads some values of a body into `into`, without building the object. */
  walk(bytes: Buffer, into: BodyWalker, from = 0): void {
    try {
      into.walk(bytes, this.#shapes, this.#words, from)
    } catch {
      this.#readRows()
      into.walk(bytes, this.#shapes, this.#words, from)
    }
  }

  /** Adds to a batch the shapes and words that are not in the store yet. */
  writeNewRows(batch: WriteBatch): void {
    for (let shape = this.#shapesCommitted; shape < this.#shapes.size; shape++) {
      batch.put('shapes', numberKey(shape), Buffer.from(JSON.stringify(this.#shapes.names(shape)), 'utf8'))
    }
    for (let word = this.#wordsCommitted; word < this.#words.size; word++) {
      batch.put('words', numberKey(word), Uint8Array.from(this.#words.bytes(word)))
    }
  }

  /** Releases the memory of a large body. What `encode` has returned is void then. */
  shrink(): void {
    this.#writer.shrink()
  }

  /** To be called when the batch of writeNewRows is committed. */
  committed(): void {
    this.#shapesCommitted = this.#shapes.size
    this.#wordsCommitted = this.#words.size
  }

  #readRows(): void {
    for (const { value } of this.#environment.range('shapes', { from: numberKey(this.#shapes.size) })) {
      this.#shapes.restore(JSON.parse(Buffer.from(value).toString('utf8')) as string[])
    }
    for (const { value } of this.#environment.range('words', { from: numberKey(this.#words.size) })) {
      const view = viewOfBytes(value)
      this.#words.add(view, 0, value.length, hashBytes(view, 0, value.length))
    }
  }
}
