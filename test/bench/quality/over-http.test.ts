import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { parseOptions } from '../../../bench/quality/options.js'
import { overHttpTable, runOverHttp } from '../../../bench/quality/over-http/report.js'
import { SeededRandom } from '../../../engine/rng.js'
import { temporaryDirectory } from '../../support/engine/files.js'

const labels = ['drop', 'look', 'raise']

/** Events of three labels that a kind tells half of, and a set of two labels. */
function folderOf(context: TestContext): string {
  const folder = temporaryDirectory(context)
  const random = new SeededRandom(5)
  for (const [name, kinds] of [
    ['three', 3],
    ['two', 2],
  ] as const) {
    const events = Array.from({ length: 240 }, (_, i) => {
      const kind = random.below(kinds)
      const label = random.below(10) < 6 ? kind : random.below(kinds)
      const event = { kind: `k${kind}`, host: { name: `h${random.below(4)}` }, at: i }
      return JSON.stringify({ event, label: labels[label], meta: {} })
    })
    const lines = [...events.keys()]
    const protocol = {
      test: lines.slice(160),
      ignored_fields: ['at'],
      picks: { random: { 0: lines.slice(0, 160).filter((line) => line % 2 === 0) }, bucket: {} },
      outliers: {},
    }
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'protocol.json.gz'), gzipSync(JSON.stringify(protocol)))
    writeFileSync(join(folder, name, 'events.jsonl.gz'), gzipSync(events.join('\n')))
  }
  return folder
}

test('a set that is played over HTTP is answered as the engine answers it', async (context) => {
  const options = parseOptions(['--data', folderOf(context), '--over-http', '--labels', '60', '--seeds', '1'])
  assert.ok(options !== 'help' && options.overHttp && options.parts.size === 0)
  const played = await runOverHttp(options)
  assert.deepEqual(
    played?.map(({ title }) => title),
    ['three 60, all points, seed 0', 'three 60, coarse, seed 0'],
  )
  for (const { events, http, inProcess, difference, reported } of played ?? []) {
    assert.equal(events, 80)
    assert.equal(difference.labels, 0)
    assert.ok(difference.points < 0.011, String(difference.points))
    assert.ok(Math.abs(http.logLoss - inProcess.logLoss) < 1e-4, `${http.logLoss}, ${inProcess.logLoss}`)
    assert.equal(http.macroF1, inProcess.macroF1)
    assert.ok(reported.heldOut.low !== null && reported.heldOut.low < http.accuracy + 0.2)
  }
  assert.match(overHttpTable(played ?? []), /three 60, coarse, seed 0: over HTTP +80 .* 0, 0\.0/)
})

test('sets without three labels are not played', async (context) => {
  const args = ['--data', folderOf(context), '--sets', 'two', '--over-http', '--labels', '60', '--seeds', '1']
  const options = parseOptions(args)
  assert.ok(options !== 'help')
  assert.equal(await runOverHttp(options), null)
})

test('a set whose votes agree on one label is left out, because no job could be trained', async (context) => {
  const folder = folderOf(context)
  const events = Array.from({ length: 240 }, (_, i) =>
    JSON.stringify({ event: { kind: 'k' }, label: i < 200 ? 'drop' : labels[i % 3], meta: {} }),
  )
  writeFileSync(join(folder, 'three', 'events.jsonl.gz'), gzipSync(events.join('\n')))
  const args = ['--data', folder, '--sets', 'three', '--over-http', '--labels', '60', '--seeds', '1']
  const options = parseOptions(args)
  assert.ok(options !== 'help')
  assert.equal(await runOverHttp(options), null)
})
