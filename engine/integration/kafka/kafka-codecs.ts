/**
 * Batches of records as producers compress them: gzip, Snappy, LZ4, Zstandard. The library asks for these by number.
 *
 * 1. What comes out of one batch is bounded, whatever its head says: a batch over the bound is a failure that says so.
 * 2. All of it is plain JavaScript. Nothing is compressed here: what goes out is written plain.
 */
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { KafkaFailure } from './kafka-line.js'

const require = createRequire(import.meta.url)
const BYTES_MAX = 64 * 1024 * 1024
/** How Java packs Snappy: this, two versions, and pieces with their sizes in front. */
const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00])
const XERIAL_HEAD_BYTES = 16

interface Codec {
  decompress(bytes: Buffer): Promise<Buffer>
}

interface Snappy {
  uncompress(bytes: Buffer, bytesMax: number): Buffer
}

interface Lz4 {
  decompressBound(bytes: Buffer): number
  /** How many bytes there are, also where they did not fit. */
  decompressFrame(bytes: Buffer, into: Buffer): number
}

function tooLarge(): KafkaFailure {
  return new KafkaFailure(`a batch of records of more than ${BYTES_MAX} bytes when it is not compressed`)
}

export function unpackSnappy(bytes: Buffer): Buffer {
  const { uncompress } = require('snappyjs') as Snappy
  if (!bytes.subarray(0, XERIAL.length).equals(XERIAL)) return uncompress(bytes, BYTES_MAX)
  const pieces: Buffer[] = []
  let left = BYTES_MAX
  for (let at = XERIAL_HEAD_BYTES; at + 4 <= bytes.length;) {
    const size = bytes.readUInt32BE(at)
    const piece = uncompress(bytes.subarray(at + 4, at + 4 + size), left)
    pieces.push(piece)
    left -= piece.length
    at += 4 + size
  }
  return Buffer.concat(pieces)
}

export function unpackLz4(bytes: Buffer): Buffer {
  const { decompressBound, decompressFrame } = require('lz4js') as Lz4
  const into = Buffer.alloc(Math.min(decompressBound(bytes), BYTES_MAX))
  const size = decompressFrame(bytes, into)
  if (size > into.length) throw tooLarge()
  return into.subarray(0, size)
}

export async function unpackZstd(bytes: Buffer): Promise<Buffer> {
  const { Decompress } = await import('fzstd')
  const pieces: Uint8Array[] = []
  let size = 0
  const stream = new Decompress((piece) => {
    size += piece.length
    if (size > BYTES_MAX) throw tooLarge()
    pieces.push(piece)
  })
  stream.push(bytes, true)
  return Buffer.concat(pieces)
}

async function unpackGzip(bytes: Buffer): Promise<Buffer> {
  return await promisify(gunzip)(bytes, { maxOutputLength: BYTES_MAX })
}

/** Makes the library know them. */
export async function learnCodecs(): Promise<void> {
  const { default: { CompressionCodecs, CompressionTypes } } = await import('kafkajs')
  const codec = (unpack: (bytes: Buffer) => Buffer | Promise<Buffer>) => (): Codec => ({ decompress: async (bytes) => await unpack(bytes) })
  Object.assign(CompressionCodecs, {
    [CompressionTypes.GZIP]: codec(unpackGzip), [CompressionTypes.Snappy]: codec(unpackSnappy),
    [CompressionTypes.LZ4]: codec(unpackLz4), [CompressionTypes.ZSTD]: codec(unpackZstd),
  })
}
