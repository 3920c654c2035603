import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readBaselines, readOutlierBaselines } from '../../../bench/quality/baselines.js'
import { checkSet } from '../../../bench/quality/dataset.js'
import { BadFile } from '../../../bench/quality/set-files.js'
import { temporaryDirectory } from '../../support/engine/files.js'

const events = Array.from({ length: 8 }, (_, i) => ({ event: { host: `h${i}` }, label: i % 2 === 0 ? 'a' : 'b' }))
const protocol = {
  test: [4, 5, 6, 7],
  picks: { random: { 0: [0, 1] }, bucket: { 0: [2, 3] } },
  ignored_fields: [],
  outliers: { b: { 0: { train: [0, 2], inliers: [4, 6], outliers: [5, 7] } } },
}

/** The report on a set of these files; '' if it is good. Texts are written as they are. */
function saidOf(context: TestContext, lines: readonly unknown[], head: unknown): string {
  const folder = temporaryDirectory(context)
  const textOf = (part: unknown): string => (typeof part === 'string' ? part : JSON.stringify(part))
  mkdirSync(join(folder, 'set'))
  writeFileSync(join(folder, 'set', 'events.jsonl.gz'), gzipSync(lines.map(textOf).join('\n')))
  writeFileSync(join(folder, 'set', 'protocol.json.gz'), gzipSync(textOf(head)))
  try {
    checkSet(folder, 'set')
    return ''
  } catch (error) {
    assert.ok(error instanceof BadFile)
    return error.message
  }
}

test('a set of lines with events and labels is good, with or without a meta', (context) => {
  assert.equal(saidOf(context, events, protocol), '')
  assert.equal(
    saidOf(
      context,
      events.map((line) => ({ ...line, meta: { kind: 1 } })),
      { ...protocol, outliers: {} },
    ),
    '',
  )
})

test('a fault in a protocol is reported by its name', (context) => {
  const { outliers, ...rest } = protocol
  for (const [head, words] of [
    ['{', /protocol.json.gz is no JSON/],
    [rest, /protocol.json.gz cannot be used:\n {2}outliers: /],
    [{ ...protocol, test: [] }, /test: /],
    [{ ...protocol, picks: { random: { first: [1] }, bucket: {} } }, /picks.random.first: Invalid key/],
    [{ ...protocol, picks: { random: { 0: [0.5] }, bucket: {} } }, /picks.random.0.0: /],
    [{ ...protocol, test: [4, 8] }, /test has line 8, but there are 8 lines/],
    [{ ...protocol, test: [4, 4] }, /test has a line twice/],
    [{ ...protocol, picks: { random: { 0: [5] }, bucket: {} } }, /picks.random.0 has line 5, which is scored/],
    [{ ...protocol, outliers: { b: { 0: { ...outliers.b[0], train: [4] } } } }, /outliers.b.0 learns from line 4/],
  ] as const)
    assert.match(saidOf(context, events, head), words)
})

test('a fault in events is reported by its line', (context) => {
  for (const [line, words] of [
    ['{"event"', /line 3 \(from 0\), is no JSON/],
    [{ event: {}, label: 7 }, /line 3 \(from 0\), label: /],
    [{ event: 'text', label: 'a' }, /line 3 \(from 0\), event: /],
  ] as const)
    assert.match(saidOf(context, events.with(3, line as never), protocol), words)
  assert.match(
    saidOf(
      context,
      events.map((line) => ({ ...line, label: 'a' })),
      protocol,
    ),
    /one label only/,
  )
})

test('a missing file, or one that is not gzip, is named', (context) => {
  const folder = temporaryDirectory(context)
  mkdirSync(join(folder, 'set'))
  writeFileSync(join(folder, 'set', 'protocol.json.gz'), '{}')
  assert.throws(
    () => checkSet(folder, 'set'),
    (error) => error instanceof BadFile && /protocol.json.gz is no gzip file/.test(error.message),
  )
  writeFileSync(join(folder, 'set', 'protocol.json.gz'), gzipSync(JSON.stringify(protocol)))
  assert.throws(
    () => checkSet(folder, 'set'),
    (error) => error instanceof BadFile && /There is no file .*events.jsonl.gz/.test(error.message),
  )
})

test('baselines need their columns; those of outliers may be left out', (context) => {
  const folder = temporaryDirectory(context)
  const path = join(folder, 'baselines.csv')
  assert.throws(
    () => readBaselines(folder),
    (error) => error instanceof BadFile && /There is no file/.test(error.message),
  )
  writeFileSync(path, 'data,pick,labels,model,accuracy,macro_f1,ece\n')
  assert.throws(
    () => readBaselines(folder),
    (error) => error instanceof BadFile && /has no column log_loss/.test(error.message),
  )
  writeFileSync(path, 'model,data,pick,labels,accuracy,macro_f1,log_loss,ece\nknn,set,random,10,0.5,0.4,0.3,0.2\n')
  assert.deepEqual(readBaselines(folder), [
    { set: 'set', strategy: 'random', labels: 10, model: 'knn', accuracy: 0.5, macroF1: 0.4, logLoss: 0.3, ece: 0.2 },
  ])
  assert.deepEqual(readOutlierBaselines(folder), [])
})
