/**
 * Batches of records as producers compress them: gzip, Snappy, LZ4, Zstandard. The library asks for these by number.
 *
 * 1. What comes out of one batch is bounded, whatever its head says: a batch over the bound is a failure that says so.
 * 2. All of it is plain JavaScript. Nothing is compressed here: what goes out is written plain.
 */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { unpackLz4 } from './lz4.js'
import { unpackSnappy } from './snappy.js'
import { tooLarge } from './unpacked.js'

const BYTES_MAX = 64 * 1024 * 1024

interface Codec {
  decompress(bytes: Buffer): Promise<Buffer>
}

export async function unpackZstd(bytes: Buffer, bytesMax: number): Promise<Buffer> {
  const { Decompress } = await import('fzstd')
  const pieces: Uint8Array[] = []
  let size = 0
  const stream = new Decompress((piece) => {
    size += piece.length
    if (size > bytesMax) throw tooLarge(bytesMax)
    pieces.push(piece)
  })
  stream.push(bytes, true)
  return Buffer.concat(pieces)
}

async function unpackGzip(bytes: Buffer, bytesMax: number): Promise<Buffer> {
  return await promisify(gunzip)(bytes, { maxOutputLength: bytesMax })
}

/** Makes the library know them. */
export async function learnCodecs(): Promise<void> {
  const {
    default: { CompressionCodecs, CompressionTypes },
  } = await import('kafkajs')
  const codec = (unpack: (bytes: Buffer, bytesMax: number) => Buffer | Promise<Buffer>) => (): Codec => ({
    decompress: async (bytes) => await unpack(bytes, BYTES_MAX),
  })
  Object.assign(CompressionCodecs, {
    [CompressionTypes.GZIP]: codec(unpackGzip),
    [CompressionTypes.Snappy]: codec(unpackSnappy),
    [CompressionTypes.LZ4]: codec(unpackLz4),
    [CompressionTypes.ZSTD]: codec(unpackZstd),
  })
}
