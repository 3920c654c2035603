import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SeededRandom } from '../../../engine/rng.js'
import {
  bucketKey,
  countKey,
  idKey,
  jobKey,
  jobRange,
  modelKey,
  timeKey,
  timeOfKey,
  timeOfValue,
  timeValue,
  versionOfKey,
} from '../../../engine/store/tables.js'

const jobs = [1, 2, 255, 256, 65_535, 65_536, 2 ** 31, 2 ** 32 - 2]
const times = [0, 1, 255, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 1_700_000_000_000_000, Number.MAX_SAFE_INTEGER]

function isBelow(a: Buffer, b: Buffer): boolean {
  return Buffer.compare(a, b) < 0
}

describe('tables', () => {
  it('key order is number order, job before time', () => {
    const keys = jobs.flatMap((job) => times.map((time) => timeKey(job, time)))
    assert.deepEqual([...keys].sort(Buffer.compare), keys)
    const random = new SeededRandom(1)
    for (let i = 0; i < 2_000; i++) {
      const [a, b] = [Math.floor(random.nextFloat() * 2 ** 53), Math.floor(random.nextFloat() * 2 ** 53)]
      assert.equal(isBelow(timeKey(7, a), timeKey(7, b)), a < b)
    }
    const versions = [1, 2, 255, 256, 2 ** 32 - 1].map((version) => modelKey(3, version))
    assert.deepEqual([...versions].sort(Buffer.compare), versions)
  })

  it('times and versions come back out of keys and values', () => {
    for (const time of times) {
      assert.equal(timeOfKey(timeKey(9, time)), time)
      assert.equal(timeOfValue(timeValue(time)), time)
      assert.equal(timeOfValue(Uint8Array.from(timeValue(time))), time)
    }
    assert.equal(versionOfKey(modelKey(1, 70_000)), 70_000)
  })

  it('the range of a job holds its keys and those of no other', () => {
    for (const job of jobs) {
      const { from, to } = jobRange(job)
      const own = [
        jobKey(job),
        timeKey(job, 0),
        timeKey(job, Number.MAX_SAFE_INTEGER),
        idKey(job, Buffer.alloc(0)),
        idKey(job, Buffer.alloc(512, 255)),
        bucketKey(job, Buffer.alloc(16, 255)),
        modelKey(job, 2 ** 32 - 1),
        countKey(job, 0),
      ]
      for (const key of own) assert.ok(!isBelow(key, from) && isBelow(key, to))
      for (const other of jobs) {
        if (other === job) continue
        for (const key of [jobKey(other), idKey(other, Buffer.alloc(512, 255))])
          assert.ok(isBelow(key, from) || !isBelow(key, to))
      }
    }
  })
})
