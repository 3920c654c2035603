/** Cases in a real Redmine of Debian, in a root directory of its own. */
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { redmine } from '../../../engine/integration/cases/redmine.js'
import type { Sink } from '../../../engine/integration/contract.js'
import { afterwards } from '../../support/afterwards.js'
import { eventually } from '../../support/client.js'
import { decided, never, openSink, outgoing } from '../../support/outgoing.js'
import { spawnService } from '../../support/service.js'
import { Child, listens } from './child.js'
import { counterpart, debianRoot, skipUnless } from './counterparts.js'
import { makePostedJob, post } from './pipeline.js'
import { freePort } from '../../../bench/harness/free-port.js'

const environment =
  'HOME=/tmp PATH=/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 RAILS_ENV=production REDMINE_INSTANCE=default REDMINE_LANG=en SCHEMA=/dev/null'
/**
 * Debian's packages of Ruby have no directories for most gems. Newer versions of Bundler take such gems for deleted and
 * want to install them, so empty directories are made.
 */
const gemDirectories = String.raw`
for spec in /usr/share/rubygems-integration/*/specifications/*.gemspec \
  /usr/lib/*/rubygems-integration/*/specifications/*.gemspec
do
  name=$(basename "$spec" .gemspec)
  mkdir -p "$(dirname "$(dirname "$spec")")/gems/$name"
done
`
const setUp = String.raw`
set -e
export ${environment}
${gemDirectories}
home=/var/lib/redmine/default
mkdir -p $home/config $home/files /var/log/redmine/default /var/cache/redmine/default
printf 'production:\n  adapter: sqlite3\n  database: %s/redmine.db\n' $home > $home/config/database.yml
echo 0123456789abcdef0123456789abcdef > $home/config/secret_key.txt
cd /usr/share/redmine
echo "gem 'puma'" > Gemfile.local
bundle install --local --quiet
bundle exec rake db:migrate
bundle exec rake redmine:load_default_data
bundle exec rails runner 'Setting.rest_api_enabled = "1"; User.find(1).update_columns(must_change_passwd: false)
  Project.create!(name: "Security", identifier: "security", trackers: Tracker.all, enabled_module_names: ["issue_tracking"])
  File.write("/api_key", User.find(1).api_key)'
cp $home/redmine.db $home/made.db
`

const root = counterpart('Redmine', () => debianRoot('redmine-debian', ['redmine', 'redmine-sqlite', 'puma'], setUp))
const options = { skip: skipUnless(root, 'Redmine') }
let child: Child
let url: string
let key: string

before(async () => {
  if (root === null) return
  const home = join(root, 'var/lib/redmine/default')
  copyFileSync(join(home, 'made.db'), join(home, 'redmine.db'))
  key = readFileSync(join(root, 'api_key'), 'utf8')
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const command = `export ${environment}; cd /usr/share/redmine && exec bundle exec puma -e production -b tcp://127.0.0.1:${port}`
  child = await Child.start('chroot', [root, '/bin/sh', '-c', command], () => listens(port))
})
after(async () => {
  await child?.kill()
})

async function ask(path: string, method = 'GET'): Promise<any> {
  const answer = await fetch(`${url}${path}`, { method, headers: { 'x-redmine-api-key': key } })
  assert.ok(answer.ok, `${path}: ${answer.status}`)
  return method === 'GET' ? await answer.json() : null
}

const issues = async (): Promise<any[]> =>
  (await ask('/issues.json?project_id=security&status_id=*&limit=100&sort=id')).issues
const notesOf = async (id: number): Promise<string[]> =>
  (await ask(`/issues/${id}.json?include=journals`)).issue.journals.map(({ notes }: { notes: string }) => notes)

function open(parameters: Record<string, string | number> = {}, apiKey = key): Sink {
  return openSink(redmine, 'case_creation', { url, api_key: apiKey }, { project: 'security', ...parameters })
}

async function deliver(
  sink: Sink,
  eventId: string,
  result: string,
  { bucketId, reference }: { readonly bucketId: string; readonly reference: string | null },
): Promise<string | null> {
  // Each event comes later than the one before.
  const ingestMicros = Date.now() * 1_000 + Number(eventId.slice(1))
  const event = decided(
    eventId,
    { result, resultLabel: result, bucketId, ingestMicros },
    { title: 'Odd log-on "\\ <script>' },
  )
  const [outcome] = await sink.deliver([outgoing(eventId, { event, reference })], never)
  assert.equal(outcome?.outcome, 'delivered', JSON.stringify(outcome))
  return outcome?.outcome === 'delivered' ? (outcome.reference ?? reference) : null
}

test(
  'a case is made once for a bucket, found again by its marker, gets notes, and is made again if it was deleted',
  options,
  async () => {
    const sink = open({ title: '{{title}}' })
    const reference = await deliver(sink, 'e1', 'Escalate', { bucketId: 'b1', reference: null })
    const [made, ...rest] = await issues()
    assert.deepEqual(rest, [])
    assert.match(made.subject, /^Odd log-on "\\ <script> \[decision-7-[0-9a-f]{16}\]$/)
    assert.match(made.description, /Decision: Escalate/)
    // Its author died before writing the id down.
    await deliver(sink, 'e1', 'Escalate', { bucketId: 'b1', reference: null })
    assert.equal((await issues()).length, 1)
    const changed = await deliver(sink, 'e2', 'Drop', { bucketId: 'b1', reference })
    const plain =
      /^<pre>\r?\nThe decision is now Drop \(91\.5 %\), event e2\. The alert has come 2 times since .*\.\r?\n<\/pre>$/
    const notes = await notesOf(made.id)
    assert.ok(
      notes.some((note) => plain.test(note)),
      JSON.stringify(notes),
    )
    await deliver(sink, 'e3', 'Escalate', { bucketId: 'b2', reference: null })
    assert.equal((await issues()).length, 2)
    await ask(`/issues/${made.id}.json`, 'DELETE')
    await deliver(sink, 'e4', 'Escalate', { bucketId: 'b1', reference: changed })
    assert.equal((await issues()).length, 2)
    await sink.close()
  },
)

test('a wrong key and a missing project fail, and suspect no event', options, async () => {
  const locked = open({}, 'not-the-one')
  const [outcome] = await locked.deliver([outgoing('e9')], never)
  assert.equal(outcome?.outcome, 'failed')
  assert.ok(
    outcome?.outcome === 'failed' && !outcome.suspect && !outcome.reason.includes('not-the-one'),
    JSON.stringify(outcome),
  )
  await locked.close()
  const nowhere = open({ project: 'nowhere' })
  const [missing] = await nowhere.deliver([outgoing('e9')], never)
  assert.ok(missing?.outcome === 'failed' && !missing.suspect && missing.lasting === 'set_up', JSON.stringify(missing))
  await nowhere.close()
})

test('a job has one case for each of its buckets, however many events', options, async (context) => {
  const before = (await issues()).length
  const service = await spawnService({ privateHosts: ['127.0.0.1'] })
  afterwards(context, () => service.close())
  const jobId = await makePostedJob(
    service.client,
    'Told',
    { kind: 'Redmine', connection: { url, api_key: key } },
    { role: 'case_creation', parameters: { project: 'security' } },
  )
  await post(service.client, jobId, 200, 5)
  await eventually(
    () => service.client.get('/api/v2/integrations/deliveries'),
    ({ body }) => body[0]?.delivered_count === 200,
    60_000,
  )
  assert.equal((await issues()).length, before + 5)
})
