import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeModelCommand } from '../../../../engine/actor/models/model-command.js'
import { encodeErase } from '../../../../engine/actor/erase.js'
import { findEvent } from '../../../../engine/actor/event-table.js'
import type { JobSettings } from '../../../../engine/domain/job/job.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { computedDecision } from '../../../../engine/services/explain/computed-decision.js'
import { modelHealth } from '../../../../engine/services/read/job-view.js'
import { computeAgain, type ComputedAgain } from '../../../../engine/services/explain/stored-decision.js'
import { withHeader } from '../../../../engine/store/event-record.js'
import { jobRange, timeKey } from '../../../../engine/store/tables.js'
import { testAuthor } from '../../../support/author.js'
import { jobAt } from '../../../support/engine/explained.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const job = jobSettings({ decisionPoints: ['rule', 'host'] })
const labels = job.labels.map(({ name }) => name)

const bodyOf = (random: SeededRandom) => ({
  rule: random.pick(['brute force', 'port scan', 'malware', 'policy']),
  host: `host-${random.below(6)}`,
})
const labelOf = ({ rule }: { readonly rule: string }): string =>
  labels[rule === 'malware' ? 0 : rule === 'policy' ? 2 : 1] as string

async function taught(of: JobSettings = job): Promise<{ shard: TestShard; random: SeededRandom }> {
  const shard = new TestShard()
  const random = new SeededRandom(7)
  for (let i = 0; i < 60; i++) {
    const body = bodyOf(random)
    await shard.ingest(of, body, `e${i}`)
    await shard.feedback(of, `e${i}`, 'ann', labelOf(body))
  }
  await shard.install(of, shard.train(of, 1))
  return { shard, random }
}

/** An event, and what people do meanwhile. Many votes are against the model, so that it ages. */
async function live(shard: TestShard, of: JobSettings, random: SeededRandom, i: number): Promise<void> {
  const body = bodyOf(random)
  await shard.ingest(of, random.below(10) === 0 ? { rule: `new ${i}`, host: `new ${i}` } : body, `x${i}`)
  if (random.below(2) === 0) await shard.feedback(of, `x${i}`, random.pick(['ann', 'bob']), random.pick(labels))
  if (random.below(12) === 0) await shard.vote(of, `x${i}`, { analyst: 'eve', label: 'Drop', scope: 'bucket' })
  if (i === 120) await shard.install(of, shard.train(of, 2))
  const back = encodeModelCommand({ op: 'roll_back', version: 1, by: testAuthor })
  if (i === 200) await shard.post({ job: of, kind: 'models', body: back })
  if (random.below(8) === 0) await shard.post({ job: of, kind: 'reprocess', eventId: `x${random.below(i + 1)}` })
}

/** A job whose model answers Escalate to odd events, though it is not the most probable label. */
async function taughtByRule() {
  const of = jobSettings({ decisionPoints: ['kind', 'host'] })
  const shard = new TestShard()
  const random = new SeededRandom(5)
  const odd = (i: number) => ({ kind: 'odd', host: `host-${i % 50}` })
  const usual = (i: number) => ({ kind: `usual-${i % 7}`, host: `host-${i % 50}` })
  for (let i = 0; i < 300; i++) {
    const isOdd = i % 10 === 0
    await shard.ingest(of, isOdd ? odd(i) : usual(i), `e${i}`)
    await shard.feedback(of, `e${i}`, 'ann', isOdd && random.below(10) < 4 ? 'Escalate' : 'Drop')
  }
  await shard.install(of, shard.train(of, 1))
  return { shard, of, odd: (i: number) => ({ ...odd(i), host: `new-${i}` }), usual }
}

function again(shard: TestShard, id: string, of: JobSettings = job): ComputedAgain {
  const event = findEvent(shard.environment, of.id, id)
  assert.ok(event !== null, id)
  return computeAgain(jobAt(shard, of), event)
}

function mustBeSame(shard: TestShard, id: string, of: JobSettings = job): void {
  const found = again(shard, id, of)
  assert.ok(found.inputs !== null, `${id}: ${'reason' in found ? found.reason : ''}`)
  assert.deepEqual(found.differences, [], id)
}

describe('a stored decision', () => {
  for (const category of ['Decision intelligence', 'Event centric decision intelligence'] as const)
    it(`is computed again to the byte after votes, trainings and a rollback: ${category}`, async () => {
      const of = jobSettings({ category, decisionPoints: job.decisionPoints })
      const { shard, random } = await taught(of)
      for (let i = 0; i < 220; i++) await live(shard, of, random, i)
      const sources = new Set<string>()
      for (let i = 0; i < 220; i++) {
        mustBeSame(shard, `x${i}`, of)
        sources.add(computedDecision(jobAt(shard, of), `x${i}`).decision.source)
      }
      assert.ok(sources.has('model') || sources.has('ageing_model'), [...sources].join())
      if (category === 'Decision intelligence') assert.ok(sources.has('knowledge_base'), [...sources].join())
    })

  it('is computed again as it was while the rule for macro F1 was used, while it was off, and after', async () => {
    const { shard, of, odd, usual } = await taughtByRule()
    const plain: { readonly off: boolean; readonly label: string }[] = []
    for (let i = 0; i < 400; i++) {
      await shard.ingest(of, i < 200 ? odd(i) : usual(i), `x${i}`)
      if (i === 150) shard.restart()
    }
    for (let i = 0; i < 400; i++) {
      mustBeSame(shard, `x${i}`, of)
      const { parts, decision } = computedDecision(jobAt(shard, of), `x${i}`)
      plain.push({ off: parts?.trust.ruleOff === true, label: decision.resultLabel })
    }
    const first = plain.findIndex(({ off }) => off)
    assert.ok(first >= 49 && first < 150, String(first))
    assert.deepEqual([plain[first - 1]?.label, plain[first]?.label], ['Escalate', 'Drop'])
    assert.ok(plain.slice(first, 200).every(({ off }) => off))
    assert.match(modelHealth(jobAt(shard, of).stats).modelMsg, /off/)
  })

  it('of an ageing model is computed again with the doubt that it had', async () => {
    const { shard, random } = await taught()
    let ageing = 0
    for (let i = 0; i < 200; i++) {
      await shard.ingest(job, { ...bodyOf(random), host: `other-${i}` }, `x${i}`)
      await shard.feedback(job, `x${i}`, 'ann', labels[i % 3] as string)
      const { parts, computed } = computedDecision(jobAt(shard, job), `x${i}`)
      assert.equal(computed.isSame, true)
      if (parts?.trust.ageing === true && parts.trust.doubt > 0) ageing++
    }
    assert.ok(ageing > 10, String(ageing))
  })

  it('is computed again after its decision points have changed, and after its job was stopped', async () => {
    const { shard } = await taught()
    const stopped: JobSettings = { ...job, status: 'STOPPED', revision: 2 }
    await shard.ingest(stopped, { rule: 'malware', host: 'held' }, 'held')
    const held = again(shard, 'held', stopped)
    assert.ok(held.inputs === null && /waits/.test(held.reason))
    await shard.feedback(stopped, 'held', 'ann', 'Drop')
    await shard.resume({ ...job, revision: 3 })
    mustBeSame(shard, 'held')
    const moved: JobSettings = { ...job, revision: 4, decisionPoints: ['rule'] }
    const lost = again(shard, 'held', moved)
    // Models of this test have no origin, so their decision points are not known any more.
    assert.ok(lost.inputs === null && !lost.isLost && /decision points/.test(lost.reason))
  })

  it('that was changed is named, field by field', async () => {
    const { shard } = await taught()
    await shard.ingest(job, { rule: 'malware', host: 'fresh' }, 'x')
    const event = findEvent(shard.environment, job.id, 'x')
    assert.ok(event !== null)
    const { header } = event
    const changed = { ...header, confidence: header.confidence - 1, label: (header.label + 1) % 3 }
    const record = withHeader(event.record, changed)
    const found = computeAgain(jobAt(shard, job), { micros: event.micros, record, header: changed })
    assert.ok(found.inputs !== null)
    assert.deepEqual(found.differences, [
      { field: 'label', stored: changed.label, computed: header.label },
      { field: 'confidence', stored: changed.confidence, computed: header.confidence },
    ])
  })

  it('whose model is not kept says so; one whose votes are missing is lost', async () => {
    const few: JobSettings = { ...job, advancedSettings: { models_kept: 2 } }
    const { shard } = await taught(few)
    await shard.ingest(few, { rule: 'malware', host: 'host-1' }, 'x')
    for (const version of [2, 3]) await shard.install(few, shard.train(few, version))
    const gone = again(shard, 'x', few)
    assert.ok(gone.inputs === null && !gone.isLost && /not kept/.test(gone.reason))
    await shard.ingest(few, { rule: 'malware', host: 'host-1' }, 'y')
    const event = findEvent(shard.environment, few.id, 'y')
    assert.ok(event !== null)
    const basis = { ...event.header.basis, votesState: 9_999 }
    const lost = computeAgain(jobAt(shard, few), { ...event, header: { ...event.header, basis } })
    assert.ok(lost.inputs === null && lost.isLost)
  })

  it('is shown with the answers of the members, each step of the calibration, and the votes that it knew', async () => {
    const { shard } = await taught()
    await shard.ingest(job, { rule: 'malware', host: 'fresh' }, 'x')
    const { parts, computed, decision } = computedDecision(jobAt(shard, job), 'x')
    assert.deepEqual([computed.isSame, computed.reason], [true, null])
    assert.ok(parts !== null)
    assert.deepEqual(parts.features, [
      { field: 'rule', value: 'malware' },
      { field: 'host', value: 'fresh' },
    ])
    assert.deepEqual(
      parts.members.map(({ name }) => name),
      ['linear', 'extra trees', 'boosting', 'nearest'],
    )
    const last = parts.calibration.at(-1)?.probabilities ?? {}
    assert.ok(Math.abs(Object.values(last).reduce((sum, one) => sum + one, 0) - 1) < 1e-9)
    assert.equal(Math.round((last[decision.resultLabel] as number) * 1e4) / 100, decision.confidenceScore)
    assert.equal(parts.votes, null)
    assert.ok(parts.outlier.threshold > 0)
    await shard.ingest(job, { rule: 'malware', host: 'host-1' }, 'known')
    await shard.feedback(job, 'known', 'bob', 'Drop')
    const known = computedDecision(jobAt(shard, job), 'known')
    assert.deepEqual([known.decision.source, known.computed.isSame], ['knowledge_base', true])
    // The vote came after the decision, so the decision did not know it.
    assert.deepEqual([known.parts?.votes?.consensus, known.parts?.votes?.split.Drop], ['Escalate', 0])
  })

  it('leaves nothing of the votes behind when the last event of its bucket is erased', async () => {
    const shard = new TestShard()
    await shard.ingest(job, { rule: 'a', host: 'b' }, 'one')
    await shard.feedback(job, 'one', 'ann', 'Drop')
    await shard.feedback(job, 'one', 'ann', 'Escalate')
    const states = () => [...shard.environment.range('states', jobRange(job.id))].length
    assert.equal(states(), 2)
    const micros = findEvent(shard.environment, job.id, 'one')?.micros ?? 0
    await shard.post({ job, kind: 'erase', body: encodeErase([micros], false) })
    assert.equal(shard.environment.get('events', timeKey(job.id, micros)), undefined)
    assert.equal(states(), 0)
  })
})
