/** From the bytes of a body (body-format.ts) to its JSON value. */
import {
  floatAt, TAG_ARRAY, TAG_FALSE, TAG_FLOAT, TAG_MINUS, TAG_NAMED, TAG_NULL, TAG_OBJECT, TAG_TEXT, TAG_TRUE, TAG_WHOLE, TAG_WORD,
} from './body-format.js'
import type { ShapeTree } from './shape-tree.js'
import type { Words } from './words.js'

export class BodyReader {
  readonly #shapes: ShapeTree
  readonly #words: Words
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0

  constructor(shapes: ShapeTree, words: Words) {
    this.#shapes = shapes
    this.#words = words
  }

  /** The value. @throws Error on a shape or word that is not known, and on bytes that are none of a body. */
  read(bytes: Uint8Array): unknown {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#at = 0
    return this.#value()
  }

  #value(): unknown {
    const tag = this.#bytes[this.#at++] as number
    if (tag >= TAG_WORD) return this.#words.text(((tag - TAG_WORD) << 8) | (this.#bytes[this.#at++] as number))
    switch (tag) {
      case TAG_NULL: return null
      case TAG_TRUE: return true
      case TAG_FALSE: return false
      case TAG_TEXT: return this.#text()
      case TAG_WHOLE: return this.#varint()
      case TAG_MINUS: return -this.#varint()
      case TAG_FLOAT: return floatAt(this.#bytes, (this.#at += 8) - 8)
      case TAG_OBJECT: return this.#object()
      case TAG_ARRAY: return this.#array()
      case TAG_NAMED: return this.#named()
      default: throw new Error('bytes that are none of a body')
    }
  }

  #text(): string {
    const length = this.#varint()
    this.#at += length
    return this.#bytes.toString('utf8', this.#at - length, this.#at)
  }

  #object(): Record<string, unknown> {
    const names = this.#shapes.names(this.#count())
    const object: Record<string, unknown> = {}
    for (let i = 0; i < names.length; i++) object[names[i] as string] = this.#value()
    return object
  }

  #array(): unknown[] {
    const items: unknown[] = []
    for (let left = this.#count(); left > 0; left--) items.push(this.#value())
    return items
  }

  #named(): Record<string, unknown> {
    const object: Record<string, unknown> = {}
    for (let left = this.#count(); left > 0; left--) {
      const name = this.#value() as string
      object[name] = this.#value()
    }
    return object
  }

  #count(): number {
    this.#at += 2
    return ((this.#bytes[this.#at - 2] as number) << 8) | (this.#bytes[this.#at - 1] as number)
  }

  #varint(): number {
    let value = 0
    let unit = 1
    for (;;) {
      const byte = this.#bytes[this.#at++] as number
      value += (byte & 0x7f) * unit
      if (byte < 0x80) return value
      unit *= 0x80
    }
  }
}
