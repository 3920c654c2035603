/** The commands of `decide` against a running service, from the profile to the proof of the audit log. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { decide, type Ran, type RunOptions } from '../../support/cli/decide.js'
import { makeJob } from '../../support/client.js'
import { ADMIN_PASSWORD, MANAGEMENT_KEY, startService, type TestService } from '../../support/service.js'

let service: TestService
let jobId: number
let title: string
const dir = mkdtempSync(join(tmpdir(), 'decide-'))
const config = join(dir, 'profiles.json')

before(async () => {
  service = await startService()
  ;({ jobId, title } = await makeJob(service.client))
  for (const n of [1, 2, 3, 4]) {
    const raw_body = { rule: n < 3 ? 'a' : 'b', source: { ip: `10.0.0.${n}` }, text: '\u001b[2J' }
    await service.client.post(`/api/v1/events/e-${n}`, { job_id: jobId, raw_body })
  }
})
after(async () => {
  await service.close()
  rmSync(dir, { recursive: true })
})

function run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return decide(args, { ...options, env: { DECIDE_CONFIG: config, ...options.env } })
}

async function good(args: readonly string[], options: RunOptions = {}): Promise<string> {
  const ran = await run(args, options)
  assert.equal(ran.code, 0, `${args.join(' ')}: ${ran.err}`)
  return ran.out
}

async function json(args: readonly string[]): Promise<any> {
  return JSON.parse(await good([...args, '--json']))
}

test('a profile is written once its key was tried; the key comes from standard input', async () => {
  const before = await run(['jobs'])
  assert.equal(before.code, 2)
  assert.match(before.err, /run "decide init"/)
  const wrong = await run(['init', '--url', service.baseUrl], { input: 'not-a-key-of-this-service\n' })
  assert.equal(wrong.code, 1)
  assert.match(wrong.err, /run "decide init" with a valid key/)
  assert.equal((await run(['jobs'])).code, 2)
  const out = await good(['init', '--url', `${service.baseUrl}/`], { input: `${MANAGEMENT_KEY}\n` })
  assert.match(out, /The profile default is in/)
  assert.ok(!out.includes(MANAGEMENT_KEY))
  assert.match(await good(['jobs']), new RegExp(`^${jobId}\t${title}\tSTARTED\t4\t0\t`, 'm'))
})

test('a user signs in with a password, for a profile of their own', async () => {
  await good(['init', '--profile', 'admin', '--user', 'admin', '--url', service.baseUrl], {
    input: `${ADMIN_PASSWORD}\n`,
  })
  assert.equal((await json(['jobs', '--profile', 'admin'])).length, 1)
  assert.equal((await run(['jobs', '--profile', 'nobody'])).code, 2)
})

test('jobs are shown, stopped, started, and made from a file', async () => {
  assert.equal((await json(['jobs', 'show', title])).job_id, jobId)
  assert.match(await good(['jobs', 'show', String(jobId)]), /^decision points: rule, source\.ip$/m)
  assert.match(await good(['jobs', 'stop', String(jobId)]), /stopped/)
  assert.equal((await json(['jobs', 'show', String(jobId)])).status, 'STOPPED')
  assert.match(await good(['jobs', 'start', String(jobId)]), /runs/)
  const file = join(dir, 'key.json')
  writeFileSync(file, JSON.stringify({ resources: { k: { type: 'api_key', properties: { name: 'made by decide' } } } }))
  assert.match(await good(['jobs', 'apply', file]), /^created api_key \S+\nkey \S+: \S{40,}$/m)
  assert.equal((await run(['jobs', 'apply', file, '--keep-existing'])).code, 1)
  const missing = await run(['jobs', 'show', 'No such job'])
  assert.deepEqual([missing.code, missing.out], [1, ''])
  assert.equal(missing.err, 'there is no job No such job; "decide jobs list" shows the jobs.\n')
})

test('a job is named in its place or by --job, with every command', async () => {
  const id = String(jobId)
  for (const [args, words] of [
    [['jobs', 'show', '--job', title], /^decision points/m],
    [['jobs', 'show', `--job=${id}`], /^decision points/m],
    [['next', '--job', id, '-n', '1'], /./],
    [['models', 'list', '--job', id, '--json'], /^\[/],
    [['safety', 'show', '--job', id], /./],
    [['vote', '--job', id, 'e-2', 'Drop', '--as', 'eve'], /^Consensus: Drop/m],
    [['vote', 'e-2', '--withdraw', '--as', 'eve', '--job', id], /^Consensus: none/m],
    [['query', title, 'rule:a', '--count'], /^2$/m],
    [['query', 'rule:a', '--job', title, '--count'], /^2$/m],
  ] as const)
    assert.match(await good(args), words, args.join(' '))
  const twice = await run(['query', title, 'rule:a', '--job', id])
  assert.deepEqual([twice.code, /named twice/.test(twice.err)], [2, true])
  const ingested = await run(['ingest', title, '-', '--json'], { input: '{"other":1}' })
  assert.equal(JSON.parse(ingested.out).stored?.new ?? JSON.parse(ingested.out).stored, 1, ingested.err)
})

test('usage shows the places that may be left out', async () => {
  for (const [args, usage] of [
    [['vote'], 'vote <job> <event> [<label>]'],
    [['promote'], 'promote <job> [<model>]'],
    [['ingest'], 'ingest [<job>] [<file>]'],
    [['query'], 'query [<job>] [<query>]'],
    [['tail'], 'tail [<job>]'],
  ] as const)
    assert.ok((await good([...args, '--help'])).includes(usage), usage)
})

test('a job that there is not ends a command with one sentence, and nothing is sent', async () => {
  const ran = await run(['ingest', '--job', '99'], { input: '{"a":1}\n'.repeat(1_000) })
  assert.deepEqual([ran.code, ran.out, ran.err], [1, '', 'there is no job 99; "decide jobs list" shows the jobs.\n'])
  assert.match((await run(['train', '99'])).err, /^there is no job 99;/)
})

test('errors name no operation, and a comparison that cannot hold is refused', async () => {
  const refused = await run(['vote', String(jobId), 'none', 'Drop'])
  assert.match(refused.err, /^event not found/)
  const compared = await run(['query', '--job', String(jobId), '-f', 'confidence_score<zz'])
  assert.notEqual(compared.code, 0)
  assert.match(compared.err, /confidence_score/)
  assert.doesNotMatch(compared.err, /^\w+: /)
  assert.match((await run(['safety', 'forecast', String(jobId)])).err, /\w/)
})

test('events are found by filters, one a line of JSON, or as a table that no event can break', async () => {
  const lines = (await good(['query', '--job', title, '-f', 'rule=a', '--json'])).trim().split('\n')
  assert.deepEqual(lines.map((line) => JSON.parse(line).event_id).sort(), ['e-1', 'e-2'])
  assert.equal(await good(['query', '--count', '-f', 'rule in a,b', '-f', 'source.ip!=10.0.0.4']), '3\n')
  assert.deepEqual(await json(['query', '--count', '--since', 'now+1d']), { total_count: 0 })
  const old = await run(['ingest', '--job', String(jobId), '-', '--json'], {
    input: '{"rule":"old","@timestamp":"2020-02-03T04:05:06Z"}\n',
  })
  assert.equal(old.code, 0, old.err)
  const during = ['query', '-f', 'rule=old', '--count', '--since', '2020-02-03', '--until', '2020-02-03']
  assert.equal(await good(during), '1\n')
  assert.equal(await good([...during, '--arrival']), '0\n')
  assert.equal(await good(['query', '-f', 'rule=old', '--count', '--since', 'now-1h']), '0\n')
  assert.equal(await good(['query', '-f', 'rule=old', '--count', '--since', 'now-1h', '--arrival']), '1\n')
  const table = await good(['query', '-n', '2', '--sort', 'source.ip', '--ascending'], { columns: 200 })
  assert.match(table, /^EVENT {2}.*\ne-1 .*rule=a source\.ip=10\.0\.0\.1\ne-2 /)
  const none = await run(['query', '-f', 'rule=z'])
  assert.deepEqual([none.code, none.out, none.err], [0, '', 'No event matches.\n'])
  assert.equal((await run(['query', '-f', 'rule'])).code, 2)
  assert.equal((await run(['query', '-n', '0'])).code, 2)
})

test('decisions are followed as they happen, and again from a message on', async () => {
  const raw_body = { rule: 'tail', source: { ip: '10.0.0.1' } }
  const post = (id: string) =>
    service.client.post(`/api/v1/events/${id}`, { job_id: jobId, title: 'a\u001b[2J', raw_body })
  let n = 0
  const timer = setInterval(() => void post(`t-${n++}`), 50)
  const followed = await good(['tail', '--job', title, '--type', 'decision', '-f', 'rule=tail', '-n', '2', '--json'])
  clearInterval(timer)
  const [first, second] = followed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.equal(first.type, 'decision')
  const again = await good(['tail', '--job', title, '--after', first.id, '-n', '1', '--json'])
  assert.deepEqual(JSON.parse(again).data, second.data)
  const text = await good(['tail', '--job', title, '--after', first.id, '-n', '1'])
  assert.match(text, new RegExp(`^\\S+Z {2}job ${jobId} {2}t-\\S+ {2}no decision {2}.*a\\\\u001b\\[2J\n$`))
  const stopped = await run(['tail'], { signal: AbortSignal.abort() })
  assert.equal(stopped.code, 130)
  assert.equal((await run(['tail', '--type', 'other'])).code, 2)
})

test('votes change the consensus, and a training learns from them', async () => {
  const voted = await good(['vote', String(jobId), 'e-1', 'Drop', '--as', 'ann', '--note', 'benign'])
  assert.match(voted, /^Consensus: Drop \(before: none\); votes: Drop 1$/m)
  assert.equal((await json(['vote', title, 'e-3', 'Escalate', '--as', 'ann', '--bucket'])).consensus, 'Escalate')
  assert.match(await good(['vote', title, 'e-3', '--withdraw', '--as', 'ann', '--bucket']), /^Consensus: none/m)
  await good(['vote', title, 'e-3', 'Escalate', '--as', 'bob'])
  assert.equal((await run(['vote', title, 'e-3'])).code, 2)
  assert.equal((await run(['vote', title, 'none', 'Drop'])).code, 1)
  assert.match(await good(['train', title]), /^Retraining finished successfully/)
  assert.equal((await json(['train', title])).retrain_state, 'RETRAIN_FINISHED')
})

test('what should be asked next is listed, and asked', async () => {
  const { next } = await json(['next', title, '-n', '3'])
  assert.ok(next.length > 0)
  const listed = await good(['next', title, '-n', '3'], { columns: 200 })
  assert.match(listed, new RegExp(`^EVENT +DECISION POINTS .*\n${next[0].event_id} +rule=`))
  const asked = await run(['next', title, '-n', '3', '--vote', '--as', 'cleo'], { input: '2\n9\nq\n' })
  assert.equal(asked.code, 0, asked.err)
  assert.match(asked.err, /^Drop: applies to \d+ events?\.$/m)
  assert.match(asked.err, /^1 vote\.$/m)
  const { body } = await service.client.get(`/api/v2/events/${jobId}/${next[0].event_id}/consensus`)
  assert.ok(body.votes.some((vote: any) => vote.analyst === 'cleo' && vote.label === 'Drop'))
  assert.equal((await run(['next', title, '--vote', '--json'])).code, 2)
})

test('models are listed and shown, and an earlier one decides again', async () => {
  await good(['vote', title, 'e-4', 'Escalate', '--as', 'cleo', '--picked-by', 'queue'])
  await good(['train', title])
  const [active, before] = await json(['models', 'list', title])
  assert.deepEqual([active.active, before.active], [true, false])
  assert.match(await good(['models', 'show', title, before.model_id]), /^decides: +no$/m)
  assert.match(await good(['rollback', title]), new RegExp(`^${before.model_id} decides from the next event on`))
  assert.equal((await json(['promote', title, active.model_id])).to, active.model_id)
  assert.equal((await run(['rollback', title, '--to', 'none'])).code, 1)
  assert.match((await run(['promote', title])).err, /challenger/)
  const challenge = { model_id: before.model_id }
  assert.equal((await service.client.post(`/api/v2/jobs/${jobId}/challenger`, challenge)).status, 200)
  assert.match(await good(['promote', title]), /^The challenger decides/)
  await good(['promote', title, active.model_id])
})

test('a period is replayed with another model, and nothing is changed', async () => {
  const [active, before] = await json(['models', 'list', title])
  const stored = await good(['query', '--job', title, '--json'])
  const replay = await json(['replay', 'start', title, '--model', before.model_id, '--against', active.model_id])
  assert.equal(replay.status, 'finished')
  assert.ok(replay.report.events > 0)
  assert.ok((await good(['replay', 'show', title, replay.replay_id])).split('\n').length > 3)
  assert.equal((await json(['replay', 'list', title]))[0].replay_id, replay.replay_id)
  assert.match(await good(['replay', 'cancel', title, replay.replay_id]), /finished/)
  assert.equal(await good(['query', '--job', title, '--json']), stored)
  assert.equal((await run(['replay', 'start', title, '--model', 'none'])).code, 1)
})

test('the safety contract is set from a file, shown and forecast', async () => {
  const file = join(dir, 'contract.json')
  const labels = [{ label: 'Drop', epsilon: 0.02, thresholds: [95] }]
  writeFileSync(file, JSON.stringify({ mode: 'shadow', protected_labels: ['Escalate'], labels }))
  assert.match(await good(['safety', 'set', title, file]), /^mode: +shadow$/m)
  const shown = await good(['safety', 'show', title], { columns: 120 })
  assert.match(shown, /^protected: +Escalate$/m)
  assert.equal((await json(['safety', 'show', title])).mode, 'shadow')
  assert.ok(Array.isArray((await json(['safety', 'forecast', title, '--epsilon', '0.02'])).thresholds))
  assert.equal((await run(['safety', 'forecast', title, '--epsilon', '2'])).code, 2)
  assert.equal((await json(['safety', 'reopen', title])).reopened, 0)
})

test('a backup is made, listed, verified and restored', async () => {
  const made = await json(['backup', '--name', 'first'])
  assert.equal(made.state, 'finished')
  assert.equal((await json(['backup', '--list']))[0].name, 'first')
  const backup = join(`${service.dataDir}/../backups`, 'first')
  assert.deepEqual((await json(['verify', backup])).problems, [])
  const again = join(dir, 'restored')
  assert.match(await good(['restore', backup, again]), /^Restored the backup of .*\nStart it: decide serve --data-dir /)
  assert.equal((await json(['audit', 'verify', '--data-dir', again])).intact, true)
  const local = await json(['backup', join(dir, 'local'), '--data-dir', again])
  assert.equal(local.directory, join(dir, 'local'))
  assert.equal((await run(['restore', backup, again])).code, 1)
  assert.equal((await run(['verify', join(dir, 'nowhere')])).code, 1)
  assert.equal((await run(['backup', 'somewhere'])).code, 2)
})

test('the audit log is listed and proved, also from a head that was kept', async () => {
  const entries = await json(['audit', '--action', 'train', '-n', '5'])
  assert.ok(Array.isArray(entries))
  assert.equal((await json(['audit', '-n', '3'])).length, 3)
  const proof = await good(['audit', 'verify'])
  const [, head] = /^Intact: \d+ entries\.\nHead: (\d+:[0-9a-f]{64})$/m.exec(proof)!
  assert.equal((await json(['audit', 'verify', '--head', head!])).intact, true)
  const other = await run(['audit', 'verify', '--head', `1:${'0'.repeat(64)}`])
  assert.equal(other.code, 1)
  assert.match(other.out, /^BROKEN at entry 1/)
  assert.equal((await run(['audit', 'verify', '--head', 'x'])).code, 2)
})

test('an unknown command is wrong usage; shells are told what there is', async () => {
  const wrong = await run(['querry'])
  assert.equal(wrong.code, 2)
  assert.match(wrong.err, /did you mean `query`/)
  assert.equal(await good(['--version']), '1.2.3\n')
  assert.match(await good([]), /^COMMANDS\n {2}init /m)
  assert.match(await good(['__complete', 'jo']), /^jobs\t/m)
  assert.match(await good(['__complete', 'query', '--li']), /^--limit\t/m)
  for (const shell of ['bash', 'zsh', 'fish']) assert.match(await good(['completion', shell]), /__complete/)
  assert.equal((await run(['completion', 'cmd'])).code, 2)
})
