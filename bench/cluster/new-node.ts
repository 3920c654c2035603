/**
 * `npm run cluster -- --new-node`: how long a new node takes to have all of a million events, by snapshots and the rest
 * of the streams.
 *
 * One node takes the events and makes the snapshots, as often as a standby would by default. Then a node starts empty,
 * and the first hands over to it: the time ends when the new node serves all of them.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { newKey, removeDirectory, temporaryDirectory } from '../harness/service.js'
import { linesFile, withSubject } from '../harness/trained.js'
import { driveBulk } from '../load/drive.js'
import { LocalCluster, type Process } from './local-cluster.js'
import { subjectAt } from './speed.js'

const EVENTS = 1_000_000
const [LINES, CONNECTIONS, SECONDS] = [40_000, 4, 5]
/** The writer waits for twice as much: as a standby with the default. */
const SNAPSHOT_MB = '64'
const LIMIT_MS = 300_000

async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = performance.now() + LIMIT_MS; !(await isSo()); await sleep(50))
    if (performance.now() > end) throw new Error(what)
}

/** Prints how long each step took. */
export async function measureNewNode(program: string): Promise<void> {
  const directory = temporaryDirectory()
  const key = newKey()
  const env = { SERVICE_CLUSTER_SNAPSHOT_MB: SNAPSHOT_MB }
  const cluster = await LocalCluster.start({ program, directory, nodes: 1, key, env })
  try {
    await withSubject(async (one) => {
      const [first] = cluster.nodes as [Process]
      const subject = await subjectAt(first, one, key)
      const { file } = linesFile(subject, LINES)
      const { headers, service } = subject
      const load = { port: service.port, file, headers, connections: CONNECTIONS, events: 0, rate: 0 }
      let events = 0
      while (events < EVENTS) events += (await driveBulk({ ...load, seconds: SECONDS })).events
      const told = readFileSync(first.log, 'utf8')
      const snapshots = told.split('\n').filter((line) => line.includes('a snapshot was made'))
      console.log(`${events} events; ${snapshots.length} snapshots, the last: ${snapshots.at(-1) ?? 'none'}`)
      const beganMs = performance.now()
      const second = await cluster.addNode()
      await until('it is no standby', () => readFileSync(second.log, 'utf8').includes('this node is a standby'))
      const restoredMs = performance.now()
      first.child.kill('SIGTERM')
      await until('it does not serve', async () => (await cluster.owner()) === second)
      const doneMs = performance.now()
      const seconds = (from: number, to: number): string => ((to - from) / 1_000).toFixed(1)
      console.log(
        `restored in ${seconds(beganMs, restoredMs)} s; ` +
          `the rest, and the hand-over, in ${seconds(restoredMs, doneMs)} s; all in ${seconds(beganMs, doneMs)} s`,
      )
    })
  } finally {
    await cluster.stop()
    removeDirectory(directory)
  }
}
