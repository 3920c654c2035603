/**
 * The bytes of a stored model: a kind, a body of numbers, a checksum.
 *
 * Layout, little endian: u8 length of the kind, the kind in ASCII, the body, u32 checksum of everything before it.
 *
 * 1. Reading past the end, or a wrong checksum, throws: no incomplete model is ever loaded. The checksum takes most of
 *    the time of an opening, and once for the same bytes is enough.
 */

function checksum(bytes: Uint8Array, end: number): number {
  let a = 0x811c9dc5
  let b = end
  for (let i = 0; i < end; i++) {
    const byte = bytes[i] as number
    a = Math.imul(a ^ byte, 0x01000193)
    b = (Math.imul(b, 0x85ebca6b) + byte + (a >>> 7)) | 0
  }
  return (a ^ (b << 11) ^ (b >>> 21)) >>> 0
}

/** Writes the bytes of a model. */
export class ModelWriter {
  #bytes = new Uint8Array(1024)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  constructor(kind: string) {
    this.u8(kind.length)
    for (let i = 0; i < kind.length; i++) this.u8(kind.charCodeAt(i))
  }

  #reserve(bytes: number): number {
    const at = this.#length
    this.#length += bytes
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2))
      grown.set(this.#bytes.subarray(0, at))
      this.#bytes = grown
      this.#view = new DataView(grown.buffer)
    }
    return at
  }

  u8(value: number): void {
    const at = this.#reserve(1)
    this.#view.setUint8(at, value)
  }

  u32(value: number): void {
    const at = this.#reserve(4)
    this.#view.setUint32(at, value, true)
  }

  f32(value: number): void {
    const at = this.#reserve(4)
    this.#view.setFloat32(at, value, true)
  }

  f64(value: number): void {
    const at = this.#reserve(8)
    this.#view.setFloat64(at, value, true)
  }

  /** The count, then each number. */
  u32s(values: ArrayLike<number>): void {
    this.u32(values.length)
    for (let i = 0; i < values.length; i++) this.u32(values[i] as number)
  }

  u8s(values: Uint8Array): void {
    this.u32(values.length)
    const at = this.#reserve(values.length)
    this.#bytes.set(values, at)
  }

  /** The length, then UTF-16 code units. */
  text(value: string): void {
    this.u32(value.length)
    for (let i = 0; i < value.length; i++) {
      const at = this.#reserve(2)
      this.#view.setUint16(at, value.charCodeAt(i), true)
    }
  }

  f32s(values: ArrayLike<number>): void {
    this.u32(values.length)
    for (let i = 0; i < values.length; i++) this.f32(values[i] as number)
  }

  f64s(values: ArrayLike<number>): void {
    this.u32(values.length)
    for (let i = 0; i < values.length; i++) this.f64(values[i] as number)
  }

  /** The finished bytes. */
  seal(): Uint8Array {
    this.u32(checksum(this.#bytes, this.#length))
    return this.#bytes.slice(0, this.#length)
  }
}

/** The kind at the start of a model's bytes. @throws Error where there is none. */
export function kindOf(bytes: Uint8Array): string {
  const length = bytes[0]
  if (length === undefined || length === 0 || bytes.length < 1 + length) throw new Error('these bytes are not a model')
  return String.fromCharCode(...bytes.subarray(1, 1 + length))
}

/**
 * Arrays of a model lie together in pieces of this size, or of their own. Small pieces are taken from memory that the
 * allocator of the system keeps: with many models, most of it would stay there when they go.
 */
const PIECE_BYTES = 64 * 1024

/** How an array of numbers is made in a piece of memory, or (without one) in memory of its own. */
interface ArrayType<A extends ArrayBufferView> {
  readonly BYTES_PER_ELEMENT: number
  new (count: number): A
  new (piece: ArrayBuffer, at: number, count: number): A
}

/** Reads the bytes of a model. */
export class ModelReader {
  readonly #view: DataView
  readonly #end: number
  #at: number
  #piece = new ArrayBuffer(0)
  #used = 0

  /** @throws Error on bytes of another kind, cut short, or (where that was not `checked` before) changed. */
  constructor(bytes: Uint8Array, kind: string, checked = false) {
    const found = kindOf(bytes)
    if (found !== kind) throw new Error(`a model of kind ${JSON.stringify(found)}, not ${kind}`)
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#end = bytes.byteLength - 4
    this.#at = 1 + kind.length
    if (this.#end < this.#at) throw new Error('the model is cut short')
    if (!checked && this.#view.getUint32(this.#end, true) !== checksum(bytes, this.#end))
      throw new Error('the model is damaged')
  }

  #take(bytes: number): number {
    const at = this.#at
    if (at + bytes > this.#end) throw new Error('the model is cut short')
    this.#at = at + bytes
    return at
  }

  /** True where everything was read. */
  get isAtEnd(): boolean {
    return this.#at === this.#end
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1))
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true)
  }

  f32(): number {
    return this.#view.getFloat32(this.#take(4), true)
  }

  f64(): number {
    return this.#view.getFloat64(this.#take(8), true)
  }

  /** The count of numbers that follow, of `width` bytes each; checked against the bytes left, before any allocation. */
  #count(width: number): number {
    const count = this.u32()
    if (this.#at + count * width > this.#end) throw new Error('the model is cut short')
    return count
  }

  /** Fills an array of numbers. The machines that the service runs on have numbers little endian, as a model has. */
  #fill<A extends ArrayBufferView>(values: A): A {
    const at = this.#view.byteOffset + this.#take(values.byteLength)
    const into = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
    into.set(new Uint8Array(this.#view.buffer, at, values.byteLength))
    return values
  }

  #read<A extends ArrayBufferView>(type: ArrayType<A>): A {
    const count = this.#count(type.BYTES_PER_ELEMENT)
    const bytes = count * type.BYTES_PER_ELEMENT
    if (this.#used + bytes > this.#piece.byteLength) {
      this.#piece = new ArrayBuffer(Math.max(PIECE_BYTES, bytes))
      this.#used = 0
    }
    const at = this.#used
    // Any number may begin at a multiple of 8.
    this.#used = (at + bytes + 7) & ~7
    return this.#fill(new type(this.#piece, at, count))
  }

  u32s(): Uint32Array {
    return this.#read(Uint32Array)
  }

  /** The same numbers, as signed ones. */
  i32s(): Int32Array {
    return this.#read(Int32Array)
  }

  u8s(): Uint8Array {
    return this.#read(Uint8Array)
  }

  text(): string {
    let value = ''
    for (let left = this.#count(2); left > 0; left--) {
      value += String.fromCharCode(this.#view.getUint16(this.#take(2), true))
    }
    return value
  }

  f32s(): Float32Array {
    return this.#read(Float32Array)
  }

  f64s(): Float64Array {
    return this.#read(Float64Array)
  }

  /** The arrays that follow lie apart from those before: one of both parts may go before the other. */
  apart(): void {
    this.#used = this.#piece.byteLength
  }

  /** @throws Error where bytes are left. */
  finish(): void {
    if (this.#at !== this.#end) throw new Error('the model has too many bytes')
  }
}
