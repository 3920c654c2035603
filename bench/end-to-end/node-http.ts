/**
 * Single POSTs where `node:http` serves, as it does where uWebSockets.js does not load: against the same service with
 * uWebSockets.js.
 */
import { alternate, rated, type Rated, type Row, type RunSize, type Step } from '../harness/result.js'
import { postsFile, withSubject, type Subject } from '../harness/trained.js'
import { driveRequests } from '../load/drive.js'
import type { LoadResult } from '../load/raw-load.js'

const connections = 256
const pool = 20_000

function rowOf(ours: Rated, native: Rated): Row {
  return {
    what: 'single POST over node:http, flushed before 201, 256 connections',
    ours: ours.perSecond,
    unit: '/s',
    against: { name: 'the same over uWebSockets.js', value: native.perSecond },
    ratio: ours.perSecond / native.perSecond,
    p50Ms: ours.p50Ms,
    p99Ms: ours.p99Ms,
    bar: '',
    met: null,
  }
}

async function compare(plain: Subject, native: Subject, size: RunSize): Promise<Row[]> {
  const drive = (subject: Subject, seconds = size.seconds): Promise<LoadResult> => {
    const { service, headers } = subject
    return driveRequests({ file: postsFile(subject, pool), headers, connections, port: service.port, seconds })
  }
  for (const subject of [plain, native]) await drive(subject, 1)
  const [ours, theirs] = await alternate(size.rounds, [() => drive(plain), () => drive(native)])
  const rate = (rounds: readonly LoadResult[]): Rated => rated(rounds, (i) => (rounds[i] as LoadResult).requests)
  return [rowOf(rate(ours), rate(theirs))]
}

function run(size: RunSize): Promise<Row[]> {
  return withSubject(
    (plain) => withSubject((native) => compare(plain, native, size), { settings: { SERVICE_HTTP_LIBRARY: 'auto' } }),
    { settings: { SERVICE_HTTP_LIBRARY: 'node' } },
  )
}

export const nodeHttp: Step = { name: 'node-http', run }
