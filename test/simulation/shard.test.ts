import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { join } from 'node:path'
import { Follower } from '../../engine/runtime/log/follower.js'
import { FileLog } from '../../engine/runtime/log/file-log.js'
import { LogUnavailable, type RecordLog } from '../../engine/runtime/log/turn-log.js'
import { SeededRandom } from '../../engine/rng.js'
import { temporaryDirectory } from '../support/engine/files.js'
import { TestShard } from '../support/engine/shard.js'
import { forgetTrained } from '../support/engine/trained.js'
import { meetBugs, World, type Troubles } from './world.js'

/**
 * `SIMULATION_SEED=n` runs seed n alone. `SIMULATION_SEEDS=n` runs the seeds 1 to n. The default is one seed in which
 * audits end in every way.
 */
const only = process.env.SIMULATION_SEED
const count = process.env.SIMULATION_SEEDS
const seeds =
  only !== undefined
    ? [Number(only)]
    : count === undefined
      ? [1]
      : Array.from({ length: Number(count) }, (_, i) => i + 1)

async function live(seed: number, troubles: Troubles, rounds = 12, log: RecordLog | null = null): Promise<World> {
  const world = new World(seed, troubles, log)
  try {
    for (let round = 0; round < rounds; round++) {
      for (let step = 0; step < 60; step++) {
        world.step()
        if (step % 17 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      await world.settle()
    }
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
  }
  return world
}

/** Outcomes of audits in all worlds, and states of requests with many historic events. */
const [outcomes, states] = [new Set<string>(), new Set<string>()]

const worlds: readonly [name: string, troubles: Troubles][] = [
  ['where all goes well', { commits: false, deaths: false, restarts: false }],
  ['with restarts', { commits: false, deaths: false, restarts: true }],
  ['where commits fail', { commits: true, deaths: false, restarts: true }],
  ['where threads die and messages meet bugs', { commits: true, deaths: true, restarts: true }],
]

describe('after any sequence of messages, every row and counter equals a recount', () => {
  for (const [name, troubles] of worlds) {
    for (const seed of seeds) {
      it(`${name}, seed ${seed}`, async () => {
        const world = await live(seed, troubles)
        assert.ok(world.answered > 300)
        for (const outcome of world.audits) outcomes.add(outcome)
        for (const state of world.requests) states.add(state)
      })
    }
  }
})

it('audits end in every way in these worlds', { skip: only !== undefined }, () => {
  assert.deepEqual([...outcomes].sort(), ['clean', 'failure', 'late', 'pending'])
})

it('requests with many historic events are met in every state', { skip: only !== undefined }, () => {
  assert.deepEqual([...states].sort(), ['coming', 'done', 'running'])
})

describe('the same seed (S17)', () => {
  for (const [name, troubles] of worlds) {
    it(`leaves the same bytes: ${name}`, async () => {
      const one = await live(99, troubles, 4)
      forgetTrained()
      const two = await live(99, troubles, 4)
      assert.deepEqual(one.shard.rows(), two.shard.rows())
      assert.deepEqual([one.answered, one.refused], [two.answered, two.refused])
    })
  }
})

/** Appends fail, some after the record was stored. */
function failing(log: RecordLog, random: SeededRandom): RecordLog {
  return {
    append: async (bytes, after) => {
      if (random.below(12) === 0) throw new LogUnavailable('no answer')
      const sequence = await log.append(bytes, after)
      if (random.below(12) === 0) throw new LogUnavailable('the answer was lost')
      return sequence
    },
    last: () => log.last(),
    extent: () => log.extent(),
    purge: (through) => log.purge(through),
    read: (after, through) => log.read(after, through),
    follow: (after, signal) => log.follow(after, signal),
    close: () => log.close(),
  }
}

describe('a log of all turns, applied to an empty shard, leaves the same bytes', () => {
  for (const [name, troubles] of worlds) {
    for (const seed of seeds) {
      it(`${name}, seed ${seed}`, async (test) => {
        const path = join(temporaryDirectory(test), 'log')
        const log = new FileLog(path)
        const world = await live(seed, troubles, 6, troubles.commits ? failing(log, new SeededRandom(seed)) : log)
        await log.close()
        const recorded = new FileLog(path)
        const copy = new TestShard()
        meetBugs(copy)
        await new Follower(copy.asLogged(), recorded).catchUp()
        await recorded.close()
        assert.ok(world.answered > 150)
        // Which shapes have numbers depends on when the shard was opened; the bodies do not.
        const rows = (shard: TestShard): string[] => shard.rows().filter((row) => !row.startsWith('shapes '))
        assert.deepEqual(rows(copy), rows(world.shard))
      })
    }
  }
})
