import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openEngine } from '../../engine/index.js'
import { SeededRandom } from '../../engine/rng.js'
import { temporaryDirectory } from '../support/engine/files.js'
import { jobsOfRound, sharedJobs } from './resource-rounds.js'
import { testAuthor } from '../support/author.js'
import { childFile } from '../child-files.js'
import { shortLived } from '../support/short-lived.js'

const program = fileURLToPath(childFile('resources-child'))
const KILLS = 4

interface Progress {
  readonly round: number
  readonly step: 'applied' | 'unbound' | 'deleted'
}

interface Shown {
  readonly properties: {
    readonly description: string
    readonly pipeline_integrations: readonly { readonly integration_type: string }[]
  }
}

/** Runs the child until it has done something, and a little longer. Returns its last report. */
async function runAndKill(dataDir: string, first: number, afterMs: number): Promise<Progress> {
  const child = fork(program, [dataDir, String(first)], { execArgv: [...shortLived] })
  let last: Progress | null = null
  child.on('message', (progress: Progress) => (last = progress))
  await once(child, 'message')
  await sleep(afterMs)
  child.kill('SIGKILL')
  await once(child, 'close')
  assert.ok(last !== null)
  return last
}

/**
 * Compares the resource store with what was acknowledged: each step of each round must be there whole or not at all.
 */
async function check(dataDir: string, { round, step }: Progress): Promise<void> {
  const engine = await openEngine({ dataDir, name: 'service', shards: 2, threads: 1 })
  try {
    const show = (title: string): Shown | undefined => {
      const [shown] = engine.listResources({ type: 'job', title }) as Record<string, Shown>[]
      return shown?.[title]
    }
    const inputs = ({ properties }: Shown): number =>
      properties.pipeline_integrations.filter((each) => each.integration_type === 'input').length
    const isThere = (type: 'api_key' | 'integration', title: string): boolean =>
      engine.listResources({ type, title }).length > 0
    const shared = sharedJobs.map((title) => show(title))
    const described = new Set(shared.map((each) => each?.properties.description))
    assert.equal(described.size, 1, 'all shared jobs are of one round')
    const [current] = [...described].map(Number) as [number]
    assert.ok(
      current === round || current === round + 1,
      `round ${round} ${step} was acknowledged, ${current} is there`,
    )
    assert.ok(isThere('api_key', `key ${current}`))
    assert.ok(!isThere('api_key', `key ${current + 1}`) && !isThere('integration', `rest ${current + 1}`))
    assert.equal(jobsOfRound(current + 1).filter((title) => show(title) !== undefined).length, 0)
    const bound = isThere('integration', `rest ${current}`)
    if (current === round && step !== 'applied') assert.ok(!bound, 'a forced deletion that was acknowledged')
    assert.deepEqual([...new Set(shared.map((each) => inputs(each as Shown)))], [bound ? 1 : 0])
    const own = jobsOfRound(current)
      .map((title) => show(title))
      .filter((each) => each !== undefined)
    assert.ok(own.every((each) => inputs(each) === (bound ? 1 : 0)))
    const deleting = !bound && current % 2 === 1
    if (!deleting) assert.equal(own.length, jobsOfRound(current).length)
    if (deleting && current === round && step === 'deleted') assert.equal(own.length, 0)
    assert.equal(engine.listResources({ title: `rest ${current - 1}` }).length, 0)
    // The next child begins with another round, in which the shared jobs have one input again.
    if (bound) await engine.deleteResource({ type: 'integration', title: `rest ${current}`, force: true }, testAuthor)
  } finally {
    await engine.close()
  }
}

describe('an engine that is killed while it applies and deletes resources', () => {
  it('has each request whole or not at all, and everything that it acknowledged', async (test) => {
    const dataDir = temporaryDirectory(test)
    const random = new SeededRandom(5)
    for (let kill = 0, first = 0; kill < KILLS; kill++) {
      const progress = await runAndKill(dataDir, first, random.below(150))
      await check(dataDir, progress)
      first = progress.round + 2
    }
  })
})
