/**
 * Decompression of record batches: gzip, Snappy, LZ4, Zstandard. The library looks codecs up by number.
 *
 * 1. The size of a decompressed batch is limited, whatever its header claims. A larger batch is a failure.
 * 2. All codecs are plain JavaScript. Written batches are not compressed.
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

/** Registers the codecs in the library. */
export async function registerCodecs(): Promise<void> {
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
