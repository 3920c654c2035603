/** The processor time of an event on each node of a cluster of three, and what follows for other numbers of nodes. */
import { newKey, removeDirectory, temporaryDirectory } from '../harness/service.js'
import { median, type Row, type RunSize } from '../harness/result.js'
import { costOf, microsOf, restingShares, rounded, type Cost } from '../harness/thread-cost.js'
import { linesFile, postsFile, withSubject, type Subject } from '../harness/trained.js'
import { driveBulk, driveRequests } from '../load/drive.js'
import { LocalCluster, type Process } from './local-cluster.js'
import { natsProgram, NoNats } from './nats-program.js'
import { inWords, takenBy, type NodeCosts } from './node-model.js'
import { at, nodesOf, subjectAt } from './speed.js'

const NODES = 3
const COUNTS = [1, 2, 3, 5]
const CORES = 4
const [BULK_CONNECTIONS, POST_CONNECTIONS, POSTS, LINES] = [4, 256, 20_000, 40_000]
const noThreads: ReadonlySet<number> = new Set()
/** What one process takes while there are no events is not measured. */
const nothing: Cost = { main: 0, http: 0, deciding: 0, others: 0 }
/** Seconds for which nothing is sent, so that it is known what nodes take all the time. */
const RESTING_SECONDS = 5

interface Path {
  readonly what: string
  readonly run: (subject: Subject, seconds: number) => Promise<number>
}

const paths: readonly Path[] = [
  {
    what: 'single POST',
    run: async (subject, seconds) => {
      const { headers, service } = subject
      const load = { port: service.port, headers, connections: POST_CONNECTIONS, seconds }
      return (await driveRequests({ ...load, file: postsFile(subject, POSTS) })).requests
    },
  },
  {
    what: 'bulk, known buckets',
    run: async (subject, seconds) => {
      const { headers, service } = subject
      const load = { port: service.port, headers, connections: BULK_CONNECTIONS, seconds, events: 0, rate: 0 }
      return (await driveBulk({ ...load, file: linesFile(subject, LINES).file })).events
    },
  },
]

const pidOf = ({ child }: Process): number => child.pid as number

/** Medians of rounds. */
function middleOf(costs: readonly Cost[]): Cost {
  const of = (part: keyof Cost): number => median(costs.map((cost) => cost[part]))
  return { main: of('main'), http: of('http'), deciding: of('deciding'), others: of('others') }
}

/** What each node, in this order, and all NATS servers together spend on an event that comes to the first. */
async function costsAt(
  nodes: readonly Process[],
  servers: readonly Process[],
  rounds: number,
  run: () => Promise<number>,
): Promise<{ readonly nodes: readonly Cost[]; readonly servers: number; readonly resting: Cost }> {
  const pids = [...nodes, ...servers].map(pidOf)
  await run()
  const resting = await restingShares(pids, RESTING_SECONDS)
  const found: Cost[][] = []
  for (let round = 0; round < rounds; round++) {
    const micros = await microsOf(pids, run, resting)
    found.push(micros.map((each, index) => costOf(pids[index] as number, each, noThreads)))
  }
  const medians = pids.map((_, index) => middleOf(found.map((costs) => costs[index] as Cost)))
  const ofServers = medians
    .slice(nodes.length)
    .reduce((sum, { main, deciding, others }) => sum + main + deciding + others, 0)
  const atRest = nodes.map((node, at) => costOf(pidOf(node), resting[at] as ReadonlyMap<number, number>, noThreads))
  return { nodes: medians.slice(0, nodes.length), servers: ofServers, resting: middleOf(atRest) }
}

/** A row for each path. `one`: the costs of one process, by path. */
export async function nodeRows(size: RunSize, one: ReadonlyMap<string, Cost>): Promise<Row[]> {
  try {
    return await measured(await natsProgram(size.log), size, one)
  } catch (error) {
    if (!(error instanceof NoNats)) throw error
    return [{ what: 'nodes of a cluster', ours: null, unit: '/s', bar: '', met: null, note: error.message }]
  }
}

async function measured(
  program: string,
  { rounds, seconds, log }: RunSize,
  one: ReadonlyMap<string, Cost>,
): Promise<Row[]> {
  const directory = temporaryDirectory()
  const key = newKey()
  const cluster = await LocalCluster.start({ program, directory, nodes: NODES, key })
  const rows: Row[] = []
  try {
    const catalogOwner = (await cluster.owner()) as Process
    await withSubject(async (like) => {
      const made = await subjectAt(catalogOwner, like, key)
      const [own, other] = (await nodesOf(cluster, made)) as [Process, Process]
      const third = cluster.nodes.find((node) => node !== own && node !== other) as Process
      for (const { what, run } of paths) {
        log(`cost of three nodes: ${what}`)
        const here = await costsAt([own, other, third], cluster.servers, rounds, () => run(at(own, made), seconds))
        const there = await costsAt([other, own, third], cluster.servers, rounds, () => run(at(other, made), seconds))
        const [ownCost, first, second] = here.nodes as [Cost, Cost, Cost]
        const [enters, hosts] = there.nodes as [Cost, Cost]
        const { resting } = here
        const costs: NodeCosts = { own: ownCost, standby: middleOf([first, second]), enters, hosts, resting }
        rows.push(rowOf(what, costs, here.servers, one.get(what) as Cost))
      }
    })
  } finally {
    await cluster.stop()
    removeDirectory(directory)
  }
  return rows
}

function rowOf(what: string, costs: NodeCosts, servers: number, alone: Cost): Row {
  const three = takenBy(costs, NODES, CORES).perSecond
  // One process has no other node: its model is that of a node that is alone, with its own costs.
  const asOne: NodeCosts = { own: alone, enters: alone, hosts: alone, standby: alone, resting: nothing }
  const one = takenBy(asOne, 1, CORES).perSecond
  const { resting, ...ofEvents } = costs
  const parts = (Object.entries(ofEvents) as [string, Cost][]).map(([name, { main, deciding, others }]) => {
    return `${name} ${main.toFixed(1)} + ${deciding.toFixed(1)} + ${others.toFixed(1)}`
  })
  const [mainAtRest, othersAtRest] = [resting.main, resting.deciding + resting.others].map((of) =>
    (of * 100).toFixed(1),
  )
  const note =
    `main, deciding and other threads, µs an event: ${parts.join(', ')}; three NATS servers together ` +
    `${servers.toFixed(1)} µs; without events ${mainAtRest} and ${othersAtRest} % of a processor; ` +
    `with ${CORES} cores each: ${inWords(costs, COUNTS, CORES)}`
  const against = { name: `one process: ${rounded(one)}`, value: one }
  return {
    what: `three nodes: ${what}`,
    ours: three,
    unit: '/s',
    against,
    ratio: three / one,
    bar: '',
    met: null,
    note,
  }
}
