import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decide, hundredths } from '../../../../engine/domain/decide/decision.js'
import { pairsMax } from '../../../../engine/domain/decide/reasons.js'
import type { PointValue } from '../../../../engine/domain/event/point-value.js'
import type { JobSettings } from '../../../../engine/domain/job/job.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { explained, jobAt } from '../../../support/engine/explained.js'
import { assertRefused } from '../../../support/engine/refusal.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const points = ['rule', 'host', 'user', 'port', 'tags']
const job = jobSettings({ decisionPoints: points })
const labels = job.labels.map(({ name }) => name)

type Body = Record<string, PointValue>

function bodyOf(random: SeededRandom): Body {
  return {
    rule: random.pick(['brute force', 'port scan', 'malware', 'policy']),
    host: `host-${random.below(6)}`,
    user: random.below(4) === 0 ? null : `user-${random.below(20)}`,
    port: random.pick([22, 80, 443, 3389]),
    tags: random.pick([null, ['a'], ['a', 'b']]),
  }
}

function labelOf({ rule, port }: Body): string {
  return labels[rule === 'malware' || (rule === 'brute force' && port === 22) ? 0 : rule === 'policy' ? 2 : 1] as string
}

/** Voted events and a model; ids e0 and up. */
async function taught(of: JobSettings = job, count = 120): Promise<{ shard: TestShard; random: SeededRandom }> {
  const shard = new TestShard()
  const random = new SeededRandom(7)
  for (let i = 0; i < count; i++) {
    const body = bodyOf(random)
    await shard.ingest(of, body, `e${i}`)
    await shard.feedback(of, `e${i}`, 'ann', labelOf(body))
  }
  await shard.install(of, shard.train(of, 1))
  return { shard, random }
}

/** The stored model, as an event is decided by it. */
function modelOf(shard: TestShard, of: JobSettings = job, version = 1) {
  const opened = jobAt(shard, of).model(version)
  assert.ok(opened !== null)
  return { model: opened.model, version, probabilities: new Float64Array(of.labels.length) }
}

const valuesOf = (body: Body, without: readonly string[] = []): PointValue[] =>
  points.map((point) => (without.includes(point) ? null : (body[point] ?? null)))

describe('an explanation', () => {
  it('gives for each field and pair what decide gives for the values without them, to the last digit', async () => {
    const { shard, random } = await taught()
    const active = modelOf(shard)
    for (let i = 0; i < 15; i++) {
      const body: Body = { ...bodyOf(random), host: `new-${i}` }
      const view = await shard.ingest(job, body, `x${i}`)
      const { decision, model } = explained(shard, job, `x${i}`)
      assert.deepEqual([decision.source, decision.isExact], ['model', true])
      assert.deepEqual([decision.resultLabel, decision.confidenceScore], [view.resultLabel, view.confidenceScore])
      assert.ok(model?.answer != null)
      const whole = decide(active, valuesOf(body), null)
      assert.equal(model.answer.confidenceScore, whole.confidence / 100)
      // New hosts alone: the stream has moved, and the watch lowers what the model says.
      assert.ok(view.confidenceScore <= model.answer.confidenceScore)
      const check = (one: (typeof model.fields)[number]): number => {
        const own = decide(
          active,
          valuesOf(
            body,
            one.fields.map(({ field }) => field),
          ),
          null,
        )
        assert.equal(one.resultLabel, labels[own.label])
        assert.equal(one.confidenceScore, own.confidence / 100)
        assert.equal(one.outlierScore, Math.round(own.outlierScore * 1e4) / 1e4)
        const effect = whole.confidence - hundredths(active.probabilities[whole.label] as number)
        assert.equal(one.effect, effect / 100)
        return effect
      }
      const present = points.filter((point) => body[point] !== null)
      assert.deepEqual(model.fields.map(({ fields }) => fields[0]?.field).sort(), present.sort())
      const effects = model.fields.map(check)
      assert.deepEqual(
        effects,
        effects.toSorted((a, b) => b - a),
      )
      assert.equal(model.pairs, (present.length * (present.length - 1)) / 2)
      assert.equal(model.pairsTried, model.pairs)
      let most = -Infinity
      for (const one of present)
        for (const other of present) {
          if (one >= other) continue
          decide(active, valuesOf(body, [one, other]), null)
          most = Math.max(most, whole.confidence - hundredths(active.probabilities[whole.label] as number))
        }
      assert.ok(model.pair !== null)
      assert.equal(check(model.pair), most)
    }
  })

  it('of the last field is that an event without any gets no decision', async () => {
    const { shard } = await taught()
    await shard.ingest(job, { rule: 'malware' }, 'alone')
    const { model } = explained(shard, job, 'alone')
    const [only] = model?.fields ?? []
    assert.deepEqual([only?.result, only?.confidenceScore], ['', 0])
    assert.equal(only?.effect, model?.answer?.confidenceScore)
    assert.equal(model?.pair, null)
  })

  it('of a bucket in the knowledge base has its votes, and is exact until they change', async () => {
    const { shard } = await taught()
    const before = await shard.ingest(job, bodyOf(new SeededRandom(7)), 'known')
    const own = explained(shard, job, 'known')
    assert.deepEqual([own.decision.source, own.decision.isExact], ['knowledge_base', true])
    assert.equal(own.decision.confidenceScore, before.confidenceScore)
    assert.equal(own.votes?.consensus, before.resultLabel)
    assert.equal(own.votes?.bucketState, 'in_knowledge_base')
    assert.ok((own.votes?.split[before.resultLabel] ?? 0) > 0)
    assert.ok((own.model?.fields.length ?? 0) > 0)
    const other = labels.find((label) => label !== before.resultLabel) as string
    for (const analyst of ['bob', 'eve', 'kim'])
      await shard.vote(job, 'known', { analyst, label: other, scope: 'bucket' })
    const later = explained(shard, job, 'known')
    assert.deepEqual([later.decision.resultLabel, later.decision.isExact], [before.resultLabel, false])
    assert.match(later.decision.inexactReason ?? '', /votes have changed/)
  })

  it('of a decision by an earlier model explains that model, and says so', async () => {
    const { shard, random } = await taught()
    await shard.ingest(job, { ...bodyOf(random), host: 'new' }, 'early')
    const before = explained(shard, job, 'early')
    for (let i = 0; i < 40; i++) await shard.feedback(job, `e${i}`, 'bob', labels[2] as string)
    await shard.install(job, shard.train(job, 2))
    const { decision, model } = explained(shard, job, 'early')
    assert.deepEqual([decision.isByEarlierModel, decision.isExact, model?.version], [true, true, 1])
    assert.match(decision.reason, /decided by model version 1.*; model version 2 decides new events/)
    assert.deepEqual([before.decision.isByEarlierModel, before.model?.isActive, model?.isActive], [false, true, false])
    assert.deepEqual(model?.fields, before.model?.fields)
    assert.deepEqual(model?.pair, before.model?.pair)
    assert.deepEqual(model?.probabilities, before.model?.probabilities)
  })

  it('does not take apart what other decision points have decided', async () => {
    const { shard, random } = await taught()
    await shard.ingest(job, { ...bodyOf(random), host: 'new' }, 'early')
    const { decision, model } = explained(shard, { ...job, revision: 2, decisionPoints: ['rule'] }, 'early')
    assert.deepEqual([decision.isExact, model?.answer, model?.fields], [false, null, []])
    assert.match(decision.inexactReason ?? '', /decision points have changed/)
    assert.equal(model?.votedEvents, 120)
  })

  it('names the nearest labelled events: labelled ones, the nearest first, each bucket once for a label', async () => {
    const { shard, random } = await taught()
    await shard.ingest(job, { ...bodyOf(random), host: 'new' }, 'x')
    const nearest = explained(shard, job, 'x').model?.nearest ?? []
    assert.equal(nearest.length, 5)
    const bodies = new SeededRandom(7)
    const labelById = new Map(Array.from({ length: 120 }, (_, i) => [`e${i}`, labelOf(bodyOf(bodies))]))
    for (const { eventId, resultLabel } of nearest) assert.equal(resultLabel, labelById.get(eventId))
    const likeness = nearest.map((one) => one.likeness)
    assert.deepEqual(
      likeness,
      likeness.toSorted((a, b) => b - a),
    )
    assert.equal(new Set(nearest.map(({ bucketId }) => bucketId)).size, 5)
    await shard.ingest(job, bodyOf(new SeededRandom(7)), 'same')
    const [first] = explained(shard, job, 'same').model?.nearest ?? []
    assert.equal(first?.likeness, 1)
    await shard.ingest(job, { rule: 'replaced' }, first?.eventId ?? '')
    const again = explained(shard, job, 'same').model?.nearest ?? []
    assert.ok(!again.some(({ eventId }) => eventId === first?.eventId))
  })

  it('says what makes an outlier unlike the rest', async () => {
    const { shard, random } = await taught()
    const odd: Body = { ...bodyOf(random), rule: 'policy', port: 999_999 }
    await shard.ingest(job, odd, 'odd')
    const { decision, model } = explained(shard, job, 'odd')
    assert.deepEqual(model?.unlike.map(({ field }) => field).includes('port'), true, JSON.stringify(model?.unlike))
    const { model: stored } = modelOf(shard)
    for (const { field, value, known, outlierScore } of model?.unlike ?? []) {
      assert.deepEqual(value, odd[field])
      const score = stored.outlierScore(valuesOf({ ...odd, [field]: known }))
      assert.equal(outlierScore, Math.round(score * 1e4) / 1e4)
      assert.ok(outlierScore < decision.outlierScore)
    }
  })

  it('tells of events that no model decided, and of those that wait', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { rule: 'a' }, 'early')
    const { decision, model, votes } = explained(shard, job, 'early')
    assert.deepEqual([decision.source, decision.isExact, model, votes], ['none', null, null, null])
    assert.match(decision.reason, /no trained model/)
    await shard.ingest({ ...job, revision: 2, status: 'STOPPED' }, { rule: 'b' }, 'held')
    assert.equal(explained(shard, job, 'held').decision.status, 'pending_inference')
    assertRefused('event_not_found', () => explained(shard, job, 'never'))
  })

  it('tries the pairs of the fields with the largest effects, where there are too many', async () => {
    const many = Array.from({ length: 40 }, (_, at) => `f${at}`)
    const wide = jobSettings({ decisionPoints: many })
    const shard = new TestShard()
    const random = new SeededRandom(3)
    const body = () => Object.fromEntries(many.map((name) => [name, random.below(3)]))
    for (let i = 0; i < 40; i++) {
      const one = body()
      await shard.ingest(wide, one, `e${i}`)
      await shard.feedback(wide, `e${i}`, 'ann', labels[one.f3 === 0 ? 0 : 1] as string)
    }
    await shard.install(wide, shard.train(wide, 1))
    await shard.ingest(wide, body(), 'x')
    const { model } = explained(shard, wide, 'x')
    assert.deepEqual([model?.pairs, model?.pairsTried], [780, pairsMax])
    const candidates = model?.fields.slice(0, 25).map(({ fields }) => fields[0]?.field) ?? []
    for (const { field } of model?.pair?.fields ?? []) assert.ok(candidates.includes(field))
  })

  it('is exact in jobs without buckets, and in root cause analysis', async () => {
    const single = jobSettings({ category: 'Event centric decision intelligence', decisionPoints: points })
    const { shard, random } = await taught(single, 60)
    await shard.ingest(single, bodyOf(random), 'x')
    const { decision } = explained(shard, single, 'x')
    assert.deepEqual([decision.source, decision.isExact], ['model', true])
  })
})
