import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findEvent } from '../../../../engine/actor/event-table.js'
import { eventIdOf } from '../../../../engine/domain/event/event-id.js'
import { limits } from '../../../../engine/limits.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'
import { assertRefused } from '../../../support/engine/refusal.js'

const job = jobSettings()
const longest = 'é'.repeat(limits.eventIdBytesMax / 2)

describe('looking at an event', () => {
  it('finds what its thread finds under the same id, and nothing else', async () => {
    const shard = new TestShard()
    const ids = ['a', 'a/b', '', ' ', 'ключ-😀', longest, eventIdOf(1_600_000_000_000_000)]
    const times = new Map<string, number>()
    for (const id of ids) times.set(id, (await shard.ingest(job, { host: id }, id)).ingestMicros)
    const own = await shard.ingest(job, { host: 'own' })
    times.set(own.eventId, own.ingestMicros)
    const reader = shard.reader()
    for (const [id, micros] of times) assert.equal(reader.event(job, id).ingestMicros, micros, JSON.stringify(id))
    const spelled = [...times.values()].map(eventIdOf).filter((id) => !times.has(id))
    const strangers = ['b', 'aa', `${longest}é`, longest.slice(1), 'x'.repeat(10_000), `${own.eventId}0`, ...spelled]
    for (const id of [...times.keys(), ...strangers]) {
      const found = findEvent(shard.environment, job.id, id)
      if (found === null) assertRefused('event_not_found', () => reader.event(job, id))
      else assert.equal(reader.event(job, id).ingestMicros, found.micros)
    }
    for (const id of strangers) assertRefused('event_not_found', () => reader.event(job, id))
  })

  it('says how things stand in its bucket', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'voted')
    await shard.ingest(job, { host: 'b' }, 'not')
    await shard.feedback(job, 'voted', 'ann', 'Drop')
    assert.equal(shard.view(job, 'voted').bucketState, 'pending')
    assert.equal(shard.view(job, 'not').bucketState, 'new')
  })

  it('does not find the events of another job', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'mine')
    const own = await shard.ingest(job, { host: 'a' })
    const other = jobSettings({ id: 2 })
    await shard.ingest(other, { host: 'a' }, 'theirs')
    for (const id of ['mine', own.eventId]) assertRefused('event_not_found', () => shard.view(other, id))
  })
})
