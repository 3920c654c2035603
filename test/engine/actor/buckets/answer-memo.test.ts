import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AnswerMemo } from '../../../../engine/actor/buckets/answer-memo.js'
import { BucketMemory } from '../../../../engine/actor/buckets/bucket-memory.js'
import { noDecision } from '../../../../engine/domain/decide/decision.js'
import { hashBytes, viewOfBytes } from '../../../../engine/domain/event/byte-table.js'
import type { PointKey } from '../../../../engine/domain/event/point-tree.js'
import type { PointValues } from '../../../../engine/domain/event/point-value.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const job = jobSettings({ category: 'Event centric decision intelligence' })

function keyOf(text: string): PointKey {
  const view = viewOfBytes(Buffer.from(text))
  return { view, length: view.byteLength, hash: hashBytes(view, 0, view.byteLength) }
}

const no = (): PointValues => ['a', null]

describe('the answers of a job without buckets', () => {
  it('are kept by the bytes at the decision points, for one version of the model', () => {
    const memo = new AnswerMemo(7, new BucketMemory())
    const answer = memo.of(keyOf('a'), 1, no)
    answer!.decision = noDecision
    assert.equal(memo.of(keyOf('a'), 1, no)?.decision, noDecision)
    assert.equal(memo.of(keyOf('b'), 1, no)?.decision, null)
    assert.equal(memo.of(keyOf('a'), 2, no)?.decision, null)
    assert.equal(memo.of(keyOf('none'), 2, () => [null])?.lacksPoints, true)
    assert.deepEqual(answer?.absent, [1])
  })

  it('are bounded where every event is new, and counted in the memory of the thread', () => {
    const memory = new BucketMemory()
    const memo = new AnswerMemo(7, memory)
    for (let i = 0; i < 20_000; i++) {
      memo.of(keyOf(`event ${i}`), 1, no)
      assert.ok(memo.bytes < 4.1 * 1024 * 1024)
      assert.equal(memory.bytes, memo.bytes)
    }
    memo.shrink()
    assert.equal(memory.bytes, 0)
    memo.of(keyOf('a'), 1, no)
    memo.drop()
    assert.equal(memory.bytes, 0)
  })

  it('are those of the active model, for repeated values and for new ones', async () => {
    const shard = new TestShard()
    const decided = async (host: string): Promise<[string, number]> => {
      const { resultLabel, confidenceScore } = await shard.ingest(job, { host, user: 'x' })
      return [resultLabel, confidenceScore]
    }
    for (let i = 0; i < 6; i++) {
      for (const host of ['noisy', 'vault']) {
        await shard.ingest(job, { host, user: 'x' }, `${host} ${i}`)
        await shard.feedback(job, `${host} ${i}`, 'ann', host === 'noisy' ? 'Drop' : 'Escalate')
      }
    }
    assert.deepEqual(await decided('noisy'), ['', 0])
    await shard.install(job, shard.train(job, 1))
    const first = await decided('noisy')
    assert.equal(first[0], 'Drop')
    assert.deepEqual(await decided('noisy'), first)
    assert.equal((await decided('vault'))[0], 'Escalate')
    for (let i = 0; i < 6; i++) {
      await shard.feedback(job, `noisy ${i}`, 'ann', 'Escalate')
      await shard.feedback(job, `vault ${i}`, 'ann', 'Drop')
    }
    await shard.install(job, shard.train(job, 2))
    const second = await decided('noisy')
    assert.equal(second[0], 'Escalate')
    shard.restart()
    assert.deepEqual(await decided('noisy'), second)
  })
})
