/** Whether the copies of a node are current. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { ReadPoint } from '../../../../engine/services/cluster/read-point.js'
import { until } from '../../../support/until.js'
import type { Positions } from '../../../../engine/runtime/log/jetstream/owner-positions.js'

function at(shard: number, catalog = 0): Positions {
  return { shards: [shard], catalog }
}

/** Copies, an owner and logs whose positions a test sets; it counts how often the owner was asked. */
function world(test: TestContext) {
  const state = {
    applied: at(0),
    owner: at(0) as Positions | null,
    logs: null as Positions | null,
    asked: 0,
    /** Resolves before the owner answers. */
    before: Promise.resolve(),
  }
  const point = new ReadPoint({
    applied: () => state.applied,
    ofOwner: async () => {
      state.asked++
      await state.before
      return state.owner
    },
    ofLogs: async () => state.logs,
  })
  test.after(() => point.close())
  return { state, point }
}

describe('the copies of a node', () => {
  it('are current where they have what the owner has', async (t) => {
    const { state, point } = world(t)
    state.applied = at(5, 2)
    state.owner = at(5, 2)
    assert.equal(await point.lagMs(), 0)
  })

  it('are current as soon as they have caught up', async (t) => {
    const { state, point } = world(t)
    state.owner = at(3, 1)
    const lag = point.lagMs()
    state.applied = at(3, 0)
    await new Promise((resolve) => setImmediate(resolve))
    point.progressed()
    state.applied = at(4, 1)
    point.progressed()
    assert.equal(await lag, 0)
  })

  it('are not current where they do not catch up in time', async (t) => {
    const { state, point } = world(t)
    state.owner = at(3)
    assert.equal(await point.lagMs(), null)
  })

  it('are measured by the end of the logs where no owner answers', async (t) => {
    const { state, point } = world(t)
    state.owner = null
    state.logs = at(2)
    state.applied = at(2)
    assert.equal(await point.lagMs(), 0)
    state.logs = at(3)
    assert.equal(await point.lagMs(), null)
  })

  it('have a stated age where nobody answers, and none where they never were current', async (t) => {
    const { state, point } = world(t)
    state.owner = null
    assert.equal(await point.lagMs(), null)
    assert.equal(point.knownLagMs ?? 0, 0)
    state.owner = at(0)
    while ((await point.lagMs()) !== 0);
    assert.ok((point.knownLagMs as number) >= 1)
    state.owner = null
    assert.ok(((await point.lagMs()) as number) >= 1)
  })

  it('have their age at once, while nobody answers: neither who waits nor who comes waits for another', async (t) => {
    const { state, point } = world(t)
    assert.equal(await point.lagMs(), 0)
    state.owner = null
    let answer = (): void => {}
    state.before = new Promise<void>((resolve) => (answer = resolve))
    const waiting = [point.lagMs(), point.lagMs(), point.lagMs()]
    const asked = state.asked
    answer()
    for (const lagMs of await Promise.all(waiting)) assert.ok((lagMs as number) >= 1)
    assert.equal(state.asked, asked)
    // From here on no answer ever comes.
    let late = (): void => {}
    state.before = new Promise<void>((resolve) => (late = resolve))
    for (let i = 0; i < 3; i++) assert.ok(((await point.lagMs()) as number) >= 1)
    assert.ok(state.asked > asked, 'it is asked on, and not waited for')
    state.owner = at(0)
    late()
    while ((await point.lagMs()) !== 0);
  })

  it('have their age where an owner never answers, and nobody else does', async (t) => {
    const { state, point } = world(t)
    assert.equal(await point.lagMs(), 0)
    state.before = new Promise<void>(() => {})
    assert.ok(((await point.lagMs()) as number) >= 1)
  })

  it('are asked for once by requests that come together, and again for one that comes later', async (t) => {
    const { state, point } = world(t)
    let answer = (): void => {}
    state.before = new Promise<void>((resolve) => (answer = resolve))
    const first = point.lagMs()
    const others = [point.lagMs(), point.lagMs(), point.lagMs()]
    assert.equal(state.asked, 1)
    answer()
    assert.equal(await first, 0)
    assert.deepEqual(await Promise.all(others), [0, 0, 0])
    assert.equal(state.asked, 2)
  })
})

describe('the copy of the catalog', () => {
  it('is current whatever the copies of the shards are, and waits for records of its own', async (t) => {
    const { state, point } = world(t)
    state.owner = at(9, 2)
    state.applied = at(3, 1)
    let isCurrent = false
    const current = point.catalogCurrent()?.then(() => (isCurrent = true))
    await until(() => state.asked > 0)
    point.progressed()
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isCurrent, false)
    state.applied = at(4, 2)
    point.progressed()
    await current
  })

  it('is asked about once for all that come together, and not for who came before it was current', async (t) => {
    const { state, point } = world(t)
    const cameMs = performance.now()
    const all = Array.from({ length: 100 }, () => point.catalogCurrent(cameMs))
    await Promise.all(all)
    assert.equal(state.asked, 1)
    assert.equal(point.catalogCurrent(cameMs), null)
    assert.notEqual(point.catalogCurrent(performance.now()), null)
    await point.lagMs()
    assert.equal(point.catalogCurrent(cameMs), null)
  })

  it('is not waited for where nobody says how far it has to be', async (t) => {
    const { state, point } = world(t)
    state.owner = null
    const cameMs = performance.now()
    await point.catalogCurrent()
    assert.notEqual(point.catalogCurrent(cameMs), null, 'it is not known to be current')
  })
})
