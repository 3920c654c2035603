import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeBucketId } from '../../../../engine/domain/event/bucket-id.js'
import { BUCKET_ID_BYTES, bucketIdOf, bucketText } from '../../../../engine/domain/event/bucket-key.js'
import type { PointValue, ScalarValue } from '../../../../engine/domain/event/point-value.js'
import { SeededRandom } from '../../../../engine/rng.js'

const scalars: readonly ScalarValue[] = [
  ...['', 'a', 's1:a', 'd1;', 'ä', 'aäb', '日本語', '\u{1f600}', '\u0000', '\u007f', '\u0080', 'x'.repeat(47)],
  ...['y'.repeat(48), 'z'.repeat(49), `${'é'.repeat(30)}end`, '長'.repeat(2_000), 'long '.repeat(500)],
  ...[0, -0, 1, -1, 0.5, 1e21, 5e-324, 2 ** 53, true, false],
]

function randomValue(random: SeededRandom): PointValue {
  if (random.below(6) === 0) return null
  if (random.below(3) > 0) return random.pick(scalars)
  return Array.from({ length: 2 + random.below(4) }, () => random.pick(scalars))
}

test('the id of values is that of their text, whatever ids were written before', () => {
  const random = new SeededRandom(11)
  const id = Buffer.alloc(BUCKET_ID_BYTES)
  for (let i = 0; i < 10_000; i++) {
    const values = Array.from({ length: random.below(6) }, () => randomValue(random))
    const fingerprint = random.nextUint32()
    writeBucketId(fingerprint, values, id)
    assert.deepEqual(id, bucketIdOf(fingerprint, bucketText(values)), JSON.stringify(values))
  }
})
