/** The demo's service as a cluster on this machine. Its events go to a standby; the owner and a server are killed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalCluster, type Process } from '../cluster/local-cluster.js'
import { natsProgram } from '../cluster/nats-program.js'
import { Client } from '../harness/client.js'
import type { Progress } from './progress.js'

const NODES = 3
/** Milliseconds from the beginning of a part to the faults. */
const FAULT_MS = 500
/** How often lines without an answer are sent. */
const ATTEMPTS = 40

export async function clusterService(directory: string, key: string, progress: Progress) {
  progress.phase('building the NATS server, unless it is there')
  const program = await natsProgram(() => {})
  progress.done(program)
  progress.phase('starting three NATS servers and three nodes')
  const startedAt = performance.now()
  const cluster = await LocalCluster.start({ program, directory, nodes: NODES, key })
  const owner = await cluster.owner()
  const standby = cluster.nodes.find((node) => node !== owner) as Process
  const port = Number(new URL(standby.address).port)
  const client = new Client(port, key)
  return {
    client,
    port,
    readyMs: performance.now() - startedAt,
    attempts: ATTEMPTS,
    fault: async () => {
      await sleep(FAULT_MS)
      const [node, server] = [await cluster.owner(), cluster.servers[0] as Process]
      if (node !== null && node !== standby) await cluster.kill(node)
      await cluster.kill(server)
      return `  killed meanwhile: ${node?.name ?? 'no node'}, the owner, and NATS ${server.name}`
    },
    stop: async () => {
      client.close()
      await cluster.stop()
    },
  }
}
