import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isClosed } from '../../../../engine/domain/cause/cause-rows.js'
import { causeBounds } from '../../../../engine/domain/cause/bounds.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { alarm, START_MS, TestClustering } from '../../../support/cause.js'

describe('an alert', () => {
  it('joins the cluster of what it follows from, on the same device or one next to it, while nothing else is known', () => {
    const world = new TestClustering()
    const [a, b, c] = [
      world.take(alarm('d1', 'power', 0)),
      world.take(alarm('d1', 'link', 5)),
      world.take(alarm('d2', 'loss', 8, ['d1'])),
    ]
    assert.deepEqual([world.clusterOf(b), world.clusterOf(c)], [world.clusterOf(a), world.clusterOf(a)])
    assert.equal(world.clustering.alert(b)?.parent, a)
    assert.equal(world.clustering.alert(c)?.parent, b)
    assert.equal(world.clustering.alert(c)?.side, 3)
  })

  it('is a cluster of its own on a device that nothing joins to the others, or after the gap', () => {
    const world = new TestClustering({ gap_s: 30 })
    const alerts = [alarm('d1', 'power', 0), alarm('d9', 'link', 1), alarm('d1', 'link', 40)].map((body) =>
      world.take(body),
    )
    assert.equal(new Set(alerts.map((alert) => world.clusterOf(alert))).size, 3)
  })

  it('does not cross from one value of the equal fields to another, nor without them', () => {
    const world = new TestClustering({ equal_fields: ['site'] })
    const at = (site: string | null, seconds: number, type: string) =>
      world.take({ ...alarm('d1', type, seconds), ...(site === null ? {} : { site }) })
    const [a, b, c, d] = [at('x', 0, 'p'), at('y', 1, 'q'), at('x', 2, 'r'), at(null, 3, 's')]
    assert.equal(world.clusterOf(c), world.clusterOf(a))
    assert.equal(new Set([a, b, d].map((alert) => world.clusterOf(alert))).size, 3)
    assert.equal(world.clustering.alert(d)?.alone, 'no_id')
  })

  it('out of order finds its cluster, takes in what follows from it, and makes two clusters one', () => {
    const world = new TestClustering()
    const [b, c] = [world.take(alarm('d1', 'link', 10, ['d0'])), world.take(alarm('d2', 'loss', 12, ['d0']))]
    assert.notEqual(world.clusterOf(b), world.clusterOf(c))
    const a = world.take(alarm('d0', 'power', 2))
    assert.deepEqual([world.clusterOf(b), world.clusterOf(c)], [world.clusterOf(a), world.clusterOf(a)])
    assert.deepEqual(
      [world.clustering.alert(b)?.parent, world.clustering.alert(c)?.parent, world.clustering.alert(a)?.followers],
      [a, a, 2],
    )
    const cluster = world.clustering.cluster(world.clusterOf(a))
    assert.equal(cluster?.row.size, 3)
    assert.deepEqual(cluster?.row.roots.slice(0, 1), [a])
    assert.equal(cluster?.row.merged.length, 2)
  })

  it('out of order takes in its symptoms on all devices, also those of one kind', () => {
    const world = new TestClustering()
    const symptoms = ['d1', 'd2', 'd3'].map((device, i) => world.take(alarm(device, 'loss', 10 + i, ['d0'])))
    const cause = world.take(alarm('d0', 'power', 2))
    assert.deepEqual(
      symptoms.map((symptom) => world.clustering.alert(symptom)?.parent),
      [cause, cause, cause],
    )
    assert.equal(world.clustering.alert(cause)?.followers, 3)
  })

  it('too late is a cluster of its own, and so is one without an id', () => {
    const world = new TestClustering({ late_s: 60 })
    for (let i = 0; i < 4; i++) world.take(alarm('d1', 'power', 1000 + i))
    const late = world.take(alarm('d1', 'link', 10))
    const nameless = world.take({ alarm: { type: 'x' }, '@timestamp': new Date(START_MS + 1_004_000).toISOString() })
    assert.deepEqual([world.clustering.alert(late)?.alone, world.clustering.alert(nameless)?.alone], ['late', 'no_id'])
  })

  it('joins everything within the gap with the linkage `window`', () => {
    const world = new TestClustering({ linkage: 'window' })
    const [a, b] = [world.take(alarm('d1', 'p', 0)), world.take(alarm('d3', 'p', 1))]
    assert.notEqual(world.clusterOf(a), world.clusterOf(b))
    const c = world.take(alarm('d2', 'p', 2, ['d1', 'd3']))
    assert.deepEqual([world.clusterOf(a), world.clusterOf(b)], [world.clusterOf(c), world.clusterOf(c)])
  })
})

describe('a cluster', () => {
  it('is closed once the stream is past it, and takes in no more', () => {
    const world = new TestClustering({ gap_s: 60, late_s: 10 })
    const a = world.take(alarm('d1', 'power', 0))
    for (let i = 0; i < 4; i++) world.take(alarm(`other${i}`, 'x', 500 + i))
    const cluster = world.clustering.cluster(world.clusterOf(a))
    assert.ok(cluster !== null && isClosed(cluster.row, world.settings, world.clustering.streamTime(a)))
    assert.notEqual(world.clusterOf(world.take(alarm('d1', 'link', 20))), world.clusterOf(a))
  })

  it('does not grow longer than its bound', () => {
    const world = new TestClustering({ length_s: 20 })
    const [a, b, c] = [
      world.take(alarm('d1', 'p', 0)),
      world.take(alarm('d1', 'q', 15)),
      world.take(alarm('d1', 'r', 25)),
    ]
    assert.equal(world.clusterOf(a), world.clusterOf(b))
    assert.notEqual(world.clusterOf(c), world.clusterOf(a))
  })

  it('stays bounded in a storm, and says when it is cut', () => {
    const world = new TestClustering({ linkage: 'window' })
    const hub = Array.from({ length: 60 }, (_, i) => `d${i}`)
    for (let i = 0; i < 3_000; i++)
      world.take(alarm(`d${i % 90}`, `kind ${i % 7}`, Math.floor(i / 100), i % 50 === 0 ? hub : []))
    const { row } =
      world.clustering.cluster(world.clusterOf(world.take(alarm('d0', 'kind 0', 31, hub)))) ?? assert.fail()
    assert.ok(row.size > 1_000)
    assert.ok(row.roots.length <= 3 * causeBounds.causeRootsMax && row.merged.length <= causeBounds.causeMergedMax)
    assert.equal(row.cut, true)
    world.clustering.flush()
    for (const text of world.causeStore.rows.values()) assert.ok(text.length < 16_000, text.slice(0, 200))
  })
})

describe('whatever comes', () => {
  const times = ['1970-01-01T00:00:00Z', '2100-01-01T00:00:00Z', 'soon', -5, 1e300, '', null, 17, [1, 2]]

  it('links make no cycle, and each alert is in one cluster that counts it', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const random = new SeededRandom(seed)
      const world = new TestClustering(seed % 2 === 0 ? { linkage: 'window' } : {})
      const alerts = Array.from({ length: 600 }, (_, i) => {
        const names = Array.from({ length: random.below(4) }, () => `d${random.below(6)}`)
        const body = alarm(`d${random.below(6)}`, `k${random.below(5)}`, i + random.below(40), names)
        if (random.below(12) === 0) body['@timestamp'] = random.pick(times)
        if (random.below(20) === 0) delete body.device
        return world.take(body)
      })
      const sizes = new Map<number, number>()
      for (const alert of alerts) {
        const cluster = world.clusterOf(alert)
        sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1)
        const seen = new Set<number>()
        for (let at = alert; at !== 0; at = world.clustering.alert(at)?.parent ?? 0) {
          assert.ok(!seen.has(at), `seed ${seed}: a cycle`)
          seen.add(at)
        }
      }
      for (const [id, size] of sizes) assert.equal(world.clustering.cluster(id)?.row.size, size, `seed ${seed}`)
    }
  })

  it('a restart at any point goes on with the same bytes', () => {
    for (let seed = 1; seed <= 4; seed++) {
      const bodies = (): Record<string, unknown>[] => {
        const random = new SeededRandom(seed)
        return Array.from({ length: 700 }, (_, i) => {
          return alarm(`d${random.below(9)}`, `k${random.below(6)}`, i * 3 + random.below(60), [`d${random.below(9)}`])
        })
      }
      const [whole, broken] = [new TestClustering(), new TestClustering()]
      const random = new SeededRandom(seed + 100)
      for (const body of bodies()) whole.take(body)
      for (const body of bodies()) {
        broken.take(body)
        if (random.below(40) === 0) broken.restart()
        if (random.below(40) === 0) broken.clustering.flush()
      }
      whole.clustering.flush()
      broken.clustering.flush()
      assert.deepEqual(broken.causeStore.bytes(), whole.causeStore.bytes(), `seed ${seed}`)
    }
  })
})
