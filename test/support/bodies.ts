/** Shapes and words with everything that writes and reads bodies by them, without a store. */
import { BodyReader } from '../../engine/domain/event/body-reader.js'
import { BodyScanner } from '../../engine/domain/event/body-scanner.js'
import { BodyWriter } from '../../engine/domain/event/body-writer.js'
import { ShapeTree } from '../../engine/domain/event/shape-tree.js'
import { hashBytes, viewOfBytes } from '../../engine/domain/event/byte-table.js'
import { Words } from '../../engine/domain/event/words.js'

export class Bodies {
  readonly shapes = new ShapeTree()
  readonly words = new Words()
  readonly scanner = new BodyScanner(this.shapes, this.words)
  /** The same without WebAssembly. */
  readonly plainScanner = new BodyScanner(this.shapes, this.words, null)
  readonly #writer = new BodyWriter(this.shapes, this.words)
  readonly #reader = new BodyReader(this.shapes, this.words)

  encode(body: unknown): Uint8Array {
    const length = this.#writer.write(body as Record<string, unknown>)
    return Uint8Array.from(this.#writer.out.subarray(0, length))
  }

  decode(bytes: Uint8Array): unknown {
    return this.#reader.read(bytes)
  }

  /** The value in the scanner's last output whose bytes begin there. */
  readonly scannedValue = (start: number): unknown => this.#reader.readAt(this.scanner.out, start)

  /** Another table with the same shapes and words, as after a restart. */
  copy(): Bodies {
    const copy = new Bodies()
    for (let shape = 0; shape < this.shapes.size; shape++) copy.shapes.restore(this.shapes.names(shape))
    for (let word = 0; word < this.words.size; word++) {
      const bytes = viewOfBytes(this.words.bytes(word))
      copy.words.add(bytes, 0, bytes.byteLength, hashBytes(bytes, 0, bytes.byteLength))
    }
    return copy
  }
}
