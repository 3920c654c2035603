import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeNote } from '../../../engine/actor/notes.js'
import { limits } from '../../../engine/limits.js'
import { assertRefused, refusedWith } from '../../support/engine/refusal.js'
import { jobSettings, TestShard } from '../../support/engine/shard.js'

const job = jobSettings()
const note = { savedObjects: null, author: 'agent', workflowName: null, workflowId: null, sessionId: null }

function section(shard: TestShard, eventId: string): Record<string, unknown> {
  return shard.reader().exportEvent(job, eventId, 'service').document.service as Record<string, unknown>
}

function texts(shard: TestShard, eventId: string): unknown[] {
  return (section(shard, eventId).agentic_notes as { agent_notes: unknown }[]).map(({ agent_notes }) => agent_notes)
}

describe('notes on an event', () => {
  it('are in its export whole, oldest first, and among its log messages', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'e')
    assert.deepEqual(texts(shard, 'e'), [])
    await shard.note(job, 'e', 'first', {
      savedObjects: [{ ip: '192.0.2.1' }],
      workflowName: 'Triage',
      workflowId: '7',
      sessionId: 's',
    })
    await shard.note(job, 'e', { verdict: 'benign' })
    const [one, two] = section(shard, 'e').agentic_notes as Record<string, unknown>[]
    assert.deepEqual(one, {
      agent_notes: 'first',
      agent_saved_objects: [{ ip: '192.0.2.1' }],
      workflow_name: 'Triage',
      workflow_id: '7',
      session_id: 's',
      author: 'agent',
      timestamp: one?.timestamp,
    })
    assert.deepEqual(two?.agent_notes, { verdict: 'benign' })
    const messages = section(shard, 'e').log_messages as { component: string; content: string }[]
    assert.deepEqual(
      messages.slice(1).map(({ component, content }) => [component, content]),
      [
        ['Triage', 'first'],
        ['agent', '{"verdict":"benign"}'],
      ],
    )
  })

  it('cost events without notes no byte and no row', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'with')
    await shard.ingest(job, { host: 'b' }, 'without')
    const rows = shard.rows(1)
    await shard.note(job, 'with', 'x')
    const changed = shard.rows(1).filter((row) => !rows.includes(row))
    assert.deepEqual(
      changed.map((row) => row.split(' ')[0]),
      ['events', 'notes'],
    )
  })

  it('on the same event in one turn are all there', async () => {
    const shard = new TestShard()
    await Promise.all([shard.ingest(job, { host: 'a' }, 'e'), ...[1, 2, 3].map((n) => shard.note(job, 'e', `${n}`))])
    assert.deepEqual(texts(shard, 'e'), ['1', '2', '3'])
  })

  it('survive votes, another decision and a restart, and leave with their version of the event', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'e')
    await shard.note(job, 'e', 'x')
    await shard.feedback(job, 'e', 'ann', 'Drop')
    await shard.post({ job, kind: 'reprocess', eventId: 'e' })
    await shard.ingest(job, { host: 'a' }, 'e')
    shard.restart()
    assert.deepEqual(texts(shard, 'e'), ['x'])
    await shard.ingest(job, { host: 'b' }, 'e')
    assert.deepEqual(texts(shard, 'e'), [])
    assert.deepEqual(
      shard.rows(1).filter((row) => row.startsWith('notes')),
      [],
    )
  })

  it('on an event that is not there are refused', async () => {
    const shard = new TestShard()
    await assert.rejects(shard.note(job, 'nobody', 'x'), refusedWith('event_not_found'))
  })

  it('are bounded in number and together, and none is pushed out', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'many')
    await shard.ingest(job, { host: 'a' }, 'large')
    for (let i = 0; i < limits.notesPerEventMax; i++) await shard.note(job, 'many', i)
    await assert.rejects(shard.note(job, 'many', 'one more'), refusedWith('limit_exceeded'))
    assert.equal(texts(shard, 'many').length, limits.notesPerEventMax)
    assert.equal(texts(shard, 'many')[0], 0)
    const large = { savedObjects: 'x'.repeat(limits.noteObjectsCharsMax - 2) }
    let kept = 0
    await assert.rejects(async () => {
      for (; ; kept++) await shard.note(job, 'large', 'x', large)
    }, refusedWith('limit_exceeded'))
    assert.equal(texts(shard, 'large').length, kept)
    assert.ok(kept >= 3 && kept < 10)
    assert.deepEqual(shard.failures, [])
  })

  it('are bounded one by one, in length and in depth, before they go anywhere', () => {
    let deep: unknown = 1
    for (let i = 0; i < 100_000; i++) deep = [deep]
    for (const wrong of ['x'.repeat(limits.noteCharsMax + 1), ['x'.repeat(limits.noteCharsMax)], deep]) {
      const { context } = assertRefused('invalid_body', () => encodeNote({ ...note, notes: wrong }))
      assert.deepEqual(context.issues?.[0]?.loc, ['body', 'agent_notes'])
    }
    assertRefused('invalid_body', () =>
      encodeNote({ ...note, notes: '', savedObjects: ['x'.repeat(limits.noteObjectsCharsMax)] }),
    )
    encodeNote({ ...note, notes: 'x'.repeat(limits.noteCharsMax), savedObjects: { a: [1] } })
  })
})

describe('a note whose thread dies', () => {
  for (const when of ['before', 'after'] as const) {
    it(`${when} the commit is there once, and one that was refused stays refused`, async () => {
      const shard = new TestShard()
      await shard.ingest(job, { host: 'a' }, 'full')
      await shard.ingest(job, { host: 'a' }, 'e')
      for (let i = 0; i < limits.notesPerEventMax; i++) await shard.note(job, 'full', i)
      shard.dieOnce(when)
      const [kept, refused] = await Promise.allSettled([shard.note(job, 'e', 'x'), shard.note(job, 'full', 'x')])
      assert.deepEqual([kept.status, refused.status], ['fulfilled', 'rejected'])
      assert.deepEqual(texts(shard, 'e'), ['x'])
      assert.equal(texts(shard, 'full').length, limits.notesPerEventMax)
    })
  }
})
