/**
 * `npm run nodes`: the nodes of a cluster, by the settings of any of them. `--forget NODE` forgets one that is gone, at
 * once; otherwise it is forgotten after a day. Exit codes: 0 done, 2 not possible.
 */
import { NodeList } from '../engine/index.js'
import { addressOf, type GivenCluster } from './cluster/given-cluster.js'
import { fail, readCommand } from './command.js'
import { readSettings } from './config.js'

const {
  values: { config, forget },
} = readCommand('npm run nodes -- [--config FILE] [--forget NODE]', 0, {
  config: { type: 'string' },
  forget: { type: 'string' },
})

function settings(): { readonly given: GivenCluster; readonly name: string } {
  try {
    const { cluster, ...others } = readSettings(process.env, config === undefined ? [] : ['--config', config])
    if (cluster === undefined) return fail('SERVICE_CLUSTER is needed: the NATS servers of the cluster.')
    return { given: { cluster, ...others }, name: others.name }
  } catch (error) {
    return fail(`${(error as Error).message}.`)
  }
}

async function open(): Promise<NodeList> {
  const { given, name } = settings()
  try {
    const list = await NodeList.open(addressOf(given), name)
    return list ?? fail(`The NATS servers have no cluster of a service with the name ${name}.`)
  } catch (error) {
    return fail(`The nodes cannot be listed: ${(error as Error).message}.`)
  }
}

const list = await open()
try {
  if (forget !== undefined) {
    const how = await list.forget(forget)
    if (how === 'unknown') fail(`The cluster has no node ${forget}.`)
    if (how === 'live') fail(`Node ${forget} is live, so it is not forgotten. Stop it first.`)
    process.stdout.write(`Node ${forget} is forgotten.\n`)
  }
  for (const { node, url, state, writtenMs, shards, hasCatalog } of await list.nodes()) {
    const owns = [...(hasCatalog ? ['the catalog'] : []), ...(shards.length > 0 ? [`shards ${shards.join(' ')}`] : [])]
    const written = new Date(writtenMs).toISOString()
    process.stdout.write(`${node}  ${url}  ${state}  wrote ${written}  ${owns.join(', ') || 'owns nothing'}\n`)
  }
} catch (error) {
  fail(`The nodes cannot be listed: ${(error as Error).message}.`)
} finally {
  await list.close()
}
