/**
 * GET of events picked at random, 256 connections: while they are the latest, which the service remembers, and after as
 * many others have arrived. The floor is a bare handler that looks nothing up.
 */
import { join } from 'node:path'
import { built } from '../harness/paths.js'
import { startListening } from '../harness/peers.js'
import { alternate, rated, type RunSize, type Row, type Step } from '../harness/result.js'
import { linesFile, withSubject, type Subject } from '../harness/trained.js'
import { driveBulk, driveRequests } from '../load/drive.js'
import type { LoadResult } from '../load/raw-load.js'
import { writeRequests } from '../load/requests.js'
import { Random } from '../streams/random.js'

const stored = 102_400
const query = 50_000
/** More than the service remembers. */
const after = { lines: 20_000, times: 7 }

async function measure(subject: Subject, size: RunSize): Promise<Row[]> {
  const { port } = subject.service
  const store = ({ file, lines }: ReturnType<typeof linesFile>): Promise<unknown> => {
    return driveBulk({ port, file, headers: subject.headers, connections: 1, seconds: 0, events: lines, rate: 0 })
  }
  await store(linesFile(subject, stored, 'get'))
  const random = new Random(5)
  const gets = join(subject.scratch, 'gets.txt')
  writeRequests(
    gets,
    Array.from({ length: query }, () => {
      return { method: 'GET', path: `/api/v1/events/${subject.jobId}/get-${random.below(stored)}`, body: '' }
    }),
  )
  const load = { port, file: gets, headers: subject.headers, seconds: size.seconds, connections: 256 }
  const floor = await startListening(built('bench/floors/parse-server.js'), [])
  const ask = async (what: string): Promise<Row> => {
    await driveRequests({ ...load, seconds: 1 })
    const [floors, rounds] = await alternate(size.rounds, [
      () => driveRequests({ ...load, port: floor.port }),
      () => driveRequests(load),
    ])
    const bare = rated(floors, (i) => (floors[i] as LoadResult).requests)
    const ours = rated(rounds, (i) => (rounds[i] as LoadResult).requests)
    return {
      what,
      ours: ours.perSecond,
      unit: '/s',
      against: { name: 'bare uWebSockets.js handler', value: bare.perSecond },
      ratio: ours.perSecond / bare.perSecond,
      p50Ms: ours.p50Ms,
      p99Ms: ours.p99Ms,
      bar: 'at least 60 k/s',
      met: ours.perSecond >= 60_000,
    }
  }
  const latest = await ask('GET event, one of the latest, 256 connections')
  const more = linesFile(subject, after.lines)
  for (let i = 0; i < after.times; i++) await store(more)
  const older = await ask('GET event, an older one')
  await floor.child.stop()
  return [latest, older]
}

export const getEvent: Step = {
  name: 'get-event',
  run: (size) => withSubject((subject) => measure(subject, size)),
}
