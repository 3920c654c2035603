import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JobSettings, Label } from '../../../../engine/domain/job/job.js'
import { ClusterReader } from '../../../../engine/services/read/cluster-reader.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { alarm, START_MS } from '../../../support/cause.js'
import { refusedWith } from '../../../support/engine/refusal.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const quiet = jobSettings({ category: 'Automated root cause analysis', decisionPoints: [] })
const job: JobSettings = { ...quiet, advancedSettings: { decide_untrained: true } }

interface ClusterSection {
  readonly cluster_id: string
  readonly size: number
  readonly root_causes: readonly { readonly event_id: string }[]
  readonly follows_from: { readonly event_id: string } | null
  readonly decisions: readonly { readonly result_label: string; readonly source: string; readonly timestamp: string }[]
  readonly merged_from: readonly string[]
  readonly reason: string
}

function clusterOf(shard: TestShard, eventId: string, of: JobSettings = job): ClusterSection {
  const section = shard.reader().exportEvent(of, eventId, 'service').document.service as { cluster: ClusterSection }
  return section.cluster
}

async function incident(shard: TestShard, place: number, of: JobSettings = job): Promise<void> {
  const at = place * 5_000
  await shard.ingest(of, alarm('db', 'disk full', at), `root ${place}`)
  await shard.ingest(of, alarm('api', 'latency', at + 4, ['db']), `symptom ${place}`)
  await shard.ingest(of, alarm('mail', 'spam', at + 6), `alone ${place}`)
}

describe('an event of a root cause job', () => {
  it('has no decision before a training; what its cluster says is a suggestion', async () => {
    const shard = new TestShard()
    for (let place = 0; place < 10; place++) await incident(shard, place, quiet)
    const exported = (id: string) => {
      const { document } = shard.reader().exportEvent(quiet, id, 'service')
      return document.service as ClusterSection & { suggestion: object; log_messages: { content: string }[] }
    }
    const { status, result, resultLabel, confidenceScore } = shard.view(quiet, 'root 9')
    assert.deepEqual([status, result, resultLabel, confidenceScore], ['OK', '', '', 0])
    const { suggestion, log_messages: messages } = exported('root 9')
    assert.deepEqual(
      Object.entries(suggestion).filter(([name]) => name !== 'confidence_score'),
      [
        ['result', 'label_0'],
        ['result_label', 'Root cause'],
        ['source', 'untrained'],
      ],
    )
    assert.match(messages.at(-1)?.content ?? '', /^no decision: .* suggests Root cause/)
    const clusters = new ClusterReader(shard.environment, quiet, shard.take())
    const [cluster] = clusters.list({ size: 1, alertsMin: 2 }).clusters
    const [root] = clusters.tree((cluster as { clusterId: string }).clusterId, { size: 5 }).members
    assert.deepEqual(
      [root?.result, root?.suggestion?.resultLabel, root?.members[0]?.suggestion?.resultLabel],
      ['', 'Root cause', 'Symptom'],
    )
    assert.deepEqual(
      clusterOf(shard, 'root 9', quiet).decisions.map(({ source }) => source),
      ['none'],
    )
    for (let place = 0; place < 8; place++) {
      await shard.feedback(quiet, `root ${place}`, 'ann', 'Root cause')
      await shard.feedback(quiet, `symptom ${place}`, 'ann', 'Symptom')
    }
    assert.equal(shard.view(quiet, 'root 1').result, '')
    await shard.install(quiet, shard.train(quiet, 1))
    await incident(shard, 20, quiet)
    assert.deepEqual(
      [shard.view(quiet, 'symptom 20').resultLabel, exported('symptom 20').suggestion],
      ['Symptom', null],
    )
    await shard.post({ job: quiet, kind: 'reprocess', eventId: 'root 9' })
    assert.deepEqual([shard.view(quiet, 'root 9').resultLabel, exported('root 9').suggestion], ['Root cause', null])
  })

  it('keeps a decision that was made untrained, when the job no longer decides so', async () => {
    const shard = new TestShard()
    await shard.ingest(job, alarm('db', 'disk full', 0), 'a')
    const later = { ...quiet, revision: 2 }
    assert.equal((await shard.ingest(later, alarm('api', 'latency', 4, ['db']), 'b')).resultLabel, '')
    assert.equal(shard.view(later, 'a').resultLabel, 'Irrelevant')
  })

  it('is decided at once where the job decides untrained, with low confidence', async () => {
    const shard = new TestShard()
    const first = await shard.ingest(job, alarm('db', 'disk full', 0), 'a')
    assert.equal(first.resultLabel, 'Irrelevant')
    const second = await shard.ingest(job, alarm('api', 'latency', 4, ['db']), 'b')
    assert.equal(second.resultLabel, 'Symptom')
    const view = shard.view(job, 'a')
    assert.equal(view.resultLabel, 'Root cause')
    for (const { confidenceScore } of [first, second, view]) assert.ok(confidenceScore > 0 && confidenceScore < 60)
    const { decisions, size, root_causes } = clusterOf(shard, 'a')
    assert.deepEqual(
      decisions.map(({ result_label, source }) => [result_label, source]),
      [
        ['Irrelevant', 'untrained'],
        ['Root cause', 'untrained'],
      ],
    )
    assert.deepEqual([size, root_causes.map(({ event_id }) => event_id)], [2, ['a']])
    assert.equal(clusterOf(shard, 'b').follows_from?.event_id, 'a')
  })

  it('whose cluster is closed keeps its decision, whatever comes', async () => {
    const shard = new TestShard()
    await shard.ingest(job, alarm('db', 'disk full', 0), 'a')
    for (let i = 0; i < 4; i++) await shard.ingest(job, alarm(`x${i}`, 'noise', 5_000 + i), `n${i}`)
    await shard.ingest(job, alarm('api', 'latency', 4, ['db']), 'b')
    assert.equal(shard.view(job, 'a').resultLabel, 'Irrelevant')
    assert.match(clusterOf(shard, 'b').reason, /behind the stream/)
  })

  it('tells that two clusters became one', async () => {
    const shard = new TestShard()
    await shard.ingest(job, alarm('d1', 'link', 10, ['d0']), 'b')
    await shard.ingest(job, alarm('d2', 'loss', 12, ['d0']), 'c')
    await shard.ingest(job, alarm('d0', 'power', 2), 'a')
    const ids = ['a', 'b', 'c'].map((id) => clusterOf(shard, id).cluster_id)
    assert.equal(new Set(ids).size, 1)
    assert.equal(clusterOf(shard, 'b').merged_from.length, 2)
    assert.deepEqual(
      ['a', 'b', 'c'].map((id) => shard.view(job, id).resultLabel),
      ['Root cause', 'Symptom', 'Symptom'],
    )
  })

  it('learns from feedback, is reprocessed, and answers with the consensus on it', async () => {
    const shard = new TestShard()
    for (let place = 0; place < 12; place++) await incident(shard, place)
    for (let place = 0; place < 10; place++) {
      await shard.feedback(job, `root ${place}`, 'ann', 'Root cause')
      await shard.feedback(job, `symptom ${place}`, 'ann', 'Symptom')
      await shard.feedback(job, `alone ${place}`, 'ann', 'Irrelevant')
    }
    await shard.install(job, shard.train(job, 1))
    await incident(shard, 20)
    const named = ['root 20', 'symptom 20', 'alone 20'].map((id) => shard.view(job, id))
    assert.deepEqual(
      named.map(({ resultLabel }) => resultLabel),
      ['Root cause', 'Symptom', 'Irrelevant'],
    )
    assert.ok(
      named.every(({ confidenceScore }) => confidenceScore > 60),
      JSON.stringify(named.map(({ confidenceScore }) => confidenceScore)),
    )
    await shard.post({ job, kind: 'reprocess', eventId: 'root 3' })
    const again = shard.view(job, 'root 3')
    assert.deepEqual([again.resultLabel, again.bucketState], ['Root cause', 'in_knowledge_base'])
  })

  it('is called what its label means, not what stands first in the list, before a training and after it', async () => {
    const [rootCause, symptom, irrelevant] = job.labels as [Label, Label, Label]
    const orders: readonly (readonly Label[])[] = [
      [symptom, rootCause, irrelevant],
      [
        { ...irrelevant, name: 'A', role: 'irrelevant' },
        { ...symptom, name: 'B', role: 'symptom' },
        { ...rootCause, name: 'C', role: 'root_cause' },
      ],
    ]
    for (const labels of orders) {
      const named = { ...job, labels }
      const shard = new TestShard()
      const [cause, effect, alone] = labels === orders[0] ? ['Root cause', 'Symptom', 'Irrelevant'] : ['C', 'B', 'A']
      const answers = (place: number): string[] =>
        ['root', 'symptom', 'alone'].map((id) => shard.view(named, `${id} ${place}`).resultLabel)
      for (let place = 0; place < 10; place++) await incident(shard, place, named)
      assert.deepEqual(answers(9), [cause, effect, alone])
      for (let place = 0; place < 8; place++) {
        await shard.feedback(named, `root ${place}`, 'ann', cause as string)
        await shard.feedback(named, `symptom ${place}`, 'ann', effect as string)
      }
      await shard.install(named, shard.train(named, 1))
      await incident(shard, 20, named)
      assert.deepEqual(answers(20).slice(0, 2), [cause, effect])
    }
  })

  it('that a stopped job held is clustered when it starts', async () => {
    const shard = new TestShard()
    const stopped = { ...job, status: 'STOPPED' as const, revision: 2 }
    assert.equal((await shard.ingest(stopped, alarm('db', 'disk full', 0), 'a')).status, 'pending_inference')
    await shard.ingest(stopped, alarm('api', 'latency', 4, ['db']), 'b')
    assert.equal(clusterOf(shard, 'a'), undefined)
    const started = { ...job, revision: 3 }
    await shard.resume(started)
    assert.deepEqual(
      ['a', 'b'].map((id) => shard.view(started, id).resultLabel),
      ['Root cause', 'Symptom'],
    )
  })

  it('that another version takes the place of leaves its cluster', async () => {
    const shard = new TestShard()
    await shard.ingest(job, alarm('db', 'disk full', 0), 'a')
    await shard.ingest(job, alarm('db', 'latency', 4), 'b')
    const before = clusterOf(shard, 'a').cluster_id
    await shard.ingest(job, alarm('db', 'latency', 4_000), 'b')
    assert.equal(clusterOf(shard, 'a').size, 1)
    assert.notEqual(clusterOf(shard, 'b').cluster_id, before)
  })
})

describe('clusters', () => {
  it('are listed page by page, the one that began last first, and shown as trees', async () => {
    const shard = new TestShard()
    for (let place = 0; place < 3; place++) await incident(shard, place)
    const clusters = new ClusterReader(shard.environment, job, shard.take())
    const first = clusters.list({ size: 4 })
    const second = clusters.list({ size: 4, after: first.next as string })
    const all = [...first.clusters, ...second.clusters]
    assert.deepEqual([first.clusters.length, all.length, second.next], [4, 6, null])
    assert.deepEqual(
      all.map(({ size }) => size),
      [1, 2, 1, 2, 1, 2],
    )
    assert.deepEqual(clusters.list({ size: 9, alertsMin: 2 }).clusters.length, 3)
    assert.deepEqual(clusters.list({ size: 9, state: 'closed' }).clusters.length, 4)
    const within = (from: number, to: number): number =>
      clusters.list({ size: 9, fromMs: START_MS + from * 1000, toMs: START_MS + to * 1000 }).clusters.length
    assert.deepEqual([within(0, 5_001), within(4, 6), within(5, 6), within(6, 7), within(6, 5_000)], [3, 1, 0, 1, 1])
    assert.deepEqual([first.total, clusters.list({ size: 1, alertsMin: 2 }).total], [6, 6])
    const tree = clusters.tree((all[1] as { clusterId: string }).clusterId, { size: 10 })
    assert.deepEqual(
      tree.members.map(({ eventId, members }) => [eventId, members.map((each) => each.eventId)]),
      [['root 2', ['symptom 2']]],
    )
    const page = clusters.tree((all[1] as { clusterId: string }).clusterId, { size: 1 })
    const rest = clusters.tree((all[1] as { clusterId: string }).clusterId, { size: 1, after: page.next as string })
    assert.deepEqual(
      rest.members.map(({ eventId, followsFrom }) => [eventId, followsFrom?.eventId]),
      [['symptom 2', 'root 2']],
    )
    assert.throws(() => clusters.tree('nobody', { size: 1 }), refusedWith('cluster_not_found'))
    assert.throws(() => clusters.list({ size: 1, after: '!' }), refusedWith('invalid_cursor'))
  })
})

function dieNowAndThen(shard: TestShard, fate: SeededRandom): void {
  shard.run = (task) => {
    const result = shard.runTurn(task)
    if (fate.below(12) > 0) return result
    shard.replaceThread()
    throw new Error('the thread died behind its commit')
  }
}

function stoppedOrStarted(current: JobSettings): JobSettings {
  const status = current.status === 'STARTED' ? 'STOPPED' : 'STARTED'
  return { ...current, revision: current.revision + 1, status }
}

/**
 * A stream with votes, trainings, stops, new versions and second looks; `restarts`, and threads that die behind a
 * commit.
 */
async function live(seed: number, troubles: boolean): Promise<TestShard> {
  const shard = new TestShard()
  const random = new SeededRandom(seed)
  const fate = new SeededRandom(seed + 1_000)
  let current = job
  if (troubles) dieNowAndThen(shard, fate)
  const waiting: Promise<unknown>[] = []
  const post = (answer: Promise<unknown>): void => void waiting.push(answer.catch(() => null))
  for (let step = 0; step < 500; step++) {
    const chance = random.below(100)
    const id = `e${random.below(step + 1)}`
    if (chance < 80) {
      const lists = Array.from({ length: random.below(3) }, () => `d${random.below(7)}`)
      const body = alarm(`d${random.below(7)}`, `k${random.below(5)}`, step * 9 + random.below(80), lists)
      if (random.below(20) === 0) body['@timestamp'] = random.pick(['1970-01-01', '2100-01-01', 'x', null])
      post(shard.ingest(current, body, random.below(12) === 0 ? id : `e${step}`))
    } else if (chance < 90)
      post(shard.feedback(current, id, 'ann', random.pick(['Root cause', 'Symptom', 'Irrelevant'])))
    else if (chance < 95) post(shard.post({ job: current, kind: 'reprocess', eventId: id }))
    else if (chance < 97) {
      current = stoppedOrStarted(current)
      post(shard.post({ job: current, kind: 'resume' }))
    }
    if (step % 7 === 0) await Promise.all(waiting.splice(0))
    if (step === 250) {
      await Promise.all(waiting.splice(0))
      await shard.install(current, shard.train(current, 1))
    }
    if (troubles && step % 7 === 0 && fate.below(6) === 0) shard.restart()
  }
  await Promise.all(waiting)
  return shard
}

describe('restarts and threads that die', () => {
  for (const seed of [1, 3]) {
    it(`leave the same bytes as if nothing had been, seed ${seed}`, async () => {
      const [calm, troubled] = [await live(seed, false), await live(seed, true)]
      const rows = (shard: TestShard): string[] => shard.rows(1).filter((row) => !row.startsWith('shapes'))
      assert.deepEqual(rows(troubled), rows(calm))
      assert.ok(rows(calm).filter((row) => row.startsWith('causes')).length > 400)
    })
  }
})
