import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { viewOf } from '../../../engine/actor/event-reply.js'
import { LatestEvents } from '../../../engine/runtime/latest-events.js'
import type { ShownReply } from '../../../engine/actor/reply.js'
import { eventIdOf } from '../../../engine/domain/event/event-id.js'
import type { JobSettings } from '../../../engine/domain/job/job.js'
import { Refusal } from '../../../engine/errors.js'
import { defaultLabels } from '../../../engine/domain/job/labels.js'
import { limits } from '../../../engine/limits.js'
import { SeededRandom } from '../../../engine/rng.js'
import { alarm } from '../../support/cause.js'
import { jobSettings, TestShard } from '../../support/engine/shard.js'

const job = jobSettings()
const later = 60_000_000

/** What is remembered of an event is what the store has; whether it is remembered. */
function remembers(shard: TestShard, of: JobSettings, eventId: string): boolean {
  const found = shard.latest.find(of, eventId)
  if (found !== null) assert.deepEqual(viewOf(of, eventId, found), shard.view(of, eventId), eventId)
  return found !== null
}

function reply(micros: number, more: Partial<ShownReply> = {}): ShownReply {
  const decision = { label: 1, confidence: 9_125, outlier: true, autonomy: 'settled' } as const
  return { micros, pending: false, ...decision, bucketState: 'retrain', ...more }
}

describe('the latest events', () => {
  it('are remembered as they were answered, by either kind of id', async () => {
    const shard = new TestShard()
    const own = await shard.ingest(job, { host: 'a' })
    const longest = 'i'.repeat(47)
    for (const id of ['mine', longest, '', `${longest}i`, 'ключ']) await shard.ingest(job, { host: 'b' }, id)
    for (const id of [own.eventId, 'mine', longest]) assert.ok(remembers(shard, job, id), id)
    for (const id of ['', `${longest}i`, 'ключ', 'yours', 'min', 'minee']) assert.ok(!remembers(shard, job, id), id)
    assert.ok(!remembers(shard, jobSettings({ id: 2 }), 'mine'))
  })

  it('are forgotten with anything that may change what is shown of them', async () => {
    const shard = new TestShard()
    const afterEvents = async (round: string, happens: () => Promise<unknown>): Promise<void> => {
      for (const id of ['one', 'two']) await shard.ingest(job, { host: 'a' }, `${id} ${round}`)
      // The same once more changes nothing.
      await shard.ingest(job, { host: 'a' }, `one ${round}`)
      for (const id of ['one', 'two']) assert.ok(remembers(shard, job, `${id} ${round}`), round)
      await happens()
      for (const id of ['one', 'two']) assert.ok(!remembers(shard, job, `${id} ${round}`), round)
    }
    await afterEvents('a vote', () => shard.feedback(job, 'two a vote', 'ann', 'Drop'))
    await afterEvents('a version', () => shard.ingest(job, { host: 'b' }, 'two a version'))
    await afterEvents('a reprocessing', () => shard.post({ job, kind: 'reprocess', eventId: 'two a reprocessing' }))
    await afterEvents('a failure', () => {
      shard.environment.failNextCommit = new Refusal('store_full', 'full')
      return assert.rejects(shard.ingest(job, { host: 'a' }))
    })
    // In one turn: what came before the vote was answered as it was before it.
    await afterEvents('a turn', () =>
      Promise.all([
        shard.ingest(job, { host: 'a' }, 'three'),
        shard.feedback(job, 'three', 'bob', 'Drop'),
        shard.ingest(job, { host: 'a' }, 'four'),
      ]),
    )
    assert.ok(!remembers(shard, job, 'three') && !remembers(shard, job, 'four'))
    const other = jobSettings({ id: 2 })
    await shard.ingest(other, { host: 'a' }, 'theirs')
    await afterEvents('an override', () => shard.override(job, { eventId: 'one an override' }, 'Drop'))
    assert.ok(remembers(shard, other, 'theirs'), 'it is of another job')
  })

  it('are not remembered by a turn that runs again: what it did the first time is not told', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'one')
    const death = shard.dieOnce('after')
    await shard.ingest(job, { host: 'b' }, 'two')
    assert.ok(death.happened)
    assert.ok(!remembers(shard, job, 'one') && !remembers(shard, job, 'two'))
  })

  it('leave out ids of the service that a client gave to another event before', async () => {
    const shard = new TestShard()
    const taken = shard.take() + later
    await shard.ingest(job, { host: 'theirs' }, eventIdOf(taken))
    const post = (micros: number): Promise<unknown> =>
      shard.post({ job, kind: 'ingest', micros, body: '{"raw_body":{"host":"ours"}}' })
    await post(shard.take())
    shard.restart()
    const own = shard.take()
    await post(own)
    await post(taken)
    assert.equal(shard.view(job, eventIdOf(taken)).ingestMicros, taken - later + 1)
    assert.ok(!remembers(shard, job, eventIdOf(taken)) && !remembers(shard, job, eventIdOf(own)))
    await shard.ingest(job, { host: 'a' }, 'mine')
    const other = jobSettings({ id: 2 })
    const free = await shard.ingest(other, { host: 'a' })
    assert.ok(remembers(shard, job, 'mine') && remembers(shard, other, free.eventId))
    await shard.ingest(other, { host: 'b' }, eventIdOf(taken + later))
    assert.ok(remembers(shard, other, free.eventId), 'its time is over')
    assert.ok(!remembers(shard, other, (await shard.ingest(other, { host: 'a' })).eventId))
  })

  it('are bounded: the oldest goes first', () => {
    const latest = new LatestEvents(() => false)
    const replies = [
      reply(1),
      reply(2, { label: -1, pending: true }),
      reply(3, { confidence: 10_000, outlier: false, bucketState: 'new' }),
    ]
    for (let i = 0; i < limits.latestEventsMax + 1_000; i++) latest.keep(job, `e${i}`, replies[i % 3] as ShownReply)
    let found = 0
    for (let i = 0; i < limits.latestEventsMax; i += 100) {
      const kept = latest.find(job, `e${i}`)
      assert.ok(i >= 1_000 || kept === null)
      if (kept !== null) assert.deepEqual(kept, replies[i % 3], String(++found))
    }
    assert.ok(found > 1_200, String(found))
  })

  it('are what the store has, whatever happens', async () => {
    const random = new SeededRandom(7)
    const shard = new TestShard()
    const jobs = [
      job,
      jobSettings({ id: 2, category: 'Event centric decision intelligence' }),
      jobSettings({ id: 3, decisionPoints: ['user'], status: 'STOPPED' }),
      jobSettings({
        id: 4,
        category: 'Automated root cause analysis',
        decisionPoints: [],
        labels: defaultLabels('Decision intelligence'),
      }),
    ]
    const ids = jobs.map(() => new Set<string>())
    let seconds = 0
    const one = async (of: JobSettings, known: Set<string>): Promise<void> => {
      const body =
        of.id === 4
          ? alarm(`h${random.below(4)}`, `k${random.below(3)}`, (seconds += random.below(20)))
          : { host: `h${random.below(3)}`, user: random.pick(['a', 'b', null]) }
      const id =
        random.below(12) === 0
          ? ([...known].at(-1 - random.below(9)) ?? null)
          : random.pick([null, `id ${random.below(10_000)}`])
      known.add((await shard.ingest(of, body, id)).eventId)
    }
    let hits = 0
    for (let round = 0; round < 40; round++) {
      for (const [at, of] of jobs.entries()) {
        const known = ids[at] as Set<string>
        await Promise.all(Array.from({ length: random.below(6) }, () => one(of, known)))
        const id = random.pick([...known, 'nobody'])
        if (random.below(12) === 0) {
          const change = random.pick([
            () => shard.feedback(of, id, 'ann', 'Drop'),
            () => shard.override(of, { eventId: id }, 'Escalate'),
            () => shard.resume(of),
          ])
          await change().catch(() => {})
        }
      }
      for (const [at, of] of jobs.entries())
        for (const id of [...(ids[at] as Set<string>)].slice(-40)) if (remembers(shard, of, id)) hits++
    }
    assert.ok(hits > 300, String(hits))
  })
})
