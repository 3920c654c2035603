import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { ClassificationRun } from '../../../bench/quality/classify.js'
import { loadDataset, type Dataset } from '../../../bench/quality/dataset.js'
import { ClassificationTally } from '../../../bench/quality/figures.js'
import { parseOptions } from '../../../bench/quality/options.js'
import { planTasks } from '../../../bench/quality/plan.js'
import { binsWithin, ReliabilityTally, worstGap } from '../../../bench/quality/reliability.js'
import { binsReport } from '../../../bench/quality/reliability-report.js'
import { groupPathOf, shifted } from '../../../bench/quality/shift.js'
import { TaskRunner } from '../../../bench/quality/task.js'
import { temporaryDirectory } from '../../support/engine/files.js'

const NAME = 'stream'

/** Ninety events of nine hosts. With `shuffled` the scored lines have no order. */
function folderOf(context: TestContext, shuffled = false): string {
  const folder = temporaryDirectory(context)
  const events = Array.from({ length: 90 }, (_, i) =>
    JSON.stringify({ event: { host: `h${i % 9}`, kind: `k${i % 2}` }, label: `label ${i % 2}`, meta: {} }),
  )
  const lines = [...events.keys()]
  const scored = lines.slice(60)
  const protocol = {
    test: shuffled ? scored.reverse() : scored,
    ignored_fields: [],
    picks: { random: { 0: lines.slice(0, 60) }, bucket: {} },
    outliers: {},
  }
  mkdirSync(join(folder, NAME))
  writeFileSync(join(folder, NAME, 'protocol.json.gz'), gzipSync(JSON.stringify(protocol)))
  writeFileSync(join(folder, NAME, 'events.jsonl.gz'), gzipSync(events.join('\n')))
  return folder
}

function hostsOf(dataset: Dataset, lines: readonly number[]): Set<unknown> {
  return new Set(lines.map((line) => dataset.values[line]?.[dataset.points.indexOf('host')]))
}

test('a shift by time learns from the first third and scores the last', (context) => {
  const moved = shifted(loadDataset(folderOf(context), NAME), 'time', 0)
  assert.ok(moved)
  assert.deepEqual(
    moved.protocol.test,
    [...new Array(30).keys()].map((i) => 60 + i),
  )
  assert.ok(moved.protocol.pick('random', 0).every((line) => line < 30))
  assert.notDeepEqual(moved.protocol.pick('random', 0), moved.protocol.pick('random', 1))
  assert.equal(shifted(loadDataset(folderOf(context, true), NAME), 'time', 0), null)
})

test('a shift by group scores groups that no label is from', (context) => {
  const dataset = loadDataset(folderOf(context), NAME)
  assert.equal(groupPathOf(dataset), 'host')
  const moved = shifted(dataset, 'group', 0)
  assert.ok(moved)
  const [known, scored] = [hostsOf(moved, moved.protocol.pick('random', 0)), hostsOf(moved, moved.protocol.test)]
  assert.equal(known.size + scored.size, 9)
  assert.ok([...scored].every((host) => !known.has(host)))
  assert.equal(groupPathOf({ ...dataset, points: ['nothing', 'kind'] }), null)
})

test('runs on shifted streams and of other trainings are planned where they are asked for', (context) => {
  const folder = folderOf(context)
  const options = parseOptions(['--data', folder, '--shift', 'time,group', '--churn', '--labels', '20', '--seeds', '1'])
  assert.ok(options !== 'help')
  const runner = new TaskRunner(folder)
  const done = planTasks(options).map((task) => runner.run(task))
  assert.deepEqual(
    done.map((one) => one?.task.kind),
    ['shift', 'shift', 'churn'],
  )
  for (const one of done) {
    assert.ok(one !== null)
    if ('reliability' in one.run) assert.ok(one.run.figures.accuracy > 0.9)
    else assert.ok('again' in one.run && one.run.again < 0.1)
  }
})

test('reliability is by answered label, and bins with few answers have no gap', () => {
  const tally = new ReliabilityTally(2)
  for (let i = 0; i < 60; i++) tally.add(0, 0.95, i % 2 === 0)
  for (let i = 0; i < 40; i++) tally.add(1, 0.995, false)
  assert.ok(Math.abs(worstGap(tally.bins) - 0.45) < 1e-9)
  assert.equal(tally.sure.count, 40)
  assert.equal(tally.sure.right, 0)
})

test('bins that differ by more than a tenth are counted, and the worst is named', () => {
  const tally = new ReliabilityTally(2)
  for (let i = 0; i < 100; i++) tally.add(0, 0.95, i < 92)
  for (let i = 0; i < 100; i++) tally.add(1, 0.75, i < 50)
  for (let i = 0; i < 40; i++) tally.add(1, 0.25, true)
  const { bins, within, expected, worst } = binsWithin(tally.bins)
  assert.deepEqual([bins, within, worst?.label, worst?.at], [2, 1, 1, 7])
  // A bin of 100 answers of 75 % is off by a tenth in one stream of fifty.
  assert.ok(expected > 1.97 && expected < 2, String(expected))
  const run = { labelNames: ['no', 'yes'], reliability: tally.bins } as unknown as ClassificationRun
  const task = { kind: 'shift', set: 'stream', shift: 'time', strategy: 'random', seed: 0, labels: 100, single: false }
  const report = binsReport([{ task: task as never, run }], 'a stream')
  assert.match(report, /all sets, 100 labels +2 +50 +99 +stream yes 70–80: 75\/50\* of 100/)
})

test('calibrated answers have the calibration error that chance gives them', () => {
  const tally = new ClassificationTally(2)
  for (let i = 0; i < 400; i++) tally.add(Float64Array.of(0.8, 0.2), i % 5 === 0 ? 1 : 0)
  // The mean of |z| is 0.8 of a standard error, which is 0.02 here.
  assert.ok(Math.abs(tally.chanceEce - 0.016) < 0.0005, String(tally.chanceEce))
})
