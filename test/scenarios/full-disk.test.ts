/** Changes on a full disk that need a state of their own. The other documented answers are in test/statuses. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { makeJob, type Answer, type Client } from '../support/client.js'
import { trainedJob } from '../support/http/trained-job.js'
import { spawnService, type ChildService } from '../support/service.js'

const resources = '/api/v2/resources'
const key = { k: { type: 'api_key', properties: { name: 'known' } } }
const skip = spawnSync('prlimit', ['--version']).status === 0 ? false : 'prlimit is needed'

let service: ChildService
let client: Client

before(async () => {
  service = await spawnService()
  client = service.client
})
after(() => service.close())

/** No file may grow beyond so many bytes. */
function limit(bytes: string): void {
  execFileSync('prlimit', ['--pid', String(service.started.child.pid), `--fsize=${bytes}:unlimited`])
}

function assertFull(answer: Answer): void {
  assert.equal(answer.status, 507, answer.text)
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
}

test('a full disk is 507 and changes nothing; it continues when there is room again', { skip }, async () => {
  await makeJob(client, { title: 'Stays' })
  const listed = (await client.get(resources)).body
  limit('16384')
  const remove = () => client.delete(`${resources}?resource_type=job&title=Stays`)
  for (const answer of [await client.post(resources, key), await remove()]) assertFull(answer)
  assert.deepEqual((await client.get(resources)).body, listed)
  limit('unlimited')
  assert.deepEqual([(await client.post(resources, key)).status, (await remove()).status], [200, 200])
})

test('a replay that is not over is not cancelled on a full disk, and is afterwards', { skip }, async () => {
  const path = `/api/v2/jobs/${await trainedJob(client)}/replays`
  // One that ended before the disk was full is answered without a write.
  for (let tries = 0; ; tries++) {
    assert.ok(tries < 20, 'each replay had ended')
    const { body, text } = await client.post(path, { objective: 'accuracy' })
    limit('16384')
    const replay = `${path}/${body.replay_id}`
    const refused = await client.delete(replay)
    const { status } = (await client.get(replay)).body
    limit('unlimited')
    if (refused.status === 200) continue
    assertFull(refused)
    assert.ok(['queued', 'running'].includes(status), text)
    const cancelled = await client.delete(replay)
    if (cancelled.body.status === 'finished') continue
    assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'cancelled'])
    return
  }
})
