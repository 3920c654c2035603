import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Usage, type UsageDeps } from '../../../../engine/services/monitor/usage.js'

/** Two threads of shards, and other threads that have nothing to do. */
function depsOf(integrations: object): UsageDeps {
  return {
    shards: { threads: 2, readThreadUsage: async () => ({ tid: process.pid, heapBytes: 5, externalBytes: 1 }) },
    readers: { busyMs: 0, memoryBytes: 0 },
    trainingThreads: { busyMs: 0, memoryBytes: 0 },
    integrations,
  } as unknown as UsageDeps
}

const containers = ['actor/0', 'actor/1', 'trainer/main', 'query/main', 'integration/main', 'monitor/main']

test('every container has points of processor and memory, also where its threads have nothing to do', async () => {
  const running = {
    isRunning: true,
    busyMs: 3,
    threadUsage: async () => ({ tid: null, heapBytes: 7, externalBytes: 0 }),
  }
  for (const [integrations, bytes] of [
    [{ isRunning: false }, 0],
    [running, 7],
  ] as const) {
    const usage = new Usage(depsOf(integrations))
    await usage.read()
    const samples = await usage.read()
    for (const name of containers) {
      const [cpu, memory] = samples[name] ?? [null, null]
      assert.ok(cpu !== null && cpu >= 0 && memory !== null, `${name}: ${JSON.stringify(samples[name])}`)
    }
    assert.equal(samples['integration/main']?.[1], bytes)
    assert.equal(samples['actor/1']?.[1], 6)
  }
})
