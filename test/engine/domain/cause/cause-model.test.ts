import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { reportOf } from '../../../../bench/root-cause/figures.js'
import { play } from '../../../../bench/root-cause/play.js'
import { serviceAlerts } from '../../../../bench/root-cause/stream.js'
import { CauseModel, trainCause, type CauseExample } from '../../../../engine/domain/cause/cause-model.js'
import { contextValues, structuralAnswer } from '../../../../engine/domain/cause/context.js'
import { LinkBelief } from '../../../../engine/domain/cause/feedback-weights.js'
import { TrainingCancelled, type Objective } from '../../../../engine/domain/learn/classifier.js'
import { pooled } from '../../../../engine/domain/learn/pooled/pooled.js'
import { alarm, TestClustering } from '../../../support/cause.js'

/** Incidents of two alerts and some noise, with their labels. */
function world(labels: readonly number[] = [0, 1, 2]): { clustering: TestClustering; examples: CauseExample[] } {
  const clustering = new TestClustering()
  const examples: CauseExample[] = []
  const numbers: [number, number][] = []
  for (let i = 0; i < 30; i++) {
    const at = i * 2_000
    const bodies = [alarm('d1', 'power', at), alarm('d2', 'link', at + 5, ['d1']), alarm('d7', 'noise', at + 9)]
    for (const [label, body] of bodies.entries()) numbers.push([clustering.take(body), label])
  }
  for (const [number, label] of numbers) {
    const alert = clustering.clustering.alert(number)
    if (alert !== null && labels.includes(label)) examples.push({ alert, label, values: [] })
  }
  return { clustering, examples }
}

function train(
  { clustering, examples }: ReturnType<typeof world>,
  goOn = true,
  objective: Objective = 'accuracy',
): Uint8Array {
  const { hawkes } = clustering.clustering
  return trainCause(
    {
      examples,
      background: examples,
      decisionPoints: [],
      labelCount: 3,
      byRole: [0, 1, 2],
      facts: hawkes,
      window: { ms: hawkes.windowMs, fixed: false },
      seed: 3,
      objective,
    },
    pooled,
    () => goOn,
  )
}

describe('a model of root cause analysis', () => {
  it('never takes its rule for macro F1 as off: what it changes was measured without the clusters', () => {
    const model = new CauseModel(train(world(), true, 'macro_f1'))
    assert.equal(model.summary.ruleChanges, undefined)
  })

  it('says what the labels say, surely, and the same bytes come of the same labels', () => {
    const known = world()
    const bytes = train(known)
    assert.deepEqual(train(world()), bytes)
    const model = new CauseModel(bytes)
    const linkBelief = new LinkBelief(model.feedbackWeights)
    const probabilities = new Float64Array(3)
    for (const { alert, label } of known.examples.slice(-3)) {
      const values = contextValues(
        alert,
        structuralAnswer(alert, linkBelief, model.feedbackWeights.windowMs),
        known.clustering.clustering.hawkes,
        [],
      )
      const score = model.assess(values, probabilities)
      assert.equal(model.choose(probabilities), label)
      assert.ok(Math.abs(probabilities.reduce((a, b) => a + b, 0) - 1) < 1e-9 && (probabilities[label] as number) > 0.7)
      const once = [...probabilities]
      assert.equal(model.assess(values, probabilities), score)
      assert.deepEqual([...probabilities], once)
      model.predict(values, probabilities)
      assert.deepEqual([...probabilities], once)
    }
  })

  it('never answers with a label without an example', () => {
    const known = world([0, 1])
    const model = new CauseModel(train(known))
    const probabilities = new Float64Array(3)
    const { hawkes } = known.clustering.clustering
    for (const { alert } of world().examples) {
      model.predict(
        contextValues(alert, structuralAnswer(alert, new LinkBelief(model.feedbackWeights), 60_000), hawkes, []),
        probabilities,
      )
      assert.notEqual(model.choose(probabilities), 2)
      assert.ok((probabilities[2] as number) < 0.01)
    }
  })

  it('refuses bytes that are cut short, and stops when it is told to', () => {
    assert.throws(() => new CauseModel(train(world()).subarray(0, 90)))
    assert.throws(() => train(world(), false), TrainingCancelled)
  })
})

describe('alerts of services that call each other', () => {
  it('are clustered and told apart without a label', () => {
    const stream = serviceAlerts({ services: 20, callees: 2, every: 120 }, 3)
    const alarms = Array.from({ length: 800 }, () => {
      const { body, label, incident } = stream.next().value as {
        body: Record<string, unknown>
        label: number
        incident: number
      }
      return { event: body, label, cluster: incident }
    })
    const { macroF1, ari, topPrecision } = reportOf(
      alarms,
      play(alarms, { labels: 0, seed: 0, parameters: {}, points: [] }),
      0,
    )
    assert.ok(macroF1 > 0.9 && ari > 0.8 && topPrecision > 0.9, JSON.stringify({ macroF1, ari, topPrecision }))
  })
})
