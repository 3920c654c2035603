import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Autonomy } from '../../../engine/domain/autonomy/passage.js'
import { defaultLabels } from '../../../engine/domain/job/labels.js'
import { passes, ruleOf, ruleParameters } from '../../../engine/integration/rule.js'

const labels = defaultLabels('Decision intelligence')
const decision = { label: 1, confidence: 9_900, outlier: false }

test('a step with `only: settled` sends what a gate has settled and nothing else', () => {
  const rule = ruleOf('post_decision', { only: 'settled' }, labels)
  const all = ruleOf('post_decision', {}, labels)
  for (const autonomy of ['none', 'settled', 'review', 'audit'] as const satisfies readonly Autonomy[]) {
    assert.equal(passes(rule, { ...decision, autonomy }), autonomy === 'settled', autonomy)
    assert.equal(passes(all, { ...decision, autonomy }), true)
  }
  assert.equal(passes(rule, decision), true, 'what stood before a change was as it is now')
})

test('only steps after the decision take `only`', () => {
  const names = (role: 'output' | 'post_decision') => ruleParameters(role).map(({ name }) => name)
  assert.deepEqual([names('output').includes('only'), names('post_decision').includes('only')], [false, true])
})
