import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { limits } from '../../../engine/limits.js'
import { isRefusal, type RefusalCode } from '../../../engine/errors.js'
import { eventIdOf } from '../../../engine/domain/event/event-id.js'
import { ownFields } from '../../../engine/domain/query/field.js'
import type { EventView } from '../../../engine/api/decision-service.js'
import { jobSettings, TestShard } from '../../support/engine/shard.js'

const job = jobSettings()
const centric = jobSettings({ category: 'Event centric decision intelligence' })

function refused(code: RefusalCode): (error: unknown) => boolean {
  return (error) => isRefusal(error, code)
}

function stats(shard: TestShard, of = job) {
  return shard.reader().stats(of)
}

/** Two buckets with a consensus each, and the model that was trained from them. */
async function trained(of = job): Promise<TestShard> {
  const shard = new TestShard()
  for (let i = 0; i < 6; i++) {
    await shard.ingest(of, { host: 'noisy', user: 'bot', n: i }, `noise ${i}`)
    await shard.ingest(of, { host: 'vault', user: 'root', n: i }, `alarm ${i}`)
    await shard.feedback(of, `noise ${i}`, 'ann', 'Drop')
    await shard.feedback(of, `alarm ${i}`, 'ann', 'Escalate')
  }
  await shard.install(of, shard.train(of, 1))
  return shard
}

describe('an event', () => {
  it('without a model is stored and not decided', async () => {
    const shard = new TestShard()
    const view = await shard.ingest(job, { host: 'a' }, 'e1')
    assert.deepEqual(view, {
      eventId: 'e1',
      jobId: 1,
      ingestMicros: 1_700_000_000_000_000,
      status: 'OK',
      errorMessage: null,
      result: '',
      resultLabel: '',
      bucketState: 'new',
      outlier: false,
      confidenceScore: 0,
      autonomy: 'none',
    })
    assert.deepEqual(shard.view(job, 'e1'), view)
  })

  it('gets an id of the service’s own where the client gave none, and is found by it', async () => {
    const shard = new TestShard()
    const view = await shard.ingest(job, { host: 'a' })
    assert.equal(view.eventId, eventIdOf(view.ingestMicros))
    assert.deepEqual(shard.view(job, view.eventId), view)
  })

  it('takes its id out of the body where it may', async () => {
    const shard = new TestShard()
    const body = JSON.stringify({ raw_body: { host: 'a' }, event_id: 'in the body' })
    const view = await shard.post({ job, kind: 'ingest', body, idInBody: true })
    assert.equal((view as { eventId: string }).eventId, 'in the body')
    assert.equal(shard.view(job, 'in the body').ingestMicros, (view as { ingestMicros: number }).ingestMicros)
    const other = (await shard.post({ job, kind: 'ingest', body })) as { eventId: string; ingestMicros: number }
    assert.equal(other.eventId, eventIdOf(other.ingestMicros))
  })

  it('that lacks the decision points is OK, has no decision, and says so in its export', async () => {
    const shard = await trained()
    const view = await shard.ingest(job, { other: 1 }, 'lacking')
    assert.deepEqual([view.status, view.result, view.confidenceScore, view.outlier], ['OK', '', 0, false])
    const { document } = shard.reader().exportEvent(job, 'lacking', 'service')
    const { log_messages: messages } = document.service as { log_messages: { level: string; content: string }[] }
    assert.match(messages[0]?.content ?? '', /none of the decision points/)
    assert.equal(messages[0]?.level, 'warning')
  })

  it('ids of two jobs have nothing to do with each other', async () => {
    const shard = new TestShard()
    const other = jobSettings({ id: 2 })
    await shard.ingest(job, { host: 'a' }, 'None')
    await shard.ingest(other, { host: 'b' }, 'None')
    assert.deepEqual(shard.reader().exportEvent(job, 'None', 'service').document.host, 'a')
    assert.deepEqual(shard.reader().exportEvent(other, 'None', 'service').document.host, 'b')
    assert.throws(() => shard.view(jobSettings({ id: 3 }), 'None'), refused('event_not_found'))
  })

  it('of any odd id is found again, and ids longer than any are not found', async () => {
    const shard = new TestShard()
    const ids = [
      '',
      ' ',
      'X 1',
      '\u0000',
      '日本語',
      '\u{1f600}',
      'a/b?c#d',
      'x'.repeat(limits.eventIdBytesMax),
      eventIdOf(5),
      '__proto__',
    ]
    for (const id of ids) await shard.ingest(job, { host: id }, id)
    for (const id of ids) assert.equal(shard.reader().exportEvent(job, id, 'service').document.host, id)
    assert.equal(stats(shard).events, ids.length)
    for (const id of ['x'.repeat(513), 'x'.repeat(100_000)])
      assert.throws(() => shard.view(job, id), refused('event_not_found'))
    await assert.rejects(shard.ingest(job, {}, 'x'.repeat(limits.eventIdBytesMax + 1)), refused('event_id_too_long'))
  })

  it('that is refused leaves nothing behind, and harms no other of its turn', async () => {
    const shard = new TestShard()
    const post = (body: string) => shard.post({ job, kind: 'ingest', body })
    const results = await Promise.allSettled([
      post('{'),
      shard.ingest(job, { host: 'a' }, 'good'),
      post('[]'),
      post('{"raw_body":1}'),
      post('{"raw_body":{"__proto__":1}}'),
      post('{"raw_body":{"host":1e400}}'),
      post(`{"raw_body":{"a":${'['.repeat(100)}${']'.repeat(100)}}}`),
      post(`{"raw_body":{"a":[${'0,'.repeat(300_000)}0]}}`),
      post(`{"raw_body":{},"title":${'['.repeat(20_000)}${']'.repeat(20_000)}}`),
    ])
    const codes = results.map((result) =>
      result.status === 'fulfilled' ? 'ok' : (result.reason as { code: string }).code,
    )
    assert.deepEqual(codes, [
      'invalid_json',
      'ok',
      'invalid_body',
      'invalid_body',
      'forbidden_field',
      'number_too_large',
      'event_too_deep',
      'event_too_wide',
      'ok',
    ])
    assert.equal(stats(shard).events, 2)
    assert.deepEqual(shard.failures, [])
  })
})

describe('an exported event', () => {
  it("says under the service's name all that it can be filtered by there", async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'e')
    await shard.feedback(job, 'e', 'ann', 'Drop')
    await shard.feedback(job, 'e', 'bob', 'Escalate')
    const { document } = shard.reader().exportEvent(job, 'e', 'service')
    const beside = [
      'event_id',
      'job_id',
      'job_title',
      'title',
      'severity',
      'model.path',
      'model.timestamp',
      'assigned',
      'voter',
      'voted',
      'note',
    ]
    for (const name of Object.keys(ownFields).filter((each) => !beside.includes(each))) {
      const value = name
        .split('.')
        .reduce<unknown>((inside, part) => (inside as Record<string, unknown>)[part], document.service)
      assert.notEqual(value, undefined, name)
    }
    const { attention } = document.service as { attention: { undecided_consensus: unknown } }
    assert.deepEqual(attention.undecided_consensus, { attention_required: true })
  })
})

describe('the storage tag of an event', () => {
  it("is in the service's section, whatever the body has under that name, never from an old export", async () => {
    const shard = new TestShard()
    const post = (eventId: string, body: object) =>
      shard.post({ job, kind: 'ingest', eventId, body: JSON.stringify(body) })
    const exported = (eventId: string) => shard.reader().exportEvent(job, eventId, 'service').document as any
    await post('a', { raw_body: { storage_tag: 'its own' }, storage_tag: 'cold' })
    assert.deepEqual([exported('a').storage_tag, exported('a').service.storage_tag], ['its own', 'cold'])
    await post('b', { raw_body: { service: exported('a').service } })
    assert.equal(exported('b').service.storage_tag, null)
  })
})

describe('posting an id again (S6)', () => {
  for (const of of [job, centric]) {
    it(`with another title, severity or storage tag is a new version: ${of.category}`, async () => {
      const shard = new TestShard()
      const post = (more: object): Promise<EventView> =>
        shard.post({
          job: of,
          kind: 'ingest',
          eventId: 'e',
          body: JSON.stringify({ raw_body: { host: 'a' }, ...more }),
        }) as Promise<EventView>
      const first = await post({ title: 'T', severity: 3 })
      assert.equal(
        (await post({ severity: 3, title: 'T', storage_tag: null, other: 1 })).ingestMicros,
        first.ingestMicros,
      )
      const times = [first.ingestMicros]
      for (const more of [{ title: 'T', severity: 4 }, { title: 'U', severity: 4 }, {}, { storage_tag: 'cold' }])
        times.push((await post(more)).ingestMicros)
      assert.equal(new Set(times).size, 5)
      assert.equal(shard.reader().stats(of).events, 1)
    })

    it(`with the same body is the same event, counted once: ${of.category}`, async () => {
      const shard = new TestShard()
      const first = await shard.ingest(of, { host: 'a', zero: 0, list: [1, { x: null }] }, 'e')
      const rows = shard.rows(1)
      assert.deepEqual(await shard.ingest(of, { list: [1, { x: null }], zero: 0, host: 'a' }, 'e'), first)
      assert.deepEqual(shard.rows(1), rows)
      assert.equal(stats(shard, of).events, 1)
    })

    it(`with a body that no bytes can keep is the same event too: ${of.category}`, async () => {
      const shard = new TestShard()
      const body =
        '{"raw_body":{"host":"half \\ud800","zero":-0,"f":-0.0,"big":1e308,"n":12345678901234567890},"title":"half \\ud800","severity":-0}'
      const first = await shard.post({ job: of, kind: 'ingest', eventId: 'e', body })
      const rows = shard.rows(1)
      assert.deepEqual(await shard.post({ job: of, kind: 'ingest', eventId: 'e', body }), first)
      assert.deepEqual(shard.rows(1), rows)
    })

    it(`with another body is a new version in place of the old one: ${of.category}`, async () => {
      const shard = new TestShard()
      const first = await shard.ingest(of, { host: 'a' }, 'e')
      const second = await shard.ingest(of, { host: 'b' }, 'e')
      assert.ok(second.ingestMicros > first.ingestMicros)
      assert.deepEqual(shard.view(of, 'e'), second)
      assert.throws(() => shard.view(of, eventIdOf(first.ingestMicros)), refused('event_not_found'))
      const { events, buckets } = stats(shard, of)
      assert.deepEqual([events, buckets], [1, of === job ? 1 : 0])
    })
  }

  it('moves the event between buckets, and an empty bucket without votes is gone', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'e1')
    await shard.ingest(job, { host: 'a' }, 'e2')
    await shard.ingest(job, { host: 'b' }, 'e1')
    assert.equal(stats(shard).buckets, 2)
    await shard.ingest(job, { host: 'b' }, 'e2')
    assert.equal(stats(shard).buckets, 1)
    assert.equal(shard.rows(1).filter((row) => row.startsWith('buckets ')).length, 1)
  })

  it('leaves votes with the bucket, and takes those of a single event away with it', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'e')
    await shard.feedback(job, 'e', 'ann', 'Drop')
    assert.equal((await shard.ingest(job, { host: 'b' }, 'e')).bucketState, 'new')
    assert.equal((await shard.ingest(job, { host: 'a' }, 'other')).bucketState, 'pending')
    assert.deepEqual(stats(shard).consensusCounts, [0, 1, 0])
    const single = new TestShard()
    await single.ingest(centric, { host: 'a' }, 'e')
    await single.feedback(centric, 'e', 'ann', 'Drop')
    assert.equal((await single.ingest(centric, { host: 'b' }, 'e')).bucketState, 'new')
    assert.deepEqual([stats(single, centric).consensusCounts, stats(single, centric).feedbackEvents], [[0, 0, 0], 0])
  })

  it('works on an event whose id the service made', async () => {
    const shard = new TestShard()
    const { eventId } = await shard.ingest(job, { host: 'a' })
    const again = await shard.ingest(job, { host: 'a' }, eventId)
    assert.equal(again.eventId, eventId)
    assert.equal(stats(shard).events, 1)
    await shard.ingest(job, { host: 'b' }, eventId)
    assert.equal(shard.reader().exportEvent(job, eventId, 'service').document.host, 'b')
    assert.equal(stats(shard).events, 1)
    await shard.feedback(job, eventId, 'ann', 'Drop')
    assert.equal(stats(shard).feedbackEvents, 1)
  })

  it('a thousand versions in one turn leave the last one', async () => {
    const shard = new TestShard()
    await Promise.all(Array.from({ length: 1_000 }, (_, i) => shard.ingest(job, { host: `h${i % 7}`, i }, 'e')))
    assert.equal(shard.reader().exportEvent(job, 'e', 'service').document.i, 999)
    assert.deepEqual([stats(shard).events, stats(shard).buckets], [1, 1])
    assert.equal(shard.rows(1).filter((row) => row.startsWith('buckets ')).length, 1)
  })

  it('texts that become one in the store are one bucket', async () => {
    const shard = new TestShard()
    const post = (id: string, escaped: string) =>
      shard.post({ job, kind: 'ingest', eventId: id, body: `{"raw_body":{"host":"${escaped}"}}` })
    await Promise.all([post('e1', '\\ud800'), post('e2', '\\ud801'), post('e3', '\ufffd')])
    await post('e4', '\\udfff')
    assert.equal(stats(shard).buckets, 1)
    for (const id of ['e1', 'e2', 'e3', 'e4']) await shard.ingest(job, { host: 'elsewhere' }, id)
    assert.equal(stats(shard).buckets, 1)
  })
})

describe('feedback', () => {
  it('of the majority is the consensus, and a tie is Undecided', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'e')
    const consensus = () =>
      (shard.reader().exportEvent(job, 'e', 'service').document.service as { consensus: unknown }).consensus
    assert.equal(consensus(), null)
    await shard.feedback(job, 'e', 'ann', 'drop')
    assert.equal(consensus(), 'Drop')
    await shard.feedback(job, 'e', 'bob', 'label_0')
    assert.equal(consensus(), 'Undecided')
    assert.deepEqual([stats(shard).consensusCounts, stats(shard).undecidedBallots], [[0, 0, 0], 1])
    await shard.feedback(job, 'e', 'cas', 'class_0')
    assert.equal(consensus(), 'Escalate')
    await shard.feedback(job, 'e', 'bob', 'Drop')
    assert.equal(consensus(), 'Drop')
    assert.deepEqual([stats(shard).consensusCounts, stats(shard).undecidedBallots], [[0, 1, 0], 0])
  })

  it('counts once an event however often it is given', async () => {
    const shard = new TestShard()
    for (const id of ['e1', 'e2']) await shard.ingest(job, { host: 'a' }, id)
    for (let i = 0; i < 3; i++) await shard.feedback(job, 'e1', `analyst ${i}`, 'Drop')
    assert.equal(stats(shard).feedbackEvents, 1)
    await shard.feedback(job, 'e2', 'ann', 'Drop')
    assert.equal(stats(shard).feedbackEvents, 2)
    assert.equal(stats(shard).feedbackSeq, 1)
  })

  it('of an unknown label or on an unknown event is refused and changes nothing', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'e')
    const rows = shard.rows()
    await assert.rejects(shard.feedback(job, 'e', 'ann', '<empty>'), refused('unknown_label'))
    await assert.rejects(shard.feedback(job, 'e', 'ann', 'label_3'), refused('unknown_label'))
    await assert.rejects(shard.feedback(job, 'nobody', 'ann', 'Drop'), refused('event_not_found'))
    await assert.rejects(shard.feedback(job, 'x'.repeat(60_000), 'ann', 'Drop'), refused('event_not_found'))
    assert.deepEqual(shard.rows(), rows)
  })

  it('on an event of the bucket is feedback on all of them, past and future', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'past')
    await shard.ingest(job, { host: 'a' }, 'e')
    await shard.feedback(job, 'e', 'ann', 'Drop')
    await shard.ingest(job, { host: 'a' }, 'future')
    for (const id of ['past', 'e', 'future']) assert.equal(shard.view(job, id).bucketState, 'pending')
  })

  it('where there are no buckets is feedback on the one event', async () => {
    const shard = new TestShard()
    await shard.ingest(centric, { host: 'a' }, 'e1')
    await shard.ingest(centric, { host: 'a' }, 'e2')
    await shard.feedback(centric, 'e1', 'ann', 'Drop')
    assert.equal(shard.view(centric, 'e1').bucketState, 'pending')
    assert.equal(shard.view(centric, 'e2').bucketState, 'new')
  })

  it('keeps the votes of so many analysts, the latest ones', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'e')
    const analysts = limits.votesPerEventMax + 20
    await Promise.all(
      Array.from({ length: analysts }, (_, i) =>
        shard.feedback(job, 'e', `analyst ${i}`, i < 25 ? 'Escalate' : 'Drop'),
      ),
    )
    const row = shard.rows(1).find((text) => text.startsWith('votes ')) as string
    const votes = JSON.parse(
      Buffer.from(row.split(' ')[2] as string, 'hex')
        .subarray(1)
        .toString(),
    ) as { analyst: string }[]
    assert.equal(votes.length, limits.votesPerEventMax)
    assert.equal(votes[0]?.analyst, 'analyst 20')
  })

  it('keeps the latest notes, so many of all votes together', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { host: 'a' }, 'e')
    const third = limits.voteNotesCharsMax / 3
    const more = { closingNotes: 'n'.repeat(third - 100), indicators: ['i'] }
    for (const analyst of ['ann', 'bob', 'cid', 'dan']) await shard.vote(job, 'e', { analyst, label: 'Drop', ...more })
    const row = shard.rows(1).find((text) => text.startsWith('votes ')) as string
    const votes = JSON.parse(
      Buffer.from(row.split(' ')[2] as string, 'hex')
        .subarray(1)
        .toString(),
    ) as Record<string, unknown>[]
    assert.deepEqual(
      votes.map((vote) => [vote.analyst, 'closingNotes' in vote, 'indicators' in vote]),
      [
        ['ann', false, false],
        ['bob', true, true],
        ['cid', true, true],
        ['dan', true, true],
      ],
    )
  })
})

describe('states of a bucket (S13)', () => {
  it('go from new over pending and the knowledge base to retrain, and back', async () => {
    const shard = await trained()
    await shard.ingest(job, { host: 'fresh', user: 'eve' }, 'e')
    const state = () => shard.view(job, 'e').bucketState
    assert.equal(state(), 'new')
    await shard.feedback(job, 'e', 'ann', 'Drop')
    assert.equal(state(), 'pending')
    const model = shard.train(job, 2)
    await shard.install(job, model)
    assert.equal(state(), 'in_knowledge_base')
    await shard.feedback(job, 'e', 'bob', 'Escalate')
    assert.equal(state(), 'retrain')
    await shard.feedback(job, 'e', 'bob', 'Drop')
    assert.equal(state(), 'in_knowledge_base')
    await shard.feedback(job, 'e', 'ann', 'Investigate')
    await shard.feedback(job, 'e', 'bob', 'Investigate')
    assert.equal(state(), 'retrain')
    await shard.install(job, shard.train(job, 3))
    assert.equal(state(), 'in_knowledge_base')
  })

  it('feedback that came during a training is pending after it', async () => {
    const shard = await trained()
    await shard.ingest(job, { host: 'fresh' }, 'e')
    const model = shard.train(job, 2)
    await shard.feedback(job, 'e', 'ann', 'Drop')
    await shard.vote(job, 'noise 0', { analyst: 'ann', label: 'Escalate', scope: 'bucket' })
    await shard.install(job, model)
    assert.equal(shard.view(job, 'e').bucketState, 'pending')
    assert.equal(shard.view(job, 'noise 0').bucketState, 'retrain')
  })

  it('a tie at the training is pending after it', async () => {
    const shard = await trained()
    await shard.ingest(job, { host: 'fresh' }, 'e')
    await shard.feedback(job, 'e', 'ann', 'Drop')
    await shard.feedback(job, 'e', 'bob', 'Escalate')
    await shard.install(job, shard.train(job, 2))
    assert.equal(shard.view(job, 'e').bucketState, 'pending')
  })

  it('are those of the single event where there are no buckets', async () => {
    const shard = await trained(centric)
    assert.equal(shard.view(centric, 'noise 0').bucketState, 'in_knowledge_base')
    await shard.feedback(centric, 'noise 0', 'ann', 'Escalate')
    assert.equal(shard.view(centric, 'noise 0').bucketState, 'retrain')
    assert.equal(shard.view(centric, 'noise 1').bucketState, 'in_knowledge_base')
  })
})

describe('a decision', () => {
  it('of a bucket in the knowledge base is its consensus; the model decides the rest', async () => {
    const shard = await trained()
    const known = await shard.ingest(job, { host: 'noisy', user: 'bot' })
    assert.deepEqual([known.result, known.resultLabel, known.bucketState], ['label_1', 'Drop', 'in_knowledge_base'])
    const near = await shard.ingest(job, { host: 'vault', user: 'someone' })
    assert.equal(near.bucketState, 'new')
    assert.notEqual(near.resultLabel, 'Investigate')
    assert.notEqual(near.resultLabel, '')
    assert.ok(near.confidenceScore > 0 && near.confidenceScore <= 100)
  })

  it('follows the consensus at once when it changes', async () => {
    const shard = await trained()
    await shard.vote(job, 'noise 0', { analyst: 'ann', label: 'Investigate', scope: 'bucket' })
    assert.equal((await shard.ingest(job, { host: 'noisy', user: 'bot' })).resultLabel, 'Investigate')
    for (const i of [0, 1, 2, 3, 4, 5]) await shard.feedback(job, `noise ${i}`, 'bob', 'Escalate')
    const undecided = await shard.ingest(job, { host: 'noisy', user: 'bot' })
    assert.equal(undecided.resultLabel, 'Drop')
    assert.equal(undecided.bucketState, 'retrain')
  })

  it('that was made stays, whatever is learned later', async () => {
    const shard = await trained()
    const before = await shard.ingest(job, { host: 'vault', user: 'someone' }, 'e')
    await shard.feedback(job, 'e', 'ann', 'Investigate')
    await shard.install(job, shard.train(job, 2))
    const after = shard.view(job, 'e')
    assert.deepEqual([after.result, after.confidenceScore], [before.result, before.confidenceScore])
    assert.deepEqual((await shard.ingest(job, { host: 'vault', user: 'someone' }, 'e')).result, before.result)
  })

  it('of a model of other decision points is none', async () => {
    const shard = await trained()
    const changed = jobSettings({ revision: 2, decisionPoints: ['user'] })
    assert.equal((await shard.ingest(changed, { host: 'noisy', user: 'bot' })).result, '')
    const back = jobSettings({ revision: 3 })
    assert.equal((await shard.ingest(back, { host: 'noisy', user: 'bot' })).resultLabel, 'Drop')
  })

  it('is the same after a restart', async () => {
    const shard = await trained()
    const before = await shard.ingest(job, { host: 'vault', user: 'someone' })
    shard.restart()
    const after = await shard.ingest(job, { host: 'vault', user: 'someone' })
    assert.deepEqual({ ...after, eventId: '', ingestMicros: 0 }, { ...before, eventId: '', ingestMicros: 0 })
  })
})
