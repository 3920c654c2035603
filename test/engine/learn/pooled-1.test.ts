/**
 * Models of `pooled/1`, the kind before the nearest neighbour became a member, answer as they did when it was the newest.
 *
 * pooled-1.base64 is such a model, gzipped, trained by the learner of that time on 40 examples of three labels with the
 * objective `macro_f1`; the answers below are what that learner said.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { PointValues } from '../../../engine/learn/classifier.js'
import { loadModel } from '../../../engine/learn/registry.js'

/** Data is not compiled: it lies beside the source of this test. */
const file = new URL('../../../../test/engine/learn/pooled-1.base64', import.meta.url)

interface Answer {
  readonly values: PointValues
  readonly probabilities: readonly number[]
  readonly label: number
  readonly outlierScore: number
}

const answers: readonly Answer[] = [
  { values: ['login failed for root', 293, 'c', null, '10.0.2.4'], probabilities: [0.0255650755, 0.1803555821, 0.7940793423], label: 2, outlierScore: 0.8941085634 },
  { values: ['R57-M0-N4-C:J16', 904, 'c', null, '10.0.1.8'], probabilities: [0.0122218497, 0.9561043746, 0.0316737757], label: 1, outlierScore: 0.1094323797 },
  { values: ['service restarted', 132, 'a', ['x', 'y'], '10.0.1.4'], probabilities: [0.9440496616, 0.0089674666, 0.0469828718], label: 0, outlierScore: 0.8503956815 },
  { values: ['login failed for root', 484, 'b', ['x', 'y'], '10.0.0.5'], probabilities: [0.0303947085, 0.3289005564, 0.6407047351], label: 2, outlierScore: 1.1485281313 },
  { values: ['login failed for root', 29, 'a', ['x', 'y'], '10.0.2.3'], probabilities: [0.9678703957, 0.0097752969, 0.0223543074], label: 0, outlierScore: 0.4496705314 },
  { values: ['login failed for root', 593, 'c', null, '10.0.2.7'], probabilities: [0.0148591499, 0.8761080264, 0.1090328237], label: 1, outlierScore: 0.2719133118 },
  { values: [null, null, null, null, null], probabilities: [0.5178890462, 0.050748347, 0.4313626067], label: 0, outlierScore: 6.6614948058 },
  { values: ['never seen words', 1000000000, 'z', ['x'], '192.168.1.1'], probabilities: [0.4956502846, 0.4557119284, 0.048637787], label: 1, outlierScore: 5.8196918283 },
  { values: ['Login  FAILED', 12.5, 'b', true, 'fe80::1'], probabilities: [0.0191371207, 0.0496150712, 0.931247808], label: 2, outlierScore: 5.1093353914 },
  { values: ['login failed for root', 165, 'c', null, '10.0.1.4'], probabilities: [0.0212849409, 0.0199265386, 0.9587885205], label: 2, outlierScore: 0.0995362003 },
]

function close(ours: number, then: number, what: string): void {
  assert.ok(Math.abs(ours - then) < 1e-8, `${what}: ${ours}, was ${then}`)
}

test('a model of the first pooled kind answers as it did', () => {
  const model = loadModel(gunzipSync(Buffer.from(readFileSync(file, 'latin1'), 'base64')))
  const { kind, examples, features, logLoss, accuracy } = model.summary
  assert.deepEqual({ kind, examples, features }, { kind: 'pooled/1', examples: 40, features: 142 })
  close(logLoss ?? NaN, 0.2334958575, 'log-loss')
  close(accuracy ?? NaN, 0.9333333333, 'accuracy')
  const probabilities = new Float64Array(3)
  for (const { values, probabilities: then, label, outlierScore } of answers) {
    const what = JSON.stringify(values)
    close(model.assess(values, probabilities), outlierScore, `outlier score of ${what}`)
    then.forEach((probability, k) => close(probabilities[k] as number, probability, `label ${k} of ${what}`))
    assert.equal(model.choose(probabilities), label, what)
    model.predict(values, probabilities)
    then.forEach((probability, k) => close(probabilities[k] as number, probability, `label ${k} of ${what}, predicted`))
  }
})
