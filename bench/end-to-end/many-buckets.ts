/**
 * Memory where nearly every event makes a bucket of its own, over many jobs; and of a few jobs with models.
 *
 * Memory is VmRSS, while events come in and after some seconds of rest. The note has what is mapped of the store.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { Client } from '../harness/client.js'
import { makeJob, makeSibling } from '../harness/job.js'
import { memoryOf } from '../harness/machine.js'
import type { Row, RunSize, Step } from '../harness/result.js'
import { newKey, removeDirectory, startService, temporaryDirectory } from '../harness/service.js'
import { linesFile, withSubject } from '../harness/trained.js'
import { driveBulk } from '../load/drive.js'
import { writeFlushed } from '../load/requests.js'
import { AlertStream, alertLabels, alertPoints } from '../streams/alerts.js'
import { bulkConnections } from './bulk.js'

const jobs = 30
const partEvents = 102_400
const restSeconds = 6
const modelJobs = 10
const modelEvents = 22_000
const barMb = { many: 450, models: 180 }

/** Resident memory now, the most of a load, and after a rest; MiB. */
interface Course {
  readonly most: number
  readonly rested: number
  readonly anonymous: number
}

/** Watches the memory of a process during `load`, and reads it again after a rest. */
async function courseOf(pid: number, load: () => Promise<unknown>): Promise<Course> {
  let most = 0
  const timer = setInterval(() => (most = Math.max(most, memoryOf(pid).rssMib)), 250)
  try {
    await load()
    await sleep(restSeconds * 1000)
  } finally {
    clearInterval(timer)
  }
  const { rssMib, anonymousMib } = memoryOf(pid)
  return { most: Math.max(most, rssMib), rested: rssMib, anonymous: anonymousMib }
}

function row(what: string, { most, rested, anonymous }: Course, barMegabytes: number): Row {
  return {
    what,
    ours: rested,
    unit: 'MiB',
    bar: `under ${barMegabytes} MB`,
    met: rested * 1.048576 < barMegabytes,
    note:
      `${restSeconds} s after the load; ${anonymous.toFixed(0)} MiB of it is not mapped files; ` +
      `during the load at most ${most.toFixed(0)} MiB`,
  }
}

/** Each event has values of its own at the decision points. */
async function oneBucketEach(size: RunSize): Promise<Row> {
  const directory = temporaryDirectory()
  const scratch = temporaryDirectory()
  const service = await startService(directory, newKey())
  try {
    const plan = { points: [...alertPoints, 'ticket'], labels: alertLabels }
    const made = await makeJob(service.client, { ...plan, title: 'Bench' })
    const ids = [made.jobId]
    while (ids.length < jobs)
      ids.push(await makeSibling(service.client, 'Bench', { ...plan, title: `Bench ${ids.length + 1}` }))
    const stream = new AlertStream(12, size.million)
    const file = join(scratch, 'lines.ndjson')
    const course = await courseOf(service.pid, async () => {
      for (let sent = 0; sent < size.million; ) {
        const lines: string[] = []
        for (; lines.length < partEvents && sent < size.million; sent++) {
          const body = JSON.stringify({ ...stream.next().body, ticket: `t${sent}` })
          lines.push(`{"job_id":${ids[sent % jobs]},"raw_body":${body}}\n`)
        }
        writeFlushed(file, lines.join(''))
        const headers = { 'X-Service-Api-Key': made.key }
        const { port } = service
        const drive = { port, file, headers, connections: bulkConnections, seconds: 0, events: lines.length, rate: 0 }
        await driveBulk(drive)
      }
    })
    const input = new Client(service.port, made.key)
    let stored = 0
    for (const id of ids) stored += (await input.job(id)).processed_documents_count
    input.close()
    if (stored !== size.million) throw new Error(`${stored} of ${size.million} events were stored`)
    return row(`resident memory with ${size.million / 1e6} M buckets in ${jobs} jobs`, course, barMb.many)
  } finally {
    await service.stop()
    removeDirectory(directory)
    removeDirectory(scratch)
  }
}

function withModels(): Promise<Row> {
  return withSubject(
    async (subject) => {
      const { file } = linesFile(subject, modelEvents)
      const { service, headers } = subject
      const { port, pid } = service
      const drive = { port, file, headers, connections: bulkConnections, seconds: 0, events: modelEvents, rate: 0 }
      const course = await courseOf(pid, () => driveBulk(drive))
      return row(`resident memory of ${modelJobs} trained jobs`, course, barMb.models)
    },
    { jobs: modelJobs },
  )
}

export const manyBuckets: Step = {
  name: 'many-buckets',
  run: async (size) => [await oneBucketEach(size), await withModels()],
}
