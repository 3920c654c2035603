import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { BadOption, parseOptions, type QualityOptions } from '../../../bench/quality/options.js'
import { planTasks } from '../../../bench/quality/plan.js'
import { TaskRunner } from '../../../bench/quality/task.js'
import { temporaryDirectory } from '../../support/engine/files.js'

/** Two sets of sixty events whose host tells their label, and a folder that is no set. */
function folderOfSets(context: TestContext): string {
  const folder = temporaryDirectory(context)
  const events = Array.from({ length: 60 }, (_, i) =>
    JSON.stringify({ event: { host: `h${i % 12}`, seen: { at: i } }, label: `label ${i % 12}`, meta: {} }),
  )
  const lines = [...events.keys()]
  const test = lines.slice(40)
  for (const [name, scored] of [
    ['stream', test],
    ['shuffled', [...test].reverse()],
  ] as const) {
    const first = lines.slice(0, 40)
    const protocol = {
      test: scored,
      ignored_fields: ['seen.at'],
      picks: { random: { 0: first, 1: first.slice(0, 20) }, bucket: { 0: first } },
      outliers: {},
    }
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'protocol.json.gz'), gzipSync(JSON.stringify(protocol)))
    writeFileSync(join(folder, name, 'events.jsonl.gz'), gzipSync(events.join('\n')))
  }
  mkdirSync(join(folder, 'no set'))
  return folder
}

function options(...args: string[]): QualityOptions {
  const parsed = parseOptions(args)
  assert.ok(parsed !== 'help')
  return parsed
}

test('the runs are those for which the protocols of the folder have labels', (context) => {
  const folder = folderOfSets(context)
  const tasks = planTasks(options('--data', folder, '--decisions', '--labels', '10,30,100'))
  const names = tasks.map(
    (task) => `${task.set} ${task.kind === 'classification' ? task.strategy : ''} ${task.labels} ${task.seed}`,
  )
  assert.deepEqual(
    names,
    ['shuffled', 'stream'].flatMap((set) => [
      `${set} random 10 0`,
      `${set} largest 10 0`,
      `${set} random 30 0`,
      `${set} largest 30 0`,
      `${set} random 10 1`,
    ]),
  )
  assert.deepEqual(planTasks(options('--data', folder, '--outliers', '--drift')), [])
})

test('a set of a dozen labels is learned and scored', (context) => {
  const folder = folderOfSets(context)
  const runner = new TaskRunner(folder)
  for (const task of planTasks(options('--data', folder, '--decisions', '--labels', '40'))) {
    const done = runner.run(task)
    assert.ok(done !== null && 'reliability' in done.run)
    assert.equal(done.run.figures.accuracy, 1)
  }
})

test('unusable options are reported', (context) => {
  const folder = folderOfSets(context)
  for (const [args, words] of [
    [[], /--data is needed/],
    [['--data', join(folder, 'nowhere')], /no folder/],
    [['--data', join(folder, 'no set')], /No folder of .* has a protocol/],
    [['--data', folder, '--sets', 'other'], /does not know other; it takes shuffled, stream/],
    [['--data', folder, '--labels', '10,many'], /--labels takes a whole number/],
  ] as const)
    assert.throws(
      () => parseOptions(args),
      (error) => error instanceof BadOption && words.test(error.message),
    )
})
