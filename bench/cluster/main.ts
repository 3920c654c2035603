/**
 * `npm run cluster -- --nodes 3`: three NATS servers and some nodes on loopback, until it is interrupted.
 *
 * All data is in a directory that is removed at the end. For real use see server/docs/cluster.md.
 */
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { newKey, removeDirectory, temporaryDirectory } from '../harness/service.js'
import { measureCatalog } from './catalog.js'
import { measureHandover } from './handover.js'
import { LocalCluster } from './local-cluster.js'
import { natsProgram, NoNats } from './nats-program.js'
import { measureNewNode } from './new-node.js'
import { measureSpeed } from './speed.js'

const NODES_MAX = 5
const usage = `npm run cluster                a cluster of three nodes on loopback
npm run cluster -- --nodes N   with N nodes, 1 to ${NODES_MAX}
npm run cluster -- --speed     its speed against one process; with one node, unless --nodes says more
npm run cluster -- --new-node  how long a new node takes to have a million events
npm run cluster -- --catalog   how soon the other nodes know a new job, and refuse a revoked key
npm run cluster -- --handover  how long writes pause at planned stops, and reads take while no server answers`

interface Options {
  readonly nodes: number
  readonly isSpeed: boolean
  readonly isNewNode: boolean
  readonly isCatalog: boolean
  readonly isHandover: boolean
}

function optionsOf(args: readonly string[]): Options | null {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        nodes: { type: 'string' },
        speed: { type: 'boolean' },
        'new-node': { type: 'boolean' },
        catalog: { type: 'boolean' },
        handover: { type: 'boolean' },
      },
    })
    const isSpeed = values.speed === true
    const nodes = Number(values.nodes ?? (isSpeed ? 1 : 3))
    return Number.isInteger(nodes) && nodes >= 1 && nodes <= NODES_MAX
      ? {
          nodes,
          isSpeed,
          isNewNode: values['new-node'] === true,
          isCatalog: values.catalog === true,
          isHandover: values.handover === true,
        }
      : null
  } catch {
    return null
  }
}

async function main(nodes: number): Promise<void> {
  const directory = temporaryDirectory()
  const program = await natsProgram((line) => console.log(line))
  console.log(`starting three NATS servers and ${nodes} nodes in ${directory}`)
  const password = newKey().slice(0, 16)
  const env = { SERVICE_ADMIN_PASSWORD: password }
  const cluster = await LocalCluster.start({ program, directory, nodes, key: newKey(), env })
  for (const { name, address, child } of [...cluster.servers, ...cluster.nodes])
    console.log(`${name.padEnd(10)} ${address}  process ${child.pid}`)
  console.log(`\nManagement key: ${cluster.key}`)
  console.log(`Console: ${cluster.nodes[0]?.address}/, sign in as admin with the password ${password}`)
  console.log('Each node answers for every job. Kill any one node and any one server: nothing is lost.')
  console.log('Interrupt (Ctrl-C) to end all and remove the data.')
  // A handler of the harness would end this process at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeAllListeners(signal)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  await cluster.stop()
  removeDirectory(directory)
  process.exit(0)
}

const options = optionsOf(process.argv.slice(2))
if (options === null) {
  console.error(usage)
  process.exitCode = 2
} else {
  try {
    const program = (): Promise<string> => natsProgram((line) => console.log(line))
    if (options.isSpeed) await measureSpeed(await program(), options.nodes)
    else if (options.isNewNode) await measureNewNode(await program())
    else if (options.isCatalog) await measureCatalog(await program(), options.nodes)
    else if (options.isHandover) await measureHandover(await program())
    else await main(options.nodes)
  } catch (error) {
    if (!(error instanceof NoNats)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
