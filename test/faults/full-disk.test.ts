import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openShard } from '../../engine/store/directory/environments.js'
import { afterwards } from '../support/afterwards.js'
import { temporaryDirectory } from '../support/engine/files.js'
import { recount } from '../support/engine/recount.js'
import { EngineChild } from './child.js'

/** A file may not grow beyond a limit, which is raised later: this is how a full disk behaves that gets room again. */
const limits = spawnSync('bash', ['-c', 'command -v prlimit']).status === 0
const LIMIT_KIB = 1_500
/** A file system of its own, for users who may mount one. */
const DISK_MIB = 12

/** Posts round by round, and records what was stored and what was refused. */
class Poster {
  readonly stored: string[] = []
  readonly refused = new Map<string, string>()
  readonly #child: EngineChild
  #round = 0

  constructor(child: EngineChild) {
    this.#child = child
  }

  /** Returns the number of refusals. */
  async post(rounds: number, count = 40): Promise<number> {
    const before = this.refused.size
    for (const until = this.#round + rounds; this.#round < until; this.#round++) {
      const text = `${this.#round} `.repeat(300)
      await Promise.all(
        Array.from({ length: count }, async (_, i) => {
          const eventId = `e${this.#round}-${i}`
          const outcome = await this.#child.ask({ ask: 'ingest', eventId, body: { host: `h${i % 5}`, text } })
          assert.ok(outcome !== null)
          if ('result' in outcome) this.stored.push(eventId)
          else this.refused.set(eventId, outcome.refused)
        }),
      )
    }
    return this.refused.size - before
  }

  /** Every read answers with the truth. */
  async read(): Promise<void> {
    for (const eventId of this.stored)
      assert.ok('result' in ((await this.#child.ask({ ask: 'event', eventId })) ?? {}), eventId)
    for (const eventId of this.refused.keys())
      assert.deepEqual(await this.#child.ask({ ask: 'event', eventId }), { refused: 'event_not_found' })
  }
}

async function fillAndGoOn(child: EngineChild, directory: string, makeRoom: () => void): Promise<void> {
  const ready = await child.ready
  assert.ok(ready?.ready === true, JSON.stringify(ready))
  const poster = new Poster(child)
  // What was written in advance takes some events after the first refusal.
  let refusedRounds = 0
  for (let round = 0; round < 400 && refusedRounds < 20; round++) if ((await poster.post(1)) > 0) refusedRounds++
  assert.equal(refusedRounds, 20)
  assert.ok(poster.stored.length > 100, `${poster.stored.length} events were stored first`)
  for (const code of poster.refused.values()) assert.ok(code === 'store_full' || code === 'store_failed', code)
  await poster.read()
  assert.deepEqual(child.failures, [])

  makeRoom()
  assert.equal(await poster.post(10), 0)
  const vote = await child.ask({ ask: 'feedback', eventId: poster.stored[0] as string, analyst: 'ann', label: 'Drop' })
  assert.equal((vote as { result: { consensus: string } }).result.consensus, 'Drop')
  await child.kill()
  const events = new Set<string>()
  for (const shard of [0, 1]) {
    const environment = openShard(directory, shard)
    if ([...environment.range('stats', {})].length > 0)
      for (const id of recount(environment, ready.jobId).events.keys()) events.add(id)
    await environment.close()
  }
  assert.deepEqual([...events].sort(), [...poster.stored].sort())
}

describe('a full disk', () => {
  it('refuses what it cannot store, still reads, loses nothing, and continues when there is room', {
    skip: limits ? false : 'bash and prlimit are needed to limit the size of files',
  }, async (test) => {
    const directory = temporaryDirectory(test)
    const child = new EngineChild(directory, LIMIT_KIB)
    afterwards(test, () => child.kill())
    await fillAndGoOn(child, directory, () => {
      execFileSync('prlimit', ['--pid', String(child.process.pid), '--fsize=unlimited:unlimited'])
    })
  })

  it('does the same on a file system that is full', async (test) => {
    const directory = temporaryDirectory(test)
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', directory]).status !== 0) {
      return test.skip('only root can mount a file system')
    }
    try {
      const [data, ballast] = [join(directory, 'data'), join(directory, 'ballast')]
      writeFileSync(ballast, Buffer.alloc(DISK_MIB * 512 * 1024))
      const child = new EngineChild(data)
      try {
        await fillAndGoOn(child, data, () => rmSync(ballast))
      } finally {
        await child.kill()
      }
    } finally {
      spawnSync('umount', ['-l', directory])
    }
  })

  it('is reported in a sentence at the first start, and the next start with room succeeds', {
    skip: limits ? false : 'bash and prlimit are needed to limit the size of files',
  }, async (test) => {
    const directory = temporaryDirectory(test)
    for (const limit of [0, 12, 80]) {
      const child = new EngineChild(directory, limit)
      afterwards(test, () => child.kill())
      const ready = await child.ready
      assert.ok(ready !== null, `the process went down with files of at most ${limit} KiB`)
      if (!ready.ready)
        assert.ok(['store_full', 'store_failed', 'data_dir_invalid'].includes(ready.code), JSON.stringify(ready))
      await child.kill()
    }
    const child = new EngineChild(directory)
    afterwards(test, () => child.kill())
    assert.equal((await child.ready)?.ready, true)
    await child.kill()
  })
})
