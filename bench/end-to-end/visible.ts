/**
 * The time from the POST of an event until GET shows its decision, under half of the load that the service can take:
 * half of the measured bulk rate, then half of the measured rate of single POSTs.
 *
 * The floor of both is the same probe beside the same load on a bare handler. That handler parses, packs and puts with
 * a flush in one thread, so its answers wait for the disk, too.
 */
import { runNode } from '../harness/child.js'
import { built } from '../harness/paths.js'
import { startListening } from '../harness/peers.js'
import type { RunSize, Row, Step } from '../harness/result.js'
import { removeDirectory, temporaryDirectory } from '../harness/service.js'
import { linesFile, postsFile, withSubject, type Subject } from '../harness/trained.js'
import { driveBulk, driveRequests } from '../load/drive.js'
import { bulkConnections } from './bulk.js'

interface Probes {
  readonly probes: number
  readonly undecided: number
  readonly p50Micros: number
  readonly p99Micros: number
  readonly maxMicros: number
}

function probe(subject: Subject, port: number, posts: string, seconds: number): Promise<unknown> {
  const argument = {
    port,
    jobId: subject.jobId,
    seconds,
    connections: 4,
    pauseMs: 5,
    file: posts,
    headers: subject.headers,
  }
  return runNode(built('bench/load/probe-main.js'), [JSON.stringify(argument)])
}

/** The events of a load, and the seconds that it ran. */
type Ran = { readonly seconds: number } & ({ readonly events: number } | { readonly requests: number })

function rateOf(ran: Ran): number {
  return ('events' in ran ? ran.events : ran.requests) / ran.seconds
}

function row(
  load: string,
  full: number,
  [meanwhile, probes]: readonly [Ran, Probes],
  [floorMeanwhile, floor]: readonly [Ran, Probes],
): Row {
  if (probes.undecided > 0) throw new Error(`${probes.undecided} of ${probes.probes} probes were not decided`)
  return {
    what: `POST to decision visible in GET, at half of the ${load} load`,
    ours: probes.p99Micros / 1000,
    unit: 'ms',
    against: { name: 'parse, pack, put with flush, p99 ms', value: floor.p99Micros / 1000 },
    ratio: probes.p99Micros / floor.p99Micros,
    p50Ms: probes.p50Micros / 1000,
    p99Ms: probes.p99Micros / 1000,
    bar: 'p99 under 20 ms',
    met: probes.p99Micros < 20_000,
    note:
      `${probes.probes} probes, the slowest ${(probes.maxMicros / 1000).toFixed(1)} ms; meanwhile ${Math.round(rateOf(meanwhile))} of ${Math.round(full)} events/s ` +
      `(${load}); the floor: p50 ${(floor.p50Micros / 1000).toFixed(1)} ms, the slowest ${(floor.maxMicros / 1000).toFixed(1)} ms, beside ${Math.round(rateOf(floorMeanwhile))} events/s`,
  }
}

async function measure(subject: Subject, size: RunSize): Promise<Row[]> {
  const { port } = subject.service
  const { file } = linesFile(subject, 40_000)
  const posts = postsFile(subject, 20_000)
  const seconds = Math.max(4, size.seconds * 2)
  // The load starts a little earlier than the probes and ends a little later.
  const loadSeconds = seconds + 2
  const bulk = { port, file, headers: subject.headers, connections: bulkConnections, events: 0 }
  const single = { port, file: posts, headers: subject.headers, connections: 256 }
  const probed = async (beside: (at: number) => Promise<Ran>, at: number): Promise<[Ran, Probes]> => {
    return Promise.all([beside(at), probe(subject, at, posts, seconds) as Promise<Probes>])
  }

  const directory = temporaryDirectory()
  const floor = await startListening(built('bench/floors/flush-server.js'), [directory])
  // The floor runs right after ours: a disk has good minutes and bad ones.
  const rowOf = async (load: string, full: Ran, beside: (at: number) => Promise<Ran>): Promise<Row> => {
    const ours = await probed(beside, port)
    return row(load, rateOf(full), ours, await probed(beside, floor.port))
  }
  try {
    const fullBulk = await driveBulk({ ...bulk, seconds: size.seconds, rate: 0 })
    const bulkRow = await rowOf('bulk', fullBulk, (at) =>
      driveBulk({ ...bulk, port: at, seconds: loadSeconds, rate: rateOf(fullBulk) / 2 }),
    )
    const fullSingle = await driveRequests({ ...single, seconds: size.seconds })
    const singleRow = await rowOf('single POST', fullSingle, (at) =>
      driveRequests({ ...single, port: at, seconds: loadSeconds, rate: rateOf(fullSingle) / 2 }),
    )
    return [bulkRow, singleRow]
  } finally {
    await floor.child.stop()
    removeDirectory(directory)
  }
}

export const visible: Step = {
  name: 'visible',
  run: (size) => withSubject((subject) => measure(subject, size)),
}
