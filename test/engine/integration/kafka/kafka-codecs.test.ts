import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { unpackZstd as unpackZstdUpTo } from '../../../../engine/integration/kafka/kafka-codecs.js'
import { unpackLz4 as unpackLz4UpTo } from '../../../../engine/integration/kafka/lz4.js'
import { unpackSnappy as unpackSnappyUpTo } from '../../../../engine/integration/kafka/snappy.js'
import { SeededRandom } from '../../../../engine/rng.js'

const require = createRequire(import.meta.url)
const snappy = require('snappyjs') as { compress(bytes: Buffer): Buffer }
const lz4 = require('lz4js') as { compress(bytes: Buffer): Uint8Array }

const BYTES_MAX = 4 * 1024 * 1024
const unpackLz4 = (bytes: Buffer): Buffer => unpackLz4UpTo(bytes, BYTES_MAX)
const unpackSnappy = (bytes: Buffer): Buffer => unpackSnappyUpTo(bytes, BYTES_MAX)
const unpackZstd = async (bytes: Buffer): Promise<Buffer> => await unpackZstdUpTo(bytes, BYTES_MAX)
const text = Buffer.from(Array.from({ length: 20_000 }, (_, i) => `alert ${i % 37} of host ${i % 5}`).join('\n'))

/** Snappy in the framing of Java. */
function xerial(...pieces: readonly Buffer[]): Buffer {
  const head = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1])
  return Buffer.concat([
    head,
    ...pieces.flatMap((piece) => {
      const size = Buffer.alloc(4)
      size.writeUInt32BE(piece.length)
      return [size, piece]
    }),
  ])
}

/** `RLE` blocks of Zstandard: four bytes that stand for 128 KiB each. */
function zstdBomb(blocks: number): Buffer {
  const block = Buffer.alloc(4)
  block.writeUIntLE((131_072 << 3) | (1 << 1), 0, 3)
  const last = Buffer.from(block)
  last[0] = (last[0] as number) | 1
  // A window of 1 MiB, without the size of the content.
  return Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50]),
    ...new Array<Buffer>(blocks - 1).fill(block),
    last,
  ])
}

test('decompressed bytes are equal to the original', async () => {
  assert.deepEqual(unpackSnappy(snappy.compress(text)), text)
  assert.deepEqual(
    unpackSnappy(xerial(snappy.compress(text.subarray(0, 30_000)), snappy.compress(text.subarray(30_000)))),
    text,
  )
  assert.deepEqual(Buffer.from(unpackLz4(Buffer.from(lz4.compress(text)))), text)
  assert.equal((await unpackZstd(zstdBomb(3))).length, 3 * 131_072)
})

test('a batch that is too large when decompressed is a failure', async () => {
  await assert.rejects(unpackZstd(zstdBomb(40)), /more than/)
  const many = snappy.compress(Buffer.alloc(1024 * 1024))
  assert.throws(() => unpackSnappy(xerial(...new Array<Buffer>(5).fill(many))), /more than/)
  assert.throws(() => unpackLz4(Buffer.from(lz4.compress(Buffer.alloc(5 * 1024 * 1024)))), /more than/)
})

test('LZ4 is decompressed in every form that a frame can have', () => {
  const random = new SeededRandom(1)
  // Literals and matches of all lengths, near, far and overlapping.
  for (let i = 0; i < 30; i++) {
    const some = Buffer.concat(
      Array.from({ length: random.below(60) + 1 }, () =>
        random.below(2) === 0
          ? Buffer.from(random.bytes(random.below(400)))
          : Buffer.alloc(random.below(3_000), `${random.below(40)}`),
      ),
    )
    assert.deepEqual(unpackLz4(Buffer.from(lz4.compress(some))), some)
    assert.deepEqual(unpackSnappy(snappy.compress(some)), some)
  }
  // By the program lz4, 1.9.4, -9 -B4 -BD -BX --content-size: three linked blocks, with all checksums.
  const linked = Buffer.concat([
    Buffer.from('04224d185c40f049020000000000e91e010000ff04616c657274203132206f6620686f737420350a1300', 'hex'),
    Buffer.alloc(256, 255),
    Buffer.from('d550616c6572748e1a59710a0100000f1300', 'hex'),
    Buffer.alloc(256, 255),
    Buffer.from('e850203132206ff47eda24540000000f1300', 'hex'),
    Buffer.alloc(74, 255),
    Buffer.from('22506f6620686f4fe586ea00000000acb67d74', 'hex'),
  ])
  const plain = Buffer.alloc(150_000, 'alert 12 of host 5\n')
  assert.deepEqual(unpackLz4(linked), plain)
  assert.deepEqual(unpackLz4(Buffer.concat([linked, linked])), Buffer.concat([plain, plain]))
})

const unpackers = [
  ['Snappy', unpackSnappy, snappy.compress(text.subarray(0, 6_000))],
  ['LZ4', unpackLz4, Buffer.from(lz4.compress(text.subarray(0, 6_000)))],
  ['Zstandard', unpackZstd, zstdBomb(1)],
] as const

for (const [name, unpack, packed] of unpackers) {
  test(`bytes that are not ${name}, and damaged ones, end with a failure or other bytes`, async () => {
    const random = new SeededRandom(4)
    let failures = 0
    for (let i = 0; i < 600; i++) {
      const bytes = i % 3 === 0 ? Buffer.from(random.bytes(200)) : Buffer.from(packed)
      for (let times = 0; times < 3; times++)
        bytes[random.below(bytes.length)] = random.pick([0, 255, random.below(256)])
      try {
        await unpack(random.below(4) === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes)
      } catch (error) {
        assert.ok(error instanceof Error)
        failures++
      }
    }
    assert.ok(failures > 200, `only ${failures} failures`)
  })
}

test('a Snappy literal that claims 4 GiB is a failure', () => {
  assert.throws(() => unpackSnappy(Buffer.from([10, 63 << 2, 0xf9, 0xff, 0xff, 0xff, 1, 2, 3])), /too early/)
})

test('a length beyond the end of an LZ4 frame is a failure', () => {
  const frame = Buffer.from(lz4.compress(text))
  frame.writeUInt32LE(0x7fffffff, 7)
  assert.throws(() => unpackLz4(frame), /too early/)
})
