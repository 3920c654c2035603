/** How objects of NATS are laid out: chunks, and an entry. */

const CHUNK_BYTES = 128 * 1024

/** The entry of an object. */
export interface ObjectEntry {
  readonly name: string
  readonly bucket: string
  /** Of its chunks. */
  readonly nuid: string
  readonly size: number
  readonly chunks: number
  readonly digest: string
  readonly mtime: string
}

/** As NATS names entries: base64 for addresses, with its padding. */
export function encodeName(name: string): string {
  return Buffer.from(name).toString('base64').replaceAll('+', '-').replaceAll('/', '_')
}

/** Their bytes in pieces that a message can hold. */
export async function* chunksOf(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces)
    for (let at = 0; at < piece.length; at += CHUNK_BYTES) yield piece.subarray(at, at + CHUNK_BYTES)
}
