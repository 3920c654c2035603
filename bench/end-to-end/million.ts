/**
 * A million stored events: memory, disk, the next start, and whether ingest is as fast as into an empty store.
 *
 * Memory is VmRSS. It counts the pages of the store that are mapped at the time, which the kernel can drop whenever it
 * needs them. The note has the part that it cannot drop. Disk is blocks taken, against the JSON of the events alone.
 */
import { diskBytes, memoryOf, type Memory } from '../harness/machine.js'
import { alternate, median, rated, type RunSize, type Row, type Step } from '../harness/result.js'
import { newKey, removeDirectory, startService, temporaryDirectory } from '../harness/service.js'
import { jobOf, linesFile, withSubject, type LinesFile, type Subject } from '../harness/trained.js'
import type { BulkResult } from '../load/bulk-load.js'
import { driveBulk } from '../load/drive.js'
import { bulkConnections } from './bulk.js'

const pool = 204_800
/** Events of one round of the comparison with an empty store. */
const compared = 102_400

async function startSeconds(directory: string, key: string, signal: NodeJS.Signals): Promise<number> {
  const service = await startService(directory, key)
  await service.stop(signal)
  return service.readyMs / 1000
}

/** Stops the service and times starts on its directory, and on an empty one. */
async function starts(subject: Subject, size: RunSize): Promise<Row> {
  const { directory } = subject.service
  await subject.service.stop()
  const afterStop: number[] = []
  const start = (signal: NodeJS.Signals): Promise<number> => startSeconds(directory, subject.managementKey, signal)
  for (let i = 0; i < size.rounds; i++) afterStop.push(await start('SIGTERM'))
  await start('SIGKILL')
  const afterKill = await start('SIGTERM')
  const empty = temporaryDirectory()
  const emptySeconds = await startSeconds(empty, newKey(), 'SIGTERM')
  removeDirectory(empty)
  const seconds = median(afterStop)
  return {
    what: `ready again with ${size.million / 1e6} M events`,
    ours: seconds,
    unit: 's',
    against: { name: 'an empty directory, s', value: emptySeconds },
    ratio: seconds / emptySeconds,
    bar: 'within 2 s of a start',
    met: seconds < 2,
    note: `from the start of the process to the first good answer; after SIGKILL ${afterKill.toFixed(2)} s`,
  }
}

function memoryRow(size: RunSize, before: Memory, after: Memory): Row {
  return {
    what: `resident memory with ${size.million / 1e6} M events`,
    ours: after.rssMib,
    unit: 'MiB',
    against: { name: 'before, MiB', value: before.rssMib },
    ratio: after.rssMib / before.rssMib,
    bar: 'under 300 MB',
    met: after.rssMib * 1.048576 < 300,
    note: `VmRSS of the service right after the load; ${after.anonymousMib.toFixed(0)} MiB of it is not mapped files`,
  }
}

/** Loads the full store, then empty ones, in turn. */
async function growth(subject: Subject, lines: LinesFile, size: RunSize): Promise<Row> {
  const load = (target: Subject, file: string, events: number): Promise<BulkResult> => {
    const { service, headers } = target
    return driveBulk({ port: service.port, file, headers, connections: bulkConnections, seconds: 0, events, rate: 0 })
  }
  const [full, empty] = await alternate(size.rounds, [
    () => load(subject, lines.file, compared),
    () =>
      withSubject(async (fresh) => {
        const { file } = linesFile(fresh, compared)
        await load(fresh, file, 10_240)
        return load(fresh, file, compared)
      }),
  ])
  const ours = rated(full, (i) => (full[i] as BulkResult).events)
  const theirs = rated(empty, (i) => (empty[i] as BulkResult).events)
  const ratio = ours.perSecond / theirs.perSecond
  return {
    what: `ingest with ${size.million / 1e6} M events stored`,
    ours: ours.perSecond,
    unit: 'events/s',
    against: { name: 'an empty store', value: theirs.perSecond },
    ratio,
    p50Ms: ours.p50Ms,
    p99Ms: ours.p99Ms,
    bar: 'at least 0.8 of it',
    met: ratio >= 0.8,
  }
}

async function measure(subject: Subject, size: RunSize): Promise<Row[]> {
  const lines = linesFile(subject, pool)
  const before = memoryOf(subject.service.pid)
  const { processed_documents_count: storedBefore } = await jobOf(subject)
  const diskBefore = diskBytes(subject.service.directory)
  size.log(`storing ${size.million} events`)
  await driveBulk({
    port: subject.service.port,
    file: lines.file,
    headers: subject.headers,
    connections: bulkConnections,
    seconds: 0,
    events: size.million,
    rate: 0,
  })
  const memory = memoryRow(size, before, memoryOf(subject.service.pid))
  const { processed_documents_count: storedAfter } = await jobOf(subject)
  const stored = storedAfter - storedBefore
  const disk = diskBytes(subject.service.directory) - diskBefore
  const raw = (lines.rawBytes / lines.lines) * stored
  const diskRow: Row = {
    what: `disk for ${size.million / 1e6} M events`,
    ours: disk / 2 ** 20,
    unit: 'MiB',
    against: { name: 'their JSON, MiB', value: raw / 2 ** 20 },
    ratio: disk / raw,
    bar: 'at most 0.8 of the raw JSON',
    met: disk / raw <= 0.8,
    note: `${stored} events, each ${(disk / stored).toFixed(0)} bytes on disk, ${(raw / stored).toFixed(0)} as JSON`,
  }
  const grown = await growth(subject, lines, size)
  return [memory, diskRow, grown, await starts(subject, size)]
}

export const million: Step = {
  name: 'million',
  run: (size) => withSubject((subject) => measure(subject, size)),
}
