/** Resources on a full disk. The other documented answers are in test/statuses. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { makeJob } from '../support/client.js'
import { spawnService } from '../support/service.js'

const resources = '/api/v2/resources'
const key = { k: { type: 'api_key', properties: { name: 'known' } } }

test('a full disk is 507 and changes nothing; it continues when there is room again', {
  skip: spawnSync('prlimit', ['--version']).status === 0 ? false : 'prlimit is needed',
}, async () => {
  const full = await spawnService()
  try {
    await makeJob(full.client, { title: 'Stays' })
    const listed = (await full.client.get(resources)).body
    const limit = (bytes: string) =>
      execFileSync('prlimit', ['--pid', String(full.started.child.pid), `--fsize=${bytes}:unlimited`])
    limit('16384')
    const remove = () => full.client.delete(`${resources}?resource_type=job&title=Stays`)
    for (const answer of [await full.client.post(resources, key), await remove()]) {
      assert.equal(answer.status, 507, answer.text)
      assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
    }
    assert.deepEqual((await full.client.get(resources)).body, listed)
    limit('unlimited')
    assert.deepEqual([(await full.client.post(resources, key)).status, (await remove()).status], [200, 200])
  } finally {
    await full.close()
  }
})
