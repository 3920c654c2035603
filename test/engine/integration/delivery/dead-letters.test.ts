import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ledger, ledgerTables, type StepId } from '../../../../engine/integration/delivery/ledger.js'
import { DeadLetters } from '../../../../engine/integration/delivery/dead-letters.js'
import { standardPace } from '../../../../engine/integration/delivery/pace.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import type { FeedItem } from '../../../../engine/integration/delivery/feed.js'

const step: StepId = { jobId: 1, integrationId: 1, role: 'output' }

test('a dead letter waits for its pause, but not longer if the clock is set back by a day, with and without a restart', async () => {
  const ledger = new Ledger(new MemoryEnvironment(ledgerTables), (_, error) => assert.fail(error as Error))
  let now = 1e12
  const open = (): DeadLetters =>
    new DeadLetters({ feed: { has: () => true }, step, ledger, pace: standardPace, nowMs: () => now, random: () => 0 })
  const deadLetters = open()
  deadLetters.write(
    { eventMicros: 5, changeMicros: 0 } as FeedItem,
    { outcome: 'failed', reason: 'oops', suspect: true },
    1,
  )
  assert.deepEqual([deadLetters.due(9).length, deadLetters.nextMs() - now], [0, standardPace.eventBaseMs / 2])
  now -= 86_400_000
  for (const each of [deadLetters, open()]) assert.deepEqual([each.due(9).length, each.nextMs()], [1, now])
  await ledger.close()
})
