/** Arrays of numbers that grow: the larger one, which begins with the numbers of the one before. */
export function grown<A extends Uint8Array | Int32Array | Float32Array | Float64Array>(from: A, into: A): A {
  into.set(from)
  return into
}
