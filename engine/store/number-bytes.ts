/**
 * Numbers in bytes, byte by byte. For what is done with each event this is faster than the methods of Buffer: V8 looks
 * each of those up and checks its arguments, which costs more than the bytes.
 *
 * Little-endian, but for what is named otherwise. Numbers of 32 bits have no sign.
 */
const scratch = new DataView(new ArrayBuffer(8))
const scratchBytes = new Uint8Array(scratch.buffer)

export function putTwoBytes(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value
  bytes[at + 1] = value >>> 8
}

export function twoBytesAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8)
}

export function putFourBytes(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value
  bytes[at + 1] = value >>> 8
  bytes[at + 2] = value >>> 16
  bytes[at + 3] = value >>> 24
}

export function fourBytesAt(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16)
  return low + (bytes[at + 3] as number) * 0x1000000
}

/** Big-endian, as in keys. */
export function putFourBytesBigEndian(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24
  bytes[at + 1] = value >>> 16
  bytes[at + 2] = value >>> 8
  bytes[at + 3] = value
}

/** A number in double precision. */
export function putDouble(bytes: Uint8Array, at: number, value: number): void {
  scratch.setFloat64(0, value, true)
  for (let i = 0; i < 8; i++) bytes[at + i] = scratchBytes[i] as number
}

export function doubleAt(bytes: Uint8Array, at: number): number {
  for (let i = 0; i < 8; i++) scratchBytes[i] = bytes[at + i] as number
  return scratch.getFloat64(0, true)
}

/** A number in single precision. */
export function putFloat(bytes: Uint8Array, at: number, value: number): void {
  scratch.setFloat32(0, value, true)
  for (let i = 0; i < 4; i++) bytes[at + i] = scratchBytes[i] as number
}
