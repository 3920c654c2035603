/** The names of nodes, with real processes: a copied data directory, a node that was killed, and one that is gone. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { LocalCluster, type Process } from '../../../bench/cluster/local-cluster.js'
import { built } from '../../../bench/harness/paths.js'
import { newDirectory } from '../../support/engine/files.js'
import { counterpart, skipUnless } from '../integrations/counterparts.js'
import { natsServer } from './nats-cluster.js'

const program = counterpart('nats-server', natsServer)
const skip = skipUnless(program, 'nats-server')
const directory = newDirectory()
const key = 'k'.repeat(32)
const cluster = program === null ? null : await LocalCluster.start({ program, directory, nodes: 2, key })

after(async () => {
  await cluster?.stop()
  rmSync(directory, { recursive: true, force: true })
})

/** The settings with which a node runs. */
function settingsOf({ child }: Process): NodeJS.ProcessEnv {
  const entries = readFileSync(`/proc/${child.pid}/environ`, 'utf8').split('\0')
  return Object.fromEntries(entries.filter((entry) => entry !== '').map((entry) => splitAtFirst(entry)))
}

function splitAtFirst(entry: string): [string, string] {
  const at = entry.indexOf('=')
  return [entry.slice(0, at), entry.slice(at + 1)]
}

/** Runs the command for operators; its exit code and what it says. */
async function nodes(env: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<{ code: number; said: string }> {
  return await new Promise((resolve) => {
    execFile(process.execPath, [built('bundle/service/nodes.js'), ...args], { env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), said: out + err })
    })
  })
}

describe('the name of a node of a real cluster', { skip: skip || process.platform !== 'linux' }, () => {
  const [first, second] = (cluster?.nodes ?? []) as [Process, Process]

  it('is refused to a process with a copy of its data directory', async () => {
    const copy = join(directory, 'copy')
    cpSync(join(directory, 'node-1', 'data'), copy, { recursive: true, filter: (path) => !path.endsWith('.sock') })
    const env = { ...settingsOf(first), SERVICE_DATA_DIR: copy, SERVICE_PORT: '0', SERVICE_OPS_PORT: '0' }
    const child = spawn(process.execPath, [built('bundle/service/main.js')], {
      env: { ...env, SERVICE_CLUSTER_URL: 'http://127.0.0.1:9' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (piece: Buffer) => (said += piece.toString()))
    const [code] = (await once(child, 'close')) as [number]
    assert.equal(code, 1, said)
    assert.match(said, /did not start: another process runs as node [0-9a-f]{12} of the cluster, at http:\/\/127/)
    await cluster!.untilReady(first)
  })

  it('is free again as soon as its process was killed', async () => {
    await cluster!.kill(second)
    cluster!.restart(second)
    await cluster!.untilReady(second)
  })

  it('is in the list of nodes, and goes from it when its node is gone', async () => {
    const env = settingsOf(first)
    const name = JSON.parse(readFileSync(join(directory, 'node-2', 'data', 'cluster.json'), 'utf8')).node as string
    const live = await nodes(env, '--forget', name)
    assert.deepEqual([live.code, /is live/.test(live.said)], [2, true], live.said)
    await cluster!.kill(second)
    const forgotten = await nodes(env, '--forget', name)
    assert.equal(forgotten.code, 0, forgotten.said)
    assert.doesNotMatch((await nodes(env)).said, new RegExp(name))
    cluster!.restart(second)
    await cluster!.untilReady(second)
    assert.match((await nodes(env)).said, new RegExp(name))
  })
})
