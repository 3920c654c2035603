/** Reads the bytes of a body (body-format.ts) as a JSON value. */
import { BodyCursor } from './body-cursor.js'
import { TAG_ARRAY, TAG_LONG_ARRAY, TAG_LONG_NAMED, TAG_NAMED, TAG_OBJECT } from './body-format.js'
import type { ShapeTree } from './shape-tree.js'
import type { Words } from './words.js'

export class BodyReader extends BodyCursor {
  readonly #shapes: ShapeTree
  readonly #words: Words

  constructor(shapes: ShapeTree, words: Words) {
    super()
    this.#shapes = shapes
    this.#words = words
  }

  /** The value. @throws Error for an unknown shape or word, and for bytes that are not a body. */
  read(bytes: Uint8Array): unknown {
    return this.readAt(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0)
  }

  /** The value whose bytes begin at `start`. @throws Error as read. */
  readAt(bytes: Buffer, start: number): unknown {
    this.bytes = bytes
    this.at = start
    return this.#value()
  }

  #value(): unknown {
    const tag = this.bytes[this.at++] as number
    switch (tag) {
      case TAG_OBJECT:
        return this.#object()
      case TAG_ARRAY:
        return this.#array(this.count())
      case TAG_NAMED:
        return this.#named(this.count())
      case TAG_LONG_ARRAY:
        return this.#array(this.longCount())
      case TAG_LONG_NAMED:
        return this.#named(this.longCount())
      default:
        return this.scalar(tag, this.#words)
    }
  }

  #object(): Record<string, unknown> {
    const names = this.#shapes.names(this.count())
    const object: Record<string, unknown> = {}
    for (let i = 0; i < names.length; i++) object[names[i] as string] = this.#value()
    return object
  }

  #array(count: number): unknown[] {
    const items: unknown[] = []
    for (let left = count; left > 0; left--) items.push(this.#value())
    return items
  }

  #named(count: number): Record<string, unknown> {
    const object: Record<string, unknown> = {}
    for (let left = count; left > 0; left--) {
      const name = this.#value() as string
      object[name] = this.#value()
    }
    return object
  }
}
