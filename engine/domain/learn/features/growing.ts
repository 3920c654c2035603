/** Lists of numbers that grow: an array of V8 takes twice the memory, and is copied as it grows older. */

/** A list of numbers that grows. */
export class Growing<T extends Uint8Array | Int32Array | Float32Array> {
  array: T
  readonly #make: (length: number) => T

  constructor(make: (length: number) => T) {
    this.#make = make
    this.array = make(1024)
  }

  /** Makes room for so many numbers. */
  fit(length: number): void {
    if (length <= this.array.length) return
    const grown = this.#make(Math.max(length, this.array.length * 2))
    grown.set(this.array)
    this.array = grown
  }
}
