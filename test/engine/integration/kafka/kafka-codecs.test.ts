import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { unpackLz4, unpackSnappy, unpackZstd } from '../../../../engine/integration/kafka/kafka-codecs.js'
import { SeededRandom } from '../../../../engine/random.js'

const require = createRequire(import.meta.url)
const snappy = require('snappyjs') as { compress(bytes: Buffer): Buffer }
const lz4 = require('lz4js') as { compress(bytes: Buffer): Uint8Array }

const text = Buffer.from(Array.from({ length: 20_000 }, (_, i) => `alert ${i % 37} of host ${i % 5}`).join('\n'))

/** As Java packs Snappy. */
function xerial(...pieces: readonly Buffer[]): Buffer {
  const head = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1])
  return Buffer.concat([head, ...pieces.flatMap((piece) => {
    const size = Buffer.alloc(4)
    size.writeUInt32BE(piece.length)
    return [size, piece]
  })])
}

/** `RLE` blocks of Zstandard: four bytes that stand for 128 KiB each. */
function zstdBomb(blocks: number): Buffer {
  const block = Buffer.alloc(4)
  block.writeUIntLE((131_072 << 3) | (1 << 1), 0, 3)
  const last = Buffer.from(block)
  last[0] = (last[0] as number) | 1
  // A window of 1 MiB, no size of the content.
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50]), ...new Array<Buffer>(blocks - 1).fill(block), last])
}

test('what was packed comes out as it went in', async () => {
  assert.deepEqual(unpackSnappy(snappy.compress(text)), text)
  assert.deepEqual(unpackSnappy(xerial(snappy.compress(text.subarray(0, 30_000)), snappy.compress(text.subarray(30_000)))), text)
  assert.deepEqual(Buffer.from(unpackLz4(Buffer.from(lz4.compress(text)))), text)
  assert.equal((await unpackZstd(zstdBomb(3))).length, 3 * 131_072)
})

test('a batch that would become too large is a failure', async () => {
  await assert.rejects(unpackZstd(zstdBomb(600)), /more than/)
  const many = snappy.compress(Buffer.alloc(1024 * 1024))
  assert.throws(() => unpackSnappy(xerial(...new Array<Buffer>(70).fill(many))), Error)
  assert.throws(() => unpackLz4(Buffer.from(lz4.compress(Buffer.alloc(70 * 1024 * 1024)))), /more than/)
})

test('bytes that are no such thing are a failure, and end', async () => {
  const random = new SeededRandom(4)
  for (let i = 0; i < 200; i++) {
    const junk = Buffer.from(random.bytes(200))
    assert.throws(() => unpackLz4(junk), Error)
    await assert.rejects(unpackZstd(junk), Error)
    try {
      unpackSnappy(junk)
    } catch (error) {
      assert.ok(error instanceof Error)
    }
  }
})
