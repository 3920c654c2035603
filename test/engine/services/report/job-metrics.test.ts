import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JobSettings } from '../../../../engine/domain/job/job.js'
import { runJobMetrics } from '../../../../engine/services/report/job-metrics.js'
import type { ScopeTask } from '../../../../engine/services/report/metrics-query.js'
import { runModelFigures } from '../../../../engine/services/report/model-scores.js'
import type { FilterOperator } from '../../../../engine/domain/query/filter.js'
import { isRefusal } from '../../../../engine/errors.js'
import type { ScoredCounts } from '../../../../engine/domain/learn/scored-answers.js'
import { metricsContext, metricsJob } from '../../../support/engine/metrics.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const whole: ScopeTask = { fromMicros: null, toMicros: null, filters: [] }
const job = jobSettings({ decisionPoints: ['kind'] })
const eventCentric = jobSettings({ id: 2, category: 'Event centric decision intelligence', decisionPoints: ['kind'] })

/** Eight events of two kinds with votes, a model of them, and eight more that it decides. */
async function taught(of: JobSettings): Promise<TestShard> {
  const shard = new TestShard()
  for (let i = 0; i < 8; i++) {
    await shard.ingest(of, { kind: `${i % 2 === 0 ? 'a' : 'b'}${i % 4}`, at: i }, `old ${i}`)
    await shard.feedback(of, `old ${i}`, 'ann', i % 2 === 0 ? 'Escalate' : 'Drop')
  }
  await shard.install(of, shard.train(of, 1))
  for (let i = 0; i < 8; i++) await shard.ingest(of, { kind: `${i % 2 === 0 ? 'a' : 'b'}${i % 4}`, at: i }, `new ${i}`)
  return shard
}

const NOTHING_YET = 'not enough yet: 0 of 30 events'

function metricsOf(
  shard: TestShard,
  of: JobSettings,
  scope: Partial<ScopeTask> = {},
  production: number | null = null,
) {
  return runJobMetrics(metricsContext(shard.environment), metricsJob(of, production), { ...whole, ...scope }, 10)
}

/** The figures as JSON, to nine digits. */
function rounded(figures: unknown): string {
  const shown = (_: string, value: unknown): unknown => {
    if (value instanceof Map) return [...value]
    return typeof value === 'number' ? Number(value.toPrecision(9)) : value
  }
  return JSON.stringify(figures, shown)
}

describe('metrics of a job', () => {
  it('have no figure from votes that the decisions were made of, but that of held-out events', async () => {
    const metrics = metricsOf(await taught(job), job)
    assert.deepEqual(
      [metrics.basis, metrics.basisEvents, metrics.confusionMatrix.flat()],
      ['held_out', 8, [4, 0, 0, 0, 4, 0, 0, 0, 0]],
    )
    assert.deepEqual([metrics.overallAccuracy, metrics.quality.newBuckets.message], [1, NOTHING_YET])
    const { matrix, events, share } = metrics.agreementWithVotes
    assert.deepEqual(matrix, [
      [4, 0, 0],
      [0, 4, 0],
      [0, 0, 0],
    ])
    assert.deepEqual([events, share], [8, 1])
    assert.equal(metrics.totalEvents, 16)
    assert.equal(metrics.totalEventsWithConsensus, 16)
    assert.equal(metrics.totalEventsInKnowledgeBase, 16)
    assert.equal(metrics.timeSavedMinutes, 0)
    assert.deepEqual([metrics.activeModelId, metrics.allModelIds], ['model_1_1', ['model_1_1']])
    assert.deepEqual(metrics.changedConsensusAfterTraining, { totalEvents: 0, topEventsIds: [], topBucketsIds: [] })
  })

  it('score each event by the decision before the first vote on it, in known buckets and new ones', async () => {
    const shard = await taught(job)
    for (let i = 0; i < 40; i++) await shard.ingest(job, { kind: i < 32 ? 'a0' : `c${i}`, at: i }, `more ${i}`)
    for (let i = 0; i < 40; i++) await shard.feedback(job, `more ${i}`, 'ann', i < 8 ? 'Drop' : 'Escalate')
    const { quality, timeSavedMinutes, agreementWithVotes, totalEvents } = metricsOf(shard, job)
    assert.deepEqual([quality.newBuckets.events, quality.newBuckets.accuracy.value], [8, null])
    assert.deepEqual([quality.knownBuckets.events, quality.knownBuckets.accuracy.value], [32, 0.75])
    const right = 24 + [...Array(8).keys()].filter((i) => shard.view(job, `more ${32 + i}`).result === 'label_0').length
    assert.equal(timeSavedMinutes, Math.round((agreementWithVotes.events * 10 * right) / 40))
    const within = metricsOf(shard, job, { filters: [{ field: 'kind', operator: 'is', value: 'a0' }] })
    assert.deepEqual([within.quality.newBuckets.events, within.quality.knownBuckets.events], [0, 32])
    assert.equal(metricsOf(shard, job, { fromMicros: 0 }).totalEvents, totalEvents)
    // The sums are made in another order.
    assert.deepEqual(rounded(metricsOf(shard, job, { fromMicros: 0 }).quality), rounded(quality), 'also event by event')
  })

  it('follow an override, and its withdrawal', async () => {
    const shard = await taught(job)
    await shard.override(job, { eventId: 'new 0' }, 'Investigate')
    const metrics = metricsOf(shard, job)
    assert.deepEqual(metrics.agreementWithVotes.matrix, [
      [2, 0, 0],
      [0, 4, 0],
      [2, 0, 0],
    ])
    assert.equal(metrics.changedConsensusAfterTraining.totalEvents, 4)
    assert.deepEqual(metrics.changedConsensusAfterTraining.topEventsIds, ['new 4'])
    assert.equal(metrics.changedConsensusAfterTraining.topBucketsIds.length, 1)
    await shard.override(job, { eventId: 'new 0' }, null)
    assert.equal(metricsOf(shard, job).changedConsensusAfterTraining.totalEvents, 0)
  })

  it('name the events themselves where there are no buckets', async () => {
    const shard = await taught(eventCentric)
    for (const name of ['bob', 'eve']) await shard.feedback(eventCentric, 'old 3', name, 'Investigate')
    const { changedConsensusAfterTraining, totalEventsInKnowledgeBase } = metricsOf(shard, eventCentric)
    assert.deepEqual(changedConsensusAfterTraining, { totalEvents: 1, topEventsIds: ['old 3'], topBucketsIds: [] })
    assert.equal(totalEventsInKnowledgeBase, 8)
  })

  it('begin with production where nobody says otherwise, and end before their end', async () => {
    const shard = await taught(job)
    const times = ['new 2', 'new 6'].map((id) => shard.view(job, id).ingestMicros)
    const [from, to] = times as [number, number]
    assert.equal(metricsOf(shard, job, {}, from).totalEvents, 6)
    assert.equal(metricsOf(shard, job, { toMicros: to }, from).totalEvents, 4)
    assert.equal(metricsOf(shard, job, { fromMicros: 0 }, from).totalEvents, 16)
  })

  it('are of the events that pass every filter, by all operators', async () => {
    const shard = await taught(job)
    const rows: readonly [field: string, operator: FilterOperator, value: unknown, count: number][] = [
      ['kind', 'is', 'a0', 4],
      ['kind', 'is not', 'a0', 12],
      ['kind', 'is one of', ['a0', 'b1'], 8],
      ['kind', 'is not one of', ['a0', 'b1'], 8],
      ['kind', 'starts with', 'a', 8],
      ['kind', 'not starts with', 'a', 8],
      ['kind', 'contains', '3', 4],
      ['kind', 'not contains', '3', 12],
      ['kind', 'exists', undefined, 16],
      ['host', 'exists', undefined, 0],
      ['kind', 'not exists', undefined, 0],
      ['at', 'lt', 3, 6],
      ['at', 'lte', 3, 8],
      ['at', 'gt', 3, 8],
      ['at', 'gte', '3', 10],
      ['service.result_label', 'is', 'Escalate', 4],
      ['service.consensus', 'is', 'Drop', 8],
      ['service.bucket_state', 'is', 'in_knowledge_base', 16],
      ['service.confidence_score', 'gt', 50, 8],
      ['service.model.path', 'exists', undefined, 8],
    ]
    for (const [field, operator, value, count] of rows) {
      const filter = { field, operator, ...(value === undefined ? {} : { value: value as string }) }
      assert.equal(
        metricsOf(shard, job, { filters: [filter] }).totalEvents,
        count,
        `${field} ${operator} ${String(value)}`,
      )
    }
    const two = [
      { field: 'at', operator: 'lt', value: 4 },
      { field: 'service.result', operator: 'is', value: 'label_0' },
    ] as const
    assert.deepEqual(metricsOf(shard, job, { filters: two }).agreementWithVotes.matrix, [
      [2, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ])
  })

  it('are those of nothing once the job is deleted, and of another job all the while', async () => {
    const shard = await taught(job)
    await shard.ingest(eventCentric, { kind: 'a0' })
    await shard.purge(job)
    const metrics = metricsOf(shard, job)
    assert.deepEqual([metrics.totalEvents, metrics.activeModelId, metrics.overallAccuracy], [0, null, 0])
    assert.equal(metricsOf(shard, eventCentric).totalEvents, 1)
  })

  it('are refused when their time is over', async () => {
    const shard = await taught(job)
    const context = metricsContext(shard.environment)
    const late = { ...context, clock: { ...context.clock, nowMs: () => 1 } }
    assert.throws(
      () => runJobMetrics(late, metricsJob(job), { ...whole, fromMicros: 0 }, 10),
      (error) => isRefusal(error, 'query_timeout'),
    )
  })
})

describe('figures of a model', () => {
  it('keep what it was trained on apart from what is new', async () => {
    const shard = await taught(job)
    await shard.ingest(job, { kind: 'a9' }, 'unseen')
    await shard.feedback(job, 'unseen', 'ann', 'Investigate')
    const figures = runModelFigures(metricsContext(shard.environment), metricsJob(job), 1)
    const sum = (rows: readonly (readonly number[])[]): number => rows.flat().reduce((all, one) => all + one, 0)
    assert.deepEqual([sum(figures.knowledgeBase.events), sum(figures.knowledgeBase.subjects)], [16, 4])
    assert.deepEqual([sum(figures.newData.events), sum(figures.newData.subjects)], [1, 1])
    assert.deepEqual(figures.known, { events: [8, 8, 0], subjects: [2, 2, 0] })
    const [kind] = figures.points
    assert.equal(kind?.name, 'kind')
    assert.equal(kind?.distinctValues, 5)
    assert.equal(kind?.missingShare, 0)
  })

  it('have the first answers that the version gave, and the answers to events that were held out', async () => {
    const shard = await taught(job)
    await shard.ingest(job, { kind: 'c' }, 'unseen')
    await shard.feedback(job, 'unseen', 'ann', 'Drop')
    await shard.install(job, shard.train(job, 2))
    await shard.ingest(job, { kind: 'c' }, 'seen')
    await shard.feedback(job, 'seen', 'ann', 'Drop')
    const sum = ({ events }: ScoredCounts): number => events.reduce((all, one) => all + one, 0)
    for (const [version, parts] of [
      [1, [1, 0]],
      [2, [0, 1]],
    ] as const) {
      const { firstAnswers, model } = runModelFigures(metricsContext(shard.environment), metricsJob(job), version)
      assert.deepEqual([sum(firstAnswers.newBuckets), sum(firstAnswers.knownBuckets)], parts)
      assert.equal(sum(model.summary.scored as ScoredCounts), model.summary.examples, 'each held-out example once')
    }
  })

  it('are those of its answers, also where the objective prefers another label than the most probable', async () => {
    const costs = [
      [0, 50, 50],
      [1, 0, 1],
      [1, 1, 0],
    ]
    const costly = { ...eventCentric, advancedSettings: { objective: { costs } } }
    const shard = new TestShard()
    const truths = Array.from({ length: 40 }, (_, i) => (i % 5 === 0 ? 0 : 1))
    for (const [i, truth] of truths.entries()) {
      await shard.ingest(costly, { kind: `k${i % 3}` }, `old ${i}`)
      await shard.feedback(costly, `old ${i}`, 'ann', truth === 0 ? 'Escalate' : 'Drop')
    }
    await shard.install(costly, shard.train(costly, 1))
    const answered = [0, 1, 2].map(() => [0, 0, 0])
    for (const [i, truth] of truths.entries()) {
      const { result } = await shard.ingest(costly, { kind: `k${i % 3}` }, `new ${i}`)
      answered[truth]![Number(result.slice('label_'.length))]! += 1
    }
    const { knowledgeBase, model } = runModelFigures(metricsContext(shard.environment), metricsJob(costly), 1)
    assert.deepEqual(knowledgeBase.events, answered)
    assert.ok(answered[1]![0]! > 20, JSON.stringify(answered))
    assert.ok((model.summary.accuracy as number) < 0.5, 'so is the held-out accuracy')
  })

  it('are of older versions, too, as of what these knew', async () => {
    const shard = await taught(job)
    for (const analyst of ['bob', 'eve', 'sam'])
      await shard.vote(job, 'old 0', { analyst, label: 'Drop', scope: 'bucket' })
    await shard.install(job, shard.train(job, 2))
    const context = metricsContext(shard.environment)
    assert.deepEqual(runModelFigures(context, metricsJob(job), 2).known.events, [4, 12, 0])
    assert.equal(
      runModelFigures(context, metricsJob(job), 1)
        .knowledgeBase.events.flat()
        .reduce((all, one) => all + one, 0),
      16,
    )
    assert.throws(
      () => runModelFigures(context, metricsJob(job), 3),
      (error) => isRefusal(error, 'model_not_found'),
    )
  })
})
