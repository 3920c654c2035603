/** A process that is killed in the middle of a reprocessing task. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ReprocessTask } from '../../engine/index.js'
import { openShard } from '../../engine/store/directory/environments.js'
import { afterwards } from '../support/afterwards.js'
import { temporaryDirectory } from '../support/engine/files.js'
import { recount } from '../support/engine/recount.js'
import { EngineChild, type Ready } from './child.js'

const EVENTS = 3_000

async function started(
  directory: string,
  test: TestContext,
): Promise<{ child: EngineChild; ready: Ready & { ready: true } }> {
  const child = new EngineChild(directory)
  afterwards(test, () => child.kill())
  const ready = await child.ready
  assert.ok(ready?.ready === true, JSON.stringify(ready))
  return { child, ready }
}

async function query(child: EngineChild, request: Parameters<EngineChild['ask']>[0]): Promise<unknown> {
  const outcome = await child.ask(request)
  assert.ok(outcome !== null && 'result' in outcome, JSON.stringify(outcome))
  return outcome.result
}

async function until<T>(ask: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await ask()
    if (holds(value)) return value
    await sleep(3)
  }
}

async function firstTask(child: EngineChild): Promise<ReprocessTask> {
  const tasks = (await query(child, { ask: 'tasks' })) as ReprocessTask[]
  assert.equal(tasks.length, 1)
  return tasks[0] as ReprocessTask
}

describe('a process that is killed in the middle of a reprocessing task', () => {
  it('continues it after each start, and in the end each event is decided again and counted once', async (test) => {
    const directory = temporaryDirectory(test)
    let { child, ready } = await started(directory, test)
    await Promise.all(
      Array.from({ length: EVENTS }, (_, i) =>
        query(child, { ask: 'ingest', eventId: `e${i}`, body: { host: `h${i % 2}` } }),
      ),
    )
    await query(child, { ask: 'feedback', eventId: 'e0', analyst: 'ann', label: 'Drop' })
    await query(child, { ask: 'feedback', eventId: 'e1', analyst: 'ann', label: 'Escalate' })
    await query(child, { ask: 'train' })
    await until(
      () => query(child, { ask: 'job' }),
      (job) => (job as { retrainState: string }).retrainState === 'RETRAIN_FINISHED',
    )
    await query(child, { ask: 'note', eventId: 'e0', text: 'written before the kill' })
    for (let kill = 0, before = -1; kill < 2; kill++) {
      const { updated } = await until(
        () => firstTask(child),
        (task) => task.updated > before + 300 || task.finishedMicros !== null,
      )
      before = updated
      await child.kill()
      ;({ child, ready } = await started(directory, test))
    }
    const end = await until(
      () => firstTask(child),
      (task) => task.finishedMicros !== null,
    )
    assert.deepEqual([end.state, end.matched, end.updated, end.changed], ['finished', EVENTS, EVENTS, EVENTS])
    for (const i of [0, 1, EVENTS / 2, EVENTS - 1]) {
      const { resultLabel } = (await query(child, { ask: 'event', eventId: `e${i}` })) as { resultLabel: string }
      assert.equal(resultLabel, i % 2 === 0 ? 'Drop' : 'Escalate')
    }
    await child.kill()
    for (let shard = 0; shard < 2; shard++) {
      const environment = openShard(directory, shard)
      if ([...environment.range('stats', {})].length > 0) {
        assert.equal(recount(environment, ready.jobId).stats.decidedSinceTraining, EVENTS)
        assert.equal([...environment.range('notes', {})].length, 1)
      }
      await environment.close()
    }
  })
})
