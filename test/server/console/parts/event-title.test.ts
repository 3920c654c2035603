import assert from 'node:assert/strict'
import { test } from 'node:test'
import { titleOf } from '../../../../server/console/parts/event-title.js'

const named = (points: Record<string, unknown>, title?: unknown): string =>
  titleOf({ event_id: 'e 1', title, decision_points: points })

test('an event is called by its title, else by the words of its rule, else by its first values, else by its id', () => {
  const points = { 'event.module': 'edr', 'event.severity': 73, 'rule.id': 'E-1', 'rule.name': 'A shell was started' }
  assert.equal(named(points, 'Given'), 'Given')
  assert.equal(named(points, '  '), 'A shell was started · edr')
  assert.equal(named({ ...points, 'rule.name': 'short' }), 'edr · 73 · E-1')
  assert.equal(named({ 'rule.name': null, list: ['a', 1] }), '["a",1]')
  assert.equal(named({}), 'e 1')
})

test('signs that turn or hide text are shown by their number', () => {
  assert.equal(named({}, 'a\u202egnp.exe'), 'a⟨U+202E⟩gnp.exe')
})
