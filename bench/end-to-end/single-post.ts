/**
 * One event a request, 256 connections: against a bare handler that parses and answers, and against the peer.
 *
 * The answers are counted by the load generator; that every one of them is a stored event is checked with the job.
 */
import { driveRequests } from '../load/drive.js'
import type { LoadResult } from '../load/raw-load.js'
import { built } from '../harness/paths.js'
import { installPeers, startListening, startPeer } from '../harness/peers.js'
import { alternate, rated, type Effort, type Rated, type Row, type Step } from '../harness/result.js'
import { removeDirectory, temporaryDirectory } from '../harness/service.js'
import { jobOf, postsFile, withSubject, type Subject } from '../harness/trained.js'

const connections = 256
const pool = 20_000

function rate(rounds: readonly LoadResult[]): Rated {
  return rated(rounds, (i) => (rounds[i] as LoadResult).requests)
}

async function againstFloor(subject: Subject, file: string, effort: Effort): Promise<{ ours: Rated; rows: Row[] }> {
  const floor = await startListening(built('bench/floors/parse-server.js'), [])
  const load = { file, headers: subject.headers, seconds: effort.seconds, connections }
  const before = (await jobOf(subject)).processed_documents_count
  try {
    await driveRequests({ ...load, port: subject.service.port, seconds: 1 })
    const [floors, all] = await alternate(effort.rounds, [
      () => driveRequests({ ...load, port: floor.port }),
      () => driveRequests({ ...load, port: subject.service.port }),
    ])
    const stored = (await jobOf(subject)).processed_documents_count - before
    const answered = all.reduce((sum, round) => sum + round.requests, 0)
    if (stored < answered) throw new Error(`${answered} events were acknowledged, ${stored} are stored`)
    const ours = rate(all)
    const bare = rate(floors)
    const ratio = ours.perSecond / bare.perSecond
    const row: Row = {
      what: 'single POST, flushed before 201, 256 connections',
      ours: ours.perSecond,
      unit: '/s',
      against: { name: 'bare uWebSockets.js parse handler', value: bare.perSecond },
      ratio,
      p50Ms: ours.p50Ms,
      p99Ms: ours.p99Ms,
      bar: 'at least 0.5 of the bare handler',
      met: ratio >= 0.5,
    }
    return { ours, rows: [row] }
  } finally {
    await floor.child.stop()
  }
}

async function againstPeer(mode: 'single' | 'group', subject: Subject, file: string, effort: Effort, ours: Rated): Promise<Row> {
  const name = mode === 'single' ? 'Fastify + SQLite, a transaction a request' : 'Fastify + SQLite, group commit'
  const directory = temporaryDirectory()
  try {
    const peer = await startPeer(mode, directory)
    const load = { file, headers: subject.headers, seconds: effort.seconds, connections, port: peer.port }
    try {
      await driveRequests({ ...load, seconds: 1 })
      const [rounds] = await alternate(effort.rounds, [() => driveRequests(load)])
      const theirs = rate(rounds)
      const ratio = ours.perSecond / theirs.perSecond
      const barred = mode === 'single'
      return {
        what: `single POST against the peer (${mode === 'single' ? 'a transaction a request' : 'group commit'})`,
        ours: ours.perSecond,
        unit: '/s',
        against: { name, value: theirs.perSecond },
        ratio,
        bar: barred ? 'at least 5 × the peer' : '',
        met: barred ? ratio >= 5 : null,
        note: `the peer's p50 is ${theirs.p50Ms.toFixed(1)} ms, its p99 ${theirs.p99Ms.toFixed(1)} ms; it decides nothing`,
      }
    } finally {
      await peer.child.stop()
    }
  } finally {
    removeDirectory(directory)
  }
}

async function run(effort: Effort): Promise<Row[]> {
  const missing = await installPeers(effort.log)
  return withSubject(async (subject) => {
    const file = postsFile(subject, pool)
    const { ours, rows } = await againstFloor(subject, file, effort)
    if (missing !== null) {
      const what = 'single POST against the peer'
      return [...rows, { what, ours: ours.perSecond, unit: '/s', bar: 'at least 5 × the peer', met: null, note: missing }]
    }
    for (const mode of ['single', 'group'] as const) rows.push(await againstPeer(mode, subject, file, effort, ours))
    return rows
  })
}

export const singlePost: Step = { name: 'single-post', run }
