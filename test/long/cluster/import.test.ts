/** The data of one process becomes a cluster, its backup becomes another one, and an empty node has all of it. */
import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalCluster, type Process } from '../../../bench/cluster/local-cluster.js'
import { startService } from '../../../bench/harness/service.js'
import { restoreBackup } from '../../../engine/store/directory/backup-files.js'
import { jobOf } from '../../support/cluster-job.js'
import { newDirectory } from '../../support/engine/files.js'
import { counterpart, skipUnless } from '../integrations/counterparts.js'
import { natsServer } from './nats-cluster.js'

const program = counterpart('nats-server', natsServer)
const skip = skipUnless(program, 'nats-server')
const directory = newDirectory()
const key = 'k'.repeat(32)
const env = { SERVICE_THREADS: '1', SERVICE_SHARDS: '2' }
const EVENTS = 200

after(() => rmSync(directory, { recursive: true, force: true }))

async function send(node: Process, method: string, path: string, body?: unknown): Promise<Response> {
  return await fetch(node.address + path, {
    method,
    headers: { 'x-service-api-key': key },
    signal: AbortSignal.timeout(20_000),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

const eventOf = (i: number) => ({ job_id: 1, raw_body: { rule: `r${i % 5}`, host: `h${i % 7}` } })

async function countOf(node: Process): Promise<number> {
  const answer = await send(node, 'GET', '/api/v1/jobs/1')
  return ((await answer.json()) as { processed_documents_count: number }).processed_documents_count
}

/** A cluster of one node with this data, and then of another that begins empty and takes over. */
async function throughCluster(home: string, more: NodeJS.ProcessEnv, use: (node: Process) => Promise<void>) {
  const sealing = readFileSync(join(home, 'node-1/data/sealing.key'), 'latin1').trim()
  const options = { program: program as string, directory: home, nodes: 1, key }
  const cluster = await LocalCluster.start({
    ...options,
    env: { ...env, ...more, SERVICE_CLUSTER_SEALING_KEY: sealing },
  })
  try {
    const [first] = cluster.nodes as [Process]
    await use(first)
    const second = await cluster.addNode()
    await cluster.kill(first)
    for (const end = performance.now() + 60_000; (await cluster.owner()) !== second; await sleep(100))
      assert.ok(performance.now() < end, 'the second node is not the owner')
    await cluster.untilReady(second)
    assert.equal(await countOf(second), EVENTS + 1)
    for (const i of [0, EVENTS - 1]) assert.equal((await send(second, 'GET', `/api/v1/events/1/e${i}`)).status, 200)
    assert.equal((await send(second, 'GET', '/api/v1/events/1/later')).status, 200)
  } finally {
    await cluster.stop()
  }
}

describe('the data of one process', { skip, timeout: 600_000 }, () => {
  const backups = join(directory, 'backups')

  it('is where a cluster begins: every node has it', async () => {
    const home = join(directory, 'one')
    const service = await startService(join(home, 'node-1/data'), key, env)
    const alone = { address: `http://127.0.0.1:${service.port}` } as Process
    assert.equal((await send(alone, 'POST', '/api/v2/resources', jobOf('one'))).status, 200)
    for (let i = 0; i < EVENTS; i++)
      assert.equal((await send(alone, 'POST', `/api/v1/events/e${i}`, eventOf(i))).status, 201)
    await service.stop()
    await throughCluster(home, { SERVICE_BACKUP_DIR: backups }, async (node) => {
      assert.equal(await countOf(node), EVENTS)
      assert.equal((await send(node, 'POST', '/api/v1/events/later', eventOf(0))).status, 201)
      const begun = await send(node, 'POST', '/api/monitoring/api/v1/backups', { name: 'of-a-cluster' })
      assert.ok(begun.status < 300, `${begun.status} ${await begun.text()}`)
      for (const end = performance.now() + 60_000; ; await sleep(100)) {
        const list = await (await send(node, 'GET', '/api/monitoring/api/v1/backups')).text()
        if (list.includes('"finished"')) break
        assert.ok(performance.now() < end, list)
      }
    })
  })

  it('and the backup of a cluster is where another one begins', async () => {
    const home = join(directory, 'two')
    restoreBackup(join(backups, 'of-a-cluster'), join(home, 'node-1/data'))
    await throughCluster(home, {}, async (node) => assert.equal(await countOf(node), EVENTS + 1))
  })
})
