/** `decide ingest` against a running service. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { decide, type Ran, type RunOptions } from '../../support/cli/decide.js'
import { makeJob } from '../../support/client.js'
import { MANAGEMENT_KEY, startService, type TestService } from '../../support/service.js'

let service: TestService
let jobId: number
let title: string
const dir = mkdtempSync(join(tmpdir(), 'decide-ingest-'))

before(async () => {
  service = await startService()
  ;({ jobId, title } = await makeJob(service.client))
})
after(async () => {
  await service.close()
  rmSync(dir, { recursive: true })
})

function run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return decide(args, { ...options, env: { DECIDE_URL: service.baseUrl, DECIDE_KEY: MANAGEMENT_KEY, ...options.env } })
}

async function stored(): Promise<number> {
  return (await service.client.get(`/api/v1/jobs/${jobId}`)).body.processed_documents_count
}

test('events from standard input are stored, and a command that is run again stores nothing twice', async () => {
  const before = await stored()
  const lines = Array.from({ length: 2_500 }, (_, n) =>
    JSON.stringify({ rule: `r${n % 5}`, source: { ip: `10.0.0.${n % 9}` } }),
  )
  const args = ['ingest', '--job', title, '--run', 'mine', '--json']
  const first = await run(args, { input: gzipSync(`${lines.join('\n')}\n\n`) })
  assert.equal(first.code, 0, first.err)
  const { stored: count, refused, run: name, decisions } = JSON.parse(first.out)
  assert.deepEqual(
    { count, refused, name, decisions },
    { count: 2_500, refused: 0, name: 'mine', decisions: { 'no decision': 2_500 } },
  )
  assert.equal((await run(args, { input: lines.join('\n') })).code, 0)
  assert.equal((await run([...args, '--skip', '2400'], { input: lines.join('\n') })).code, 0)
  assert.equal((await stored()) - before, 2_500)
  assert.equal((await service.client.get(`/api/v1/events/${jobId}/mine-2500`)).status, 200)
})

test('a file of CSV is stored, with ids of its own', async () => {
  const file = join(dir, 'alerts.csv')
  writeFileSync(file, 'id,rule,source.ip\nc-1,x,10.0.0.1\nc-2,"y, z",10.0.0.2\n')
  const ran = await run(['ingest', file, '--job', String(jobId), '--id-field', 'id', '--results'])
  assert.equal(ran.code, 0, ran.err)
  assert.deepEqual(
    ran.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event_id),
    ['c-1', 'c-2'],
  )
  const { body } = await service.client.get(`/api/v1/events/${jobId}/c-2/export`)
  assert.deepEqual(body.service_event.source, { ip: '10.0.0.2' })
})

test('a file of NDJSON is not taken for CSV because its first line is bad', async () => {
  const file = join(dir, 'bad.ndjson')
  writeFileSync(file, 'not json\n{"rule":"x"}\n')
  const ran = await run(['ingest', file, '--job', title])
  assert.equal(ran.code, 1)
  assert.match(ran.err, /^line 1: it is not JSON: not json$/m)
  assert.match(ran.out, /^1 event stored, 1 refused/)
})

test('refused lines are named by their number, and the others are stored', async () => {
  const line = (n: number, job: number): string =>
    JSON.stringify({ job_id: job, event_id: `m-${n}`, raw_body: { rule: 'r' } })
  const input = [line(1, jobId), 'no json', line(3, 99_999), '', line(5, jobId)].join('\n')
  const ran = await run(['ingest'], { input })
  assert.equal(ran.code, 1)
  assert.match(ran.err, /^line 2: it is not JSON: no json$/m)
  assert.match(ran.err, /^line 3: job not found/m)
  assert.match(ran.out, /^2 events stored, 2 refused/)
  assert.equal((await service.client.get(`/api/v1/events/${jobId}/m-5`)).status, 200)
})

test('wrong usage is 2, and nothing is sent', async () => {
  const before = await stored()
  for (const [args, input, words] of [
    [['ingest', '--job', String(jobId), '--run', 'a b'], '{}', /--run must have/],
    [['ingest', '--format', 'xml'], '', /xml/],
    [['ingest', '--key', 'k'], '', /No flag registered for --key/],
    [['ingest', dir], '', /is a directory/],
  ] as const) {
    const ran = await run(args, { input })
    assert.equal(ran.code, 2, `${args.join(' ')}: ${ran.err}`)
    assert.match(ran.err, words)
  }
  assert.equal(await stored(), before)
})

test('where nothing is stored, it is said why, and the exit code is not 0', async () => {
  const before = await stored()
  for (const [args, input, words] of [
    [[], 'a,b\n1,2', /line 2: it has no job_id; name the job with --job/],
    [[], '[{"a": 1}]', /line 1: /],
    [['--job', String(jobId), '--id-field', 'id'], '{"a":1}', /line 1: it has no id at id/],
    [['--job', String(jobId)], '', /there is no event in the input/],
    [['--job', String(jobId)], 'a,b\n', /there is no event in the input/],
    [['--job', String(jobId)], '[]', /there is no event in the input/],
    [['--job', String(jobId)], Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0]), /it is no text/],
    [['--job', String(jobId)], '{"a": 1', /line 1: it has no end/],
  ] as const) {
    const ran = await run(['ingest', ...args], { input })
    assert.equal(ran.code, 1, `${String(input)}: ${ran.err}`)
    assert.match(ran.err, words)
  }
  assert.equal(await stored(), before)
})

test('a file that breaks off is stored up to there, and the exit code is 1', async () => {
  const before = await stored()
  const lines = Array.from({ length: 20_000 }, (_, n) => JSON.stringify({ rule: `r${n}`, at: Math.sin(n) }))
  const whole = gzipSync(lines.join('\n'))
  const ran = await run(['ingest', '--job', title, '--run', 'half'], { input: whole.subarray(0, whole.length >> 1) })
  assert.equal(ran.code, 1, ran.err)
  assert.match(
    ran.err,
    /the input could not be read to its end: the input is not valid gzip\. What was read before is sent/,
  )
  const [, sent = '', skip = ''] =
    /^([\d,]+) events stored[\s\S]*To go on: --run half --skip (\d+)$/m.exec(ran.err) ?? []
  assert.equal((await stored()) - before, Number(sent.replaceAll(',', '')))
  assert.equal((await run(['ingest', '--job', title, '--run', 'half', '--skip', skip], { input: whole })).code, 0)
  assert.equal((await stored()) - before, lines.length)
})

test('a service that cannot be reached is 75, with what it takes to go on', async () => {
  const closed = await startService()
  await closed.close()
  const ran = await run(['ingest', '--job', '1', '--run', 'later', '--skip', '1'], {
    input: '{}\n{"a":1}\n',
    env: { DECIDE_URL: closed.baseUrl },
    signal: AbortSignal.timeout(120_000),
  })
  assert.equal(ran.code, 75)
  assert.match(ran.err, /^To go on: --run later --skip 1$/m)
  assert.match(ran.err, /connection to \S+ failed/)
  assert.doesNotMatch(ran.err, new RegExp(MANAGEMENT_KEY))
})

test('an interrupt ends it with 130, and says how to go on', async () => {
  const interrupt = new AbortController()
  interrupt.abort()
  const ran = await run(['ingest', '--job', String(jobId), '--run', 'cut'], { input: '{}\n', signal: interrupt.signal })
  assert.equal(ran.code, 130)
  assert.match(ran.err, /^To go on: --run cut --skip 0$/m)
})

test('a terminal gets a progress bar', async () => {
  const file = join(dir, 'more.ndjson')
  writeFileSync(file, '{"rule":"r"}\n'.repeat(10))
  const ran = await run(['ingest', file, '--job', String(jobId)], { columns: 80 })
  assert.equal(ran.code, 0, ran.err)
  assert.match(ran.err, /\r\u001b\[K\[#+\] 100 % {2}\d+ events/)
})
