/** A process that is killed in the middle of a request with historic events. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JobView } from '../../engine/index.js'
import { openShard } from '../../engine/store/directory/environments.js'
import { afterwards } from '../support/afterwards.js'
import { temporaryDirectory } from '../support/engine/files.js'
import { recount } from '../support/engine/recount.js'
import { EngineChild } from './child.js'

const EVENTS = 1_500
const events = Array.from({ length: EVENTS }, (_, i) => ({
  raw_body: { host: `h${i % 20}`, i },
  label: { cortex_user: 'ann', feedback: i % 2 === 0 ? 'Drop' : 'Escalate' },
}))

async function started(directory: string, test: TestContext): Promise<EngineChild> {
  const child = new EngineChild(directory)
  afterwards(test, () => child.kill())
  const ready = await child.ready
  assert.ok(ready?.ready === true, JSON.stringify(ready))
  return child
}

async function counts(child: EngineChild): Promise<[events: number, votes: number]> {
  const outcome = await child.ask({ ask: 'job' })
  assert.ok(outcome !== null && 'result' in outcome, JSON.stringify(outcome))
  const { processedDocuments, feedbackDocuments } = outcome.result as JobView
  return [processedDocuments, feedbackDocuments]
}

async function until(child: EngineChild, holds: (stored: number) => boolean): Promise<void> {
  while (!holds((await counts(child))[0])) await sleep(2)
}

describe('a process that is killed in the middle of a request with historic events', () => {
  it('stores all of it after the next start, once, also where it is sent again', async (test) => {
    const directory = temporaryDirectory(test)
    let child = await started(directory, test)
    const answer = child.ask({ ask: 'historic', events })
    await until(child, (stored) => stored > 0)
    for (const more of [200, 300]) {
      await child.kill()
      child = await started(directory, test)
      const [before] = await counts(child)
      assert.ok(before > 0)
      await until(child, (stored) => stored >= Math.min(EVENTS, before + more))
    }
    assert.equal(await answer, null)
    assert.deepEqual(await child.ask({ ask: 'historic', events }), { result: EVENTS })
    assert.deepEqual(await counts(child), [EVENTS, EVENTS])
    await child.ask({ ask: 'close' })
    await child.kill()
    for (const shard of [0, 1]) {
      const environment = openShard(directory, shard)
      assert.deepEqual([...environment.range('history', {})], [])
      if ([...environment.range('stats', {})].length > 0) recount(environment, 1)
      await environment.close()
    }
  })

  it('stores none of it where it was not completely there, and all of it where it is sent again', async (test) => {
    const directory = temporaryDirectory(test)
    let child = await started(directory, test)
    const answer = child.ask({ ask: 'historic', events })
    await child.kill()
    assert.equal(await answer, null)
    child = await started(directory, test)
    assert.deepEqual(await child.ask({ ask: 'historic', events }), { result: EVENTS })
    assert.deepEqual(await counts(child), [EVENTS, EVENTS])
  })
})
