/**
 * A storm: `STORM_ALERTS` (default one million) alerts into one cluster, through a shard on a real store. Among them
 * are all the odd alerts of real streams: no fields, 1970 and 2100, relations in circles. Half-way, a new process takes
 * over.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Turns } from '../../../bench/walk/turn.js'
import { CauseRows } from '../../../engine/actor/cause/cause-table.js'
import { ClusterReader } from '../../../engine/services/read/cluster-reader.js'
import { Shard } from '../../../engine/actor/shard.js'
import { causeBounds } from '../../../engine/domain/cause/bounds.js'
import type { ClusterRow } from '../../../engine/domain/cause/cause-rows.js'
import { countClusters } from '../../../engine/domain/cause/clusters.js'
import { causeParts } from '../../../engine/domain/cause/cause-store.js'
import { SeededRandom } from '../../../engine/rng.js'
import { openLmdb, type LmdbEnvironment } from '../../../engine/store/lmdb/lmdb.js'
import { shardTables } from '../../../engine/store/tables.js'
import { alarm, processor } from '../../support/cause.js'
import { jobSettings } from '../../support/engine/shard.js'

const total = Number(process.env.STORM_ALERTS ?? 1_000_000)
const block = 5_000
const devices = 40
/** The largest row, bytes. */
const ROW_BYTES_MAX = 16_000

const impossible = ['1970-01-01T00:00:00Z', '2100-01-01T00:00:00Z', 'soon', null, -1]

/** One alert in a hundred has no device or no usable time. The others are neighbours in a circle. */
function storm(random: SeededRandom, number: number): { body: Record<string, unknown>; odd: boolean } {
  const device = random.below(devices)
  // All of it within an hour and a half of the stream's time; otherwise the cluster would reach its maximum length.
  const seconds = Math.floor((number / total) * 5_400) - random.below(20)
  const body = alarm(`d${device}`, `k${random.below(6)}`, Math.max(0, seconds), [
    `d${(device + 1) % devices}`,
    `d${(device + 7) % devices}`,
  ])
  const chance = random.below(200)
  if (chance === 0) delete body.device
  else if (chance === 1) body['@timestamp'] = random.pick(impossible)
  return { body, odd: chance < 2 }
}

async function run(linkage: 'window' | 'precedence'): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'storm-'))
  const job = jobSettings({
    category: 'Automated root cause analysis',
    decisionPoints: [],
    advancedSettings: { decide_untrained: true },
    pipeline: [processor({ linkage })],
  })
  let environment: LmdbEnvironment = openLmdb(directory, 'shard', shardTables)
  try {
    const random = new SeededRandom(1)
    let turns = new Turns(new Shard(environment, ['service']), job)
    let odd = 0
    // The least heap in each quarter of the storm: the rest is garbage.
    const heaps = [Infinity, Infinity, Infinity, Infinity]
    const seconds: number[] = []
    for (let number = 0; number < total; number += block) {
      const bodies = Array.from({ length: Math.min(block, total - number) }, (_, at) => {
        const alert = storm(random, number + at)
        odd += Number(alert.odd)
        return Buffer.from(JSON.stringify({ job_id: 1, raw_body: alert.body }))
      })
      const before = process.cpuUsage()
      for (let from = 0; from < bodies.length; ) from += turns.run('ingest', bodies, from, bodies.length - from)
      const { user, system } = process.cpuUsage(before)
      seconds.push((user + system) / 1e6 / bodies.length)
      if (number < total / 2 && number + block >= total / 2) {
        await environment.close()
        environment = openLmdb(directory, 'shard', shardTables)
        turns = new Turns(new Shard(environment, ['service']), job, turns.micros)
      }
      const quarter = Math.floor((4 * number) / total)
      heaps[quarter] = Math.min(heaps[quarter] as number, process.memoryUsage().heapUsed)
    }
    const grown = (heaps[3] as number) - (heaps[1] as number)
    assert.ok(grown < 100e6, `the heap grew by ${grown} bytes in the second half`)
    check(environment, linkage, odd)
    const rate = (part: readonly number[]): number => Math.round(part.length / part.reduce((all, one) => all + one, 0))
    const tenth = Math.ceil(seconds.length / 10)
    console.log(
      `${linkage}: ${rate(seconds)} alerts a second of processor time; in the first tenth ${rate(seconds.slice(0, tenth))}, in the last ${rate(seconds.slice(-tenth))}`,
    )
  } finally {
    await environment.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Nearly everything is in one cluster, which is marked as cut. Every row is bounded, and the cluster can be walked. */
function check(environment: LmdbEnvironment, linkage: 'window' | 'precedence', odd: number): void {
  const job = jobSettings({
    category: 'Automated root cause analysis',
    decisionPoints: [],
    advancedSettings: { decide_untrained: true },
    pipeline: [processor({ linkage })],
  })
  const rows = new CauseRows(environment, 1)
  const clusters = [...rows.all('clusters')]
    .map(({ number, row }) => ({ number, row: row as ClusterRow }))
    .filter(({ row }) => row.into === 0)
  const sizes = clusters.map(({ row }) => row.size)
  assert.equal(
    sizes.reduce((all, one) => all + one, 0),
    total,
    'every alert is in one cluster',
  )
  assert.equal(countClusters(rows), clusters.length)
  const largest = clusters.reduce((one, other) => (other.row.size > one.row.size ? other : one))
  if (linkage === 'window')
    assert.ok(largest.row.size >= total - 2 * odd - 1_000, `the largest cluster has ${largest.row.size} of ${total}`)
  assert.ok(
    largest.row.roots.length <= 3 * causeBounds.causeRootsMax &&
      largest.row.merged.length <= causeBounds.causeMergedMax,
  )
  for (const [part] of causeParts.entries()) {
    const from = Buffer.from([0, 0, 0, 1, part])
    environment.scan('causes', { from, to: Buffer.from([0, 0, 0, 1, part + 1]) }, (_, value) => {
      assert.ok(value.length <= ROW_BYTES_MAX, `a row of ${value.length} bytes`)
      return true
    })
  }
  const reader = new ClusterReader(environment, job)
  let page = reader.list({ size: 1, alertsMin: largest.row.size })
  while (page.clusters.length === 0 && page.next !== null)
    page = reader.list({ size: 1, alertsMin: largest.row.size, after: page.next })
  const id = page.clusters[0]?.clusterId ?? assert.fail('the cluster is not listed')
  const [seen, pages] = [new Set<string>(), 20]
  let after: string | undefined
  for (let shown = 0; shown < pages; shown++) {
    const tree = reader.tree(id, { size: 200, ...(after === undefined ? {} : { after }) })
    const walk = (members: typeof tree.members): void =>
      members.forEach((member) => {
        assert.ok(!seen.has(member.eventId), 'an alert twice')
        seen.add(member.eventId)
        walk(member.members)
      })
    walk(tree.members)
    if (tree.next === null) break
    after = tree.next
  }
  assert.ok(seen.size >= Math.min(largest.row.size, pages * 200))
}

describe(`a storm of ${total.toLocaleString('en')} alerts`, () => {
  it('is one cluster with the linkage `window`, and bounded', () => run('window'))
  it('is survived with the linkage `precedence`, and bounded', () => run('precedence'))
})
