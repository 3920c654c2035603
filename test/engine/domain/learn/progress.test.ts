import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TrainingCancelled } from '../../../../engine/domain/learn/classifier.js'
import { part, ProgressReport } from '../../../../engine/domain/learn/progress.js'

test('a stage turns its own share into that of the whole', () => {
  const seen: [number, string][] = []
  const report = new ProgressReport((done, what) => seen.push([done, what]) > 0)
  const stage = report.stage(0.5, 0.7, 'Fitting')
  stage.at(0)
  part(stage, 0.5, 1).at(0.5)
  stage.at(2)
  assert.deepEqual(
    seen.map(([done]) => Number(done.toFixed(6))),
    [0.5, 0.65, 0.7],
  )
  assert.equal(seen[0]?.[1], 'Fitting')
})

test('progress never falls, yet asks on every call', () => {
  const seen: number[] = []
  const report = new ProgressReport((done) => seen.push(done) > 0)
  report.stage(0, 1, 'a').at(0.6)
  report.stage(0, 1, 'b').at(0.2)
  assert.deepEqual(seen, [0.6, 0.6])
})

test('a no is a cancellation', () => {
  const stage = new ProgressReport(() => false).stage(0, 1, 'a')
  assert.throws(() => stage.at(0), TrainingCancelled)
})
