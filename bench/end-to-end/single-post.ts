/**
 * One event a request, 256 connections: against a bare handler that parses and answers, and against the peer.
 *
 * They all take turns. The load generator counts the answers, and the job confirms that each of them is a stored event.
 */
import { driveRequests } from '../load/drive.js'
import type { LoadResult } from '../load/raw-load.js'
import { built } from '../harness/paths.js'
import { installPeers, startListening, startPeer, type Listening } from '../harness/peers.js'
import { alternate, rated, type RunSize, type Rated, type Row, type Step } from '../harness/result.js'
import { removeDirectory, temporaryDirectory } from '../harness/service.js'
import { jobOf, postsFile, withSubject, type Subject } from '../harness/trained.js'

const connections = 256
const pool = 20_000

/**
 * Rates of the service, of the floor, and of the peer in both modes. The peer is missing if it could not be installed.
 */
interface Rates {
  readonly ours: Rated
  readonly floor: Rated
  readonly single: Rated | null
  readonly group: Rated | null
}

function rate(rounds: readonly (LoadResult | null)[]): Rated | null {
  const done = rounds.filter((round) => round !== null)
  return done.length === 0 ? null : rated(done, (i) => (done[i] as LoadResult).requests)
}

async function measure(subject: Subject, size: RunSize, peers: readonly Listening[]): Promise<Rates> {
  const file = postsFile(subject, pool)
  const floor = await startListening(built('bench/floors/parse-server.js'), [])
  const load = { file, headers: subject.headers, connections }
  const drive = (port: number | undefined, seconds = size.seconds): Promise<LoadResult | null> => {
    return port === undefined ? Promise.resolve(null) : driveRequests({ ...load, port, seconds })
  }
  const { port } = subject.service
  const ports = [floor.port, port, peers[0]?.port, peers[1]?.port] as const
  try {
    for (const warm of ports) await drive(warm, 1)
    const before = (await jobOf(subject)).processed_documents_count
    const [floors, all, singles, groups] = await alternate(size.rounds, [
      () => drive(ports[0]),
      () => drive(ports[1]),
      () => drive(ports[2]),
      () => drive(ports[3]),
    ])
    const stored = (await jobOf(subject)).processed_documents_count - before
    const answered = all.reduce((sum, round) => sum + (round?.requests ?? 0), 0)
    if (stored < answered) throw new Error(`${answered} events were acknowledged, ${stored} are stored`)
    return { ours: rate(all) as Rated, floor: rate(floors) as Rated, single: rate(singles), group: rate(groups) }
  } finally {
    await floor.child.stop()
  }
}

interface PeerMode {
  readonly mode: string
  readonly theirs: Rated | null
  /** The rate as a multiple of the peer's. */
  readonly bar: number | null
}

function peerRow(ours: Rated, { mode, theirs, bar }: PeerMode, missing: string | null): Row {
  const row = {
    what: `single POST against the peer, ${mode}`,
    ours: ours.perSecond,
    unit: '/s',
    bar: bar === null ? '' : `at least ${bar} × the peer`,
  }
  if (theirs === null) return { ...row, met: null, note: missing ?? 'the peer was not measured' }
  const ratio = ours.perSecond / theirs.perSecond
  return {
    ...row,
    against: { name: 'Fastify + SQLite', value: theirs.perSecond },
    ratio,
    met: bar === null ? null : ratio >= bar,
    note: `the peer: p50 ${theirs.p50Ms.toFixed(1)} ms, p99 ${theirs.p99Ms.toFixed(1)} ms; it decides nothing`,
  }
}

function rowsOf({ ours, floor, single, group }: Rates, missing: string | null): Row[] {
  const ratio = ours.perSecond / floor.perSecond
  return [
    {
      what: 'single POST, flushed before 201, 256 connections',
      ours: ours.perSecond,
      unit: '/s',
      against: { name: 'bare uWebSockets.js parse handler', value: floor.perSecond },
      ratio,
      p50Ms: ours.p50Ms,
      p99Ms: ours.p99Ms,
      bar: 'at least 0.5 of the bare handler',
      met: ratio >= 0.5,
    },
    peerRow(ours, { mode: 'a transaction a request', theirs: single, bar: 5 }, missing),
    peerRow(ours, { mode: 'group commit', theirs: group, bar: null }, missing),
  ]
}

async function run(size: RunSize): Promise<Row[]> {
  const missing = await installPeers(size.log)
  const modes = missing === null ? (['single', 'group'] as const) : []
  const directories: string[] = []
  const peers: Listening[] = []
  try {
    for (const mode of modes) {
      const directory = temporaryDirectory()
      directories.push(directory)
      peers.push(await startPeer(mode, directory))
    }
    return rowsOf(await withSubject((subject) => measure(subject, size, peers)), missing)
  } finally {
    for (const { child } of peers) await child.stop()
    for (const directory of directories) removeDirectory(directory)
  }
}

export const singlePost: Step = { name: 'single-post', run }
