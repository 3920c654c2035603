import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isRefusal, Refusal } from '../../../../engine/errors.js'
import { MetricsLog, metricsTables } from '../../../../engine/services/report/metrics-log.js'
import { Recomputations } from '../../../../engine/services/report/recomputations.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { jobSettings } from '../../../support/engine/shard.js'
import type { ModelFigures } from '../../../../engine/services/report/metrics-query.js'

const place = { jobId: 1, version: 3 }

/** Recomputations over a store, whose figures come when the test says so. */
class Bench {
  readonly store: MemoryEnvironment
  readonly log: MetricsLog
  readonly recomputations: Recomputations
  readonly query: number[] = []
  readonly failures: unknown[] = []
  finish: (figures: ModelFigures) => void = () => {}
  fail: (error: Error) => void = () => {}
  #micros = 1_000

  constructor(store = new MemoryEnvironment([...metricsTables])) {
    this.store = store
    this.log = new MetricsLog(store)
    this.recomputations = new Recomputations({
      log: this.log,
      clock: { nowMicros: () => this.#micros++, nowMs: () => 0 } as never,
      job: (id) => (id === 1 ? jobSettings() : undefined),
      run: (_, version) => {
        this.query.push(version)
        return new Promise((resolve, reject) => {
          this.finish = resolve
          this.fail = reject
        })
      },
      failed: (_, error) => this.failures.push(error),
    })
  }
}

const figures = { basis: 'x' } as ModelFigures
const turns = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await Promise.resolve()
}

describe('recomputations', () => {
  it('are queued, in progress, completed, one of each model at a time', async () => {
    const bench = new Bench()
    const row = bench.recomputations.request(place)
    assert.equal(row.state, 'queued')
    assert.equal(bench.recomputations.request(place), row)
    await turns()
    assert.equal(bench.log.row(place)?.state, 'in_progress')
    const ended = bench.recomputations.ended(place, 60_000)
    bench.finish(figures)
    await ended
    const done = bench.log.row(place)
    assert.deepEqual([done?.state, done?.figures, done?.error], ['completed', figures, null])
    assert.deepEqual(new MetricsLog(bench.store).row(place), done)
  })

  it('run once more where they are asked for while they run, which may be behind what was said meanwhile', async () => {
    const bench = new Bench()
    bench.recomputations.request(place)
    await turns()
    assert.equal(bench.recomputations.request(place).state, 'in_progress')
    bench.recomputations.request(place)
    bench.recomputations.refresh(place)
    bench.finish(figures)
    await turns()
    assert.deepEqual([bench.log.row(place)?.state, bench.log.row(place)?.figures], ['in_progress', figures])
    bench.finish({ basis: 'y' } as ModelFigures)
    await turns()
    assert.deepEqual(
      [bench.log.row(place)?.state, bench.log.row(place)?.figures?.basis, bench.query.length],
      ['completed', 'y', 2],
    )
  })

  it('keep the figures from before when they fail, and say why', async () => {
    const bench = new Bench()
    bench.recomputations.request(place)
    await turns()
    bench.finish(figures)
    await turns()
    bench.recomputations.request(place)
    await turns()
    bench.fail(new Refusal('query_timeout', 'too long'))
    await turns()
    const row = bench.log.row(place)
    assert.deepEqual([row?.state, row?.figures, row?.error], ['failed', figures, 'too long'])
    assert.deepEqual(bench.failures, [])
  })

  it('that were cut off run again in the next process, in their order', async () => {
    const first = new Bench()
    first.recomputations.request(place)
    first.recomputations.request({ jobId: 1, version: 2 })
    await turns()
    first.recomputations.close()
    const second = new Bench(first.store)
    assert.equal(second.log.row(place)?.state, 'in_progress')
    second.recomputations.resume()
    await turns()
    second.finish(figures)
    await turns()
    assert.deepEqual(second.query, [3, 2])
    second.finish(figures)
    await turns()
    assert.equal(second.log.row({ jobId: 1, version: 2 })?.state, 'completed')
  })

  it('are waited for no longer than asked', async () => {
    const bench = new Bench()
    bench.recomputations.request(place)
    await bench.recomputations.ended(place, 1)
    assert.equal(bench.log.row(place)?.state, 'in_progress')
    await bench.recomputations.ended(place, 0)
    bench.recomputations.close()
  })

  it('of a job that was deleted meanwhile leave nothing behind', async () => {
    const bench = new Bench()
    bench.recomputations.request({ jobId: 7, version: 1 })
    await turns()
    assert.deepEqual(bench.query, [])
    bench.log.setProductionMicros(7, 5)
    assert.deepEqual(bench.log.jobs(), new Set([7]))
    bench.log.remove(7)
    assert.deepEqual(new MetricsLog(bench.store).jobs(), new Set())
  })

  it('that cannot be written are refused, and change nothing', () => {
    const bench = new Bench()
    bench.store.failNextCommit = new Refusal('store_full', 'full')
    assert.throws(
      () => bench.recomputations.request(place),
      (error) => isRefusal(error, 'store_full'),
    )
    assert.equal(bench.log.row(place), null)
  })
})
