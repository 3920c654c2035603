/**
 * A position in the bytes of a body (body-format.ts): how scalars, counts and varints are read there, and values
 * skipped.
 */
import {
  floatAt,
  TAG_ARRAY,
  TAG_FALSE,
  TAG_FLOAT,
  TAG_LONG_ARRAY,
  TAG_LONG_NAMED,
  TAG_MINUS,
  TAG_NAMED,
  TAG_NULL,
  TAG_NUMERAL,
  TAG_OBJECT,
  TAG_TEXT,
  TAG_TRUE,
  TAG_WHOLE,
  TAG_WORD,
} from './body-format.js'
import { WrittenNumber } from './json.js'
import type { ScalarValue } from './point-value.js'
import type { ShapeTree } from './shape-tree.js'
import type { Words } from './words.js'

export class BodyCursor {
  protected bytes: Buffer = Buffer.alloc(0)
  protected at = 0

  /** The scalar whose tag was just read. @throws Error for an unknown word, and for a tag of something else. */
  protected scalar(tag: number, words: Words): ScalarValue | WrittenNumber | null {
    if (tag >= TAG_WORD) return words.text(((tag - TAG_WORD) << 8) | (this.bytes[this.at++] as number))
    switch (tag) {
      case TAG_NULL:
        return null
      case TAG_TRUE:
        return true
      case TAG_FALSE:
        return false
      case TAG_TEXT:
        return this.#text()
      case TAG_WHOLE:
        return this.varint()
      case TAG_MINUS:
        return -this.varint()
      case TAG_FLOAT:
        return floatAt(this.bytes, (this.at += 8) - 8)
      case TAG_NUMERAL:
        return new WrittenNumber(this.#text())
      default:
        throw new Error('the bytes are not a body')
    }
  }

  protected count(): number {
    this.at += 2
    return ((this.bytes[this.at - 2] as number) << 8) | (this.bytes[this.at - 1] as number)
  }

  protected longCount(): number {
    this.at += 4
    return this.bytes.readUInt32BE(this.at - 4)
  }

  protected varint(): number {
    let value = 0
    let unit = 1
    for (;;) {
      const byte = this.bytes[this.at++] as number
      value += (byte & 0x7f) * unit
      if (byte < 0x80) return value
      unit *= 0x80
    }
  }

  /** Skips the value that begins here. True if it is present: null, and what holds nothing else, is not. */
  protected skip(shapes: ShapeTree): boolean {
    const bytes = this.bytes
    const tag = bytes[this.at++] as number
    if (tag >= TAG_WORD) {
      this.at++
      return true
    }
    switch (tag) {
      case TAG_NULL:
        return false
      case TAG_TRUE:
      case TAG_FALSE:
        return true
      case TAG_WHOLE:
      case TAG_MINUS:
        while ((bytes[this.at++] as number) >= 0x80);
        return true
      case TAG_FLOAT:
        this.at += 8
        return true
      case TAG_TEXT:
      case TAG_NUMERAL: {
        const length = this.varint()
        this.at += length
        return true
      }
      case TAG_OBJECT:
        return this.#skipMany(shapes, shapes.names(this.count()).length, false)
      case TAG_ARRAY:
        return this.#skipMany(shapes, this.count(), false)
      case TAG_NAMED:
        return this.#skipMany(shapes, this.count(), true)
      case TAG_LONG_ARRAY:
        return this.#skipMany(shapes, this.longCount(), false)
      case TAG_LONG_NAMED:
        return this.#skipMany(shapes, this.longCount(), true)
      default:
        throw new Error('the bytes are not a body')
    }
  }

  #skipMany(shapes: ShapeTree, count: number, named: boolean): boolean {
    let present = false
    for (let left = count; left > 0; left--) {
      if (named) this.skip(shapes)
      if (this.skip(shapes)) present = true
    }
    return present
  }

  #text(): string {
    const length = this.varint()
    this.at += length
    return this.bytes.toString('utf8', this.at - length, this.at)
  }
}
