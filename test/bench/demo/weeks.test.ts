/** The eight weeks of the demo, short: the real service, a simulated clock, a contract that is easily proved. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { mkdirSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { BadOption } from '../../../bench/demo/options.js'
import { Progress } from '../../../bench/demo/progress.js'
import { storyOf } from '../../../bench/demo/weeks/run.js'
import { storyText } from '../../../bench/demo/weeks/story.js'
import { AIT, aitWeeks, generatedWeeks } from '../../../bench/demo/weeks/streams.js'
import { temporaryDirectory } from '../../support/engine/files.js'

const terms = { epsilon: 0.4, delta: 0.4, thresholds: [60], holdOut: { shadow: 0.5, open: 0.2 }, room: 1 }
const quiet = new Progress(new PassThrough() as unknown as NodeJS.WriteStream)

test('eight weeks of a shop are played, and the page says what the job settled and what it proved', async () => {
  const page = await storyOf(generatedWeeks(1, 500), terms, quiet)
  assert.match(page, /Simulated are the time/)
  assert.match(
    page,
    /In short: of all Escalate alerts, the job settled [\d.]+ % wrongly; who closes Drop[\s\S]+loses [\d.]+ %\. The/,
  )
  assert.match(page, /most\s40.0\s%\sof\swhat\sit\ssettles/)
  assert.match(page, /day +\d+ {2}proved: of \d+ audits \d+ found a miss/)
  assert.match(page, /settled by the job( +[\d,]+){9}/)
  assert.match(page, /closing Drop at a confidence of 90 and more/)
  assert.match(page, /The job settles Drop automatically at a confidence of 60 or more/)
})

test('a page without an open gate says that nothing was settled', () => {
  const week = {
    events: 10,
    settled: 0,
    missed: 0,
    foundAgain: 0,
    protectedEvents: 1,
    clicks: 10,
    closable: 2,
    closableMissed: 1,
  }
  const weeks = Array.from({ length: 8 }, () => ({ ...week, protectedDecided: 1, bound: null }))
  const page = storyText(generatedWeeks(1, 100), terms, { weeks, happenings: [], now: [], certificates: [] })
  assert.match(page, /No gate opened in these weeks/)
  assert.match(page, /In short: nothing was proved in these weeks/)
  assert.match(page, /the contract +0 +0 +0.0 %/)
  assert.match(page, /closing Drop .* +16 +8 +100.0 %/)
})

test('the public alerts are read from a folder, and their absence is a sentence', (context) => {
  const folder = temporaryDirectory(context)
  assert.throws(
    () => aitWeeks(folder),
    (error) => error instanceof BadOption && /There is no file .*ait_alerts_a/.test(error.message),
  )
  mkdirSync(join(folder, AIT))
  const lines = ['scan', 'noise'].map((label) => JSON.stringify({ event: { rule: { id: 'a' } }, label }))
  writeFileSync(join(folder, AIT, 'events.jsonl.gz'), gzipSync(lines.join('\n')))
  const { events, labels, protects } = aitWeeks(folder)
  assert.deepEqual([labels[events[0]?.truth ?? 0], protects], ['scan', ['compromise', 'scan']])
})
