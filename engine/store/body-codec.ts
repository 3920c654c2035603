/**
 * Bodies as bytes: the one file that imports `msgpackr`.
 *
 * Owns: MessagePack around shaped forms (event/shapes.ts), and the shape rows that must be committed with them. Leaves
 * out: the header of a record (event-record.ts).
 *
 * 1. A shape is committed in the same transaction as the first record that uses it, or before.
 * 2. A reader that meets a shape it does not know reads the new rows; rows are only ever added.
 */
import { Packr, RESERVE_START_SPACE } from 'msgpackr'
import { ShapeTable } from '../event/shapes.js'
import type { Environment, WriteBatch } from './environment.js'

/** Shared shapes are ours, so records of the library's own are off. */
const packr = new Packr({ useRecords: false, mapsAsObjects: true, moreTypes: false, variableMapSize: true })

/** Packs any plain value; the first `reserved` bytes (0 to 255) are left to the caller. */
export function pack(value: unknown, reserved = 0): Buffer {
  return reserved === 0 ? packr.pack(value) : packr.pack(value, RESERVE_START_SPACE + reserved)
}

/** The value of packed bytes. */
export function unpack(bytes: Uint8Array): unknown {
  return packr.unpack(bytes)
}

function shapeKey(shape: number): Buffer {
  const key = Buffer.allocUnsafe(4)
  key.writeUInt32BE(shape, 0)
  return key
}

/** Bodies of one shard, for its writer and for readers. */
export class BodyCodec {
  readonly #environment: Environment
  readonly #shapes = new ShapeTable()
  #committed = 0

  constructor(environment: Environment) {
    this.#environment = environment
    this.#readShapes()
    this.#committed = this.#shapes.size
  }

  /** The shaped form; throws the refusals of ShapeTable.shape. */
  shape(body: Record<string, unknown>): unknown {
    return this.#shapes.shape(body)
  }

  /** The body of a shaped form. */
  unshape(shaped: unknown): Record<string, unknown> {
    if (Array.isArray(shaped) && (shaped[0] as number) >= this.#shapes.size) this.#readShapes()
    try {
      return this.#shapes.unshape(shaped) as Record<string, unknown>
    } catch {
      this.#readShapes()
      return this.#shapes.unshape(shaped) as Record<string, unknown>
    }
  }

  /** The body as it will be read, were it stored: bytes know neither -0 nor half a surrogate pair. */
  asStored(shaped: unknown): Record<string, unknown> {
    return this.unshape(unpack(pack(shaped)))
  }

  /** Adds the shapes that the store does not have yet to a batch. */
  writeNewShapes(batch: WriteBatch): void {
    for (let shape = this.#committed; shape < this.#shapes.size; shape++) {
      batch.put('shapes', shapeKey(shape), Buffer.from(JSON.stringify(this.#shapes.names(shape)), 'utf8'))
    }
  }

  /** Says that the batch of writeNewShapes is committed. */
  committed(): void {
    this.#committed = this.#shapes.size
  }

  #readShapes(): void {
    const rows = this.#environment.range('shapes', { from: shapeKey(this.#shapes.size) })
    for (const { value } of rows) this.#shapes.restore(JSON.parse(Buffer.from(value).toString('utf8')) as string[])
  }
}
