/**
 * From the POST of an event until GET shows its decision, while the service is under half of the load that it can take:
 * once half of the measured bulk rate, once half of the measured rate of single POSTs. The floor of the second is the
 * same probe and the same load on a bare handler that parses, answers, and stores nothing.
 */
import { runNode } from '../harness/child.js'
import { built } from '../harness/paths.js'
import { startListening } from '../harness/peers.js'
import type { Effort, Row, Step } from '../harness/result.js'
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

function row(load: string, full: number, offered: number, probes: Probes, floor?: Probes): Row {
  if (probes.undecided > 0) throw new Error(`${probes.undecided} of ${probes.probes} probes were not decided`)
  return {
    what: `POST to decision visible in GET, at half of the ${load} load`,
    ours: probes.p99Micros / 1000,
    unit: 'ms',
    ...(floor === undefined
      ? {}
      : {
          against: { name: 'bare handler, p99 ms', value: floor.p99Micros / 1000 },
          ratio: probes.p99Micros / floor.p99Micros,
        }),
    p50Ms: probes.p50Micros / 1000,
    p99Ms: probes.p99Micros / 1000,
    bar: 'p99 under 20 ms',
    met: probes.p99Micros < 20_000,
    note:
      `${probes.probes} probes, the slowest ${(probes.maxMicros / 1000).toFixed(1)} ms; ` +
      `meanwhile ${Math.round(offered)} of ${Math.round(full)} events/s (${load})`,
  }
}

async function measure(subject: Subject, effort: Effort): Promise<Row[]> {
  const { port } = subject.service
  const { file } = linesFile(subject, 40_000)
  const posts = postsFile(subject, 20_000)
  const seconds = Math.max(4, effort.seconds * 2)
  // The load starts a little earlier than the probes and ends a little later.
  const loadSeconds = seconds + 2
  const bulk = { port, file, headers: subject.headers, connections: bulkConnections, events: 0 }
  const single = { port, file: posts, headers: subject.headers, connections: 256 }

  const fullBulk = await driveBulk({ ...bulk, seconds: effort.seconds, rate: 0 })
  const bulkRate = fullBulk.events / fullBulk.seconds
  const [bulkMeanwhile, bulkProbes] = await Promise.all([
    driveBulk({ ...bulk, seconds: loadSeconds, rate: bulkRate / 2 }),
    probe(subject, port, posts, seconds) as Promise<Probes>,
  ])

  const fullSingle = await driveRequests({ ...single, seconds: effort.seconds })
  const singleRate = fullSingle.requests / fullSingle.seconds
  const [singleMeanwhile, singleProbes] = await Promise.all([
    driveRequests({ ...single, seconds: loadSeconds, rate: singleRate / 2 }),
    probe(subject, port, posts, seconds) as Promise<Probes>,
  ])
  const bare = await startListening(built('bench/floors/parse-server.js'), [])
  const [, floorProbes] = await Promise.all([
    driveRequests({ ...single, port: bare.port, seconds: loadSeconds, rate: singleRate / 2 }),
    probe(subject, bare.port, posts, seconds) as Promise<Probes>,
  ])
  await bare.child.stop()
  return [
    row('bulk', bulkRate, bulkMeanwhile.events / bulkMeanwhile.seconds, bulkProbes),
    row('single POST', singleRate, singleMeanwhile.requests / singleMeanwhile.seconds, singleProbes, floorProbes),
  ]
}

export const visible: Step = { name: 'visible', run: (effort) => withSubject((subject) => measure(subject, effort)) }
