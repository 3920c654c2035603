import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mailbox } from '../../../engine/runtime/mailbox/mailbox.js'
import type { TurnSlots } from '../../../engine/runtime/mailbox/turn-slots.js'
import { ShardMemory } from '../../../engine/runtime/shard-memory.js'
import type { ShardThreads } from '../../../engine/runtime/threads/shard-threads.js'
import type { TurnMeter } from '../../../engine/runtime/turn/turn-meter.js'
import { afterwards } from '../../support/afterwards.js'

test('the main thread hears of a rest when no thread has messages any more', async (at) => {
  const waiting = [0, 0]
  let rested = 0
  const memory = new ShardMemory({
    shards: waiting.map((_, shard) => ({
      mailbox: {
        get length() {
          return waiting[shard]!
        },
      } as Mailbox,
      meter: { turns: 1 } as TurnMeter,
      reader: { sizeBytes: () => 0, refresh: () => {}, unmap: () => {} },
    })),
    threads: {
      count: 2,
      threadOf: (shard: number) => shard,
      unmap: () => Promise.resolve(true),
      rest: () => Promise.resolve(),
      collect: () => Promise.resolve(),
    } as unknown as ShardThreads,
    slots: waiting.map(() => ({ spares: { forget: () => {} } }) as TurnSlots),
    held: (_, work) => work(),
    failed: (_, error) => assert.fail(String(error)),
    rested: () => rested++,
  })
  afterwards(at, () => memory.close())
  waiting[1] = 4
  await memory.rest(0)
  assert.equal(rested, 0)
  waiting[1] = 0
  await memory.rest(1)
  assert.equal(rested, 1)
})
