import assert from 'node:assert/strict'
import { test } from 'node:test'
import { votedSubjects } from '../../../../engine/services/training/voted-subjects.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

test('events of a job without buckets are subjects of their own, and share the memory of equal values', async () => {
  const shard = new TestShard()
  const job = jobSettings({ category: 'Event centric decision intelligence', decisionPoints: ['host', 'port'] })
  const hosts = ['a', 'b', 'a', 'a']
  for (const [at, host] of hosts.entries()) {
    await shard.ingest(job, { host, port: 22, at }, `e${at}`)
    await shard.feedback(job, `e${at}`, 'ann', job.labels[0]!.name)
  }
  const { subjects, singles } = votedSubjects(shard.environment, {
    jobId: job.id,
    points: job.decisionPoints,
    labels: job.labels.map(({ name }) => name),
    buckets: false,
  })
  assert.deepEqual(subjects, [])
  assert.deepEqual(
    singles.values,
    hosts.map((host) => [host, 22]),
  )
  assert.deepEqual([...singles.labels.subarray(0, singles.count)], [0, 0, 0, 0])
  assert.equal(new Set(singles.values).size, 2)
})
