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
  const subjects = votedSubjects(shard.environment, {
    jobId: job.id,
    points: job.decisionPoints,
    labels: job.labels.map(({ name }) => name),
    buckets: false,
  })
  assert.deepEqual(
    subjects.map(({ values, events, voted }) => [values, events, voted.length]),
    hosts.map((host) => [[host, 22], 1, 1]),
  )
  assert.equal(new Set(subjects.map(({ values }) => values)).size, 2)
})
