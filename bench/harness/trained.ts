/** The usual subject: a service with one job of the stream's twelve decision points, and a trained model. */
import { join } from 'node:path'
import { writeFlushed, writeRequests } from '../load/requests.js'
import { AlertStream, alertLabels, alertPoints, type Alert } from '../streams/alerts.js'
import { Client, type JobAnswer } from './client.js'
import { makeJob, makeSibling, train } from './job.js'
import { newKey, removeDirectory, startService, temporaryDirectory, type Service } from './service.js'

export interface Subject {
  readonly service: Service
  /** The first job. */
  readonly jobId: number
  /** All jobs; they are alike. Most benchmarks have one. */
  readonly jobIds: readonly number[]
  /** The management key that the service was started with. */
  readonly managementKey: string
  /** The header with the key that events are sent with. */
  readonly headers: Readonly<Record<string, string>>
  /** A client with the key that events are sent with. */
  readonly input: Client
  /** A folder for request files, beside the service's data. */
  readonly scratch: string
}

/** Seeds of the two streams: the one that is learned from, and the one that is sent afterwards. */
const learnSeed = 11
const sendSeed = 12

/** Labelled events of the subject's first training. */
const learnEvents = 5_000
/** Events in one historic request. */
const historicEvents = 5_000

export function alerts(seed: number, count: number): Alert[] {
  const stream = new AlertStream(seed, count)
  return Array.from({ length: count }, () => stream.next())
}

/** The labelled events of the first training, and so many that follow them in the same stream. */
export function learned(further = 0): Alert[] {
  const stream = new AlertStream(learnSeed, learnEvents)
  return Array.from({ length: learnEvents + further }, () => stream.next())
}

/** Posts labelled events as history. */
export async function teach(subject: Subject, events: readonly Alert[], jobId = subject.jobId): Promise<void> {
  for (let at = 0; at < events.length; at += historicEvents) {
    const part = events.slice(at, at + historicEvents).map(({ body, label }) => {
      return { job_id: jobId, raw_body: body, label: { cortex_user: 'history', feedback: label } }
    })
    await subject.input.ask('POST', `/api/v1/bulk/${jobId}`, { count: part.length, events: part })
  }
}

/** How a subject differs from the usual one. */
export interface Unusual {
  readonly category?: string
  /** Decision points. */
  readonly points?: readonly string[]
  readonly jobs?: number
  /** Settings of the service by name. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts a service with a trained job, passes it to `use`, and cleans up. */
export async function withSubject<T>(use: (subject: Subject) => Promise<T>, unusual: Unusual = {}): Promise<T> {
  const directory = temporaryDirectory()
  const scratch = temporaryDirectory()
  try {
    const managementKey = newKey()
    const service = await startService(directory, managementKey, unusual.settings)
    try {
      const { category, points = alertPoints, jobs = 1 } = unusual
      const plan = { points, labels: alertLabels, ...(category === undefined ? {} : { category }) }
      const made = await makeJob(service.client, { ...plan, title: 'Bench' })
      const jobIds = [made.jobId]
      while (jobIds.length < jobs) {
        jobIds.push(await makeSibling(service.client, 'Bench', { ...plan, title: `Bench ${jobIds.length + 1}` }))
      }
      const subject: Subject = {
        service,
        jobId: made.jobId,
        jobIds,
        managementKey,
        headers: { 'X-Service-Api-Key': made.key },
        input: new Client(service.port, made.key),
        scratch,
      }
      for (const jobId of jobIds) {
        await teach(subject, alerts(learnSeed, learnEvents), jobId)
        await train(service.client, jobId)
      }
      const result = await use(subject)
      subject.input.close()
      return result
    } finally {
      await service.stop()
    }
  } finally {
    removeDirectory(directory)
    removeDirectory(scratch)
  }
}

/** Writes single POSTs of new events to a file; returns its path. */
export function postsFile(subject: Subject, count: number): string {
  const file = join(subject.scratch, `posts-${count}.txt`)
  const plans = alerts(sendSeed, count).map(({ body }) => {
    return { method: 'POST', path: '/api/v1/events/', body: JSON.stringify({ job_id: subject.jobId, raw_body: body }) }
  })
  writeRequests(file, plans)
  return file
}

export interface LinesFile {
  readonly file: string
  readonly lines: number
  /** Bytes of the events' JSON, without the line around it. */
  readonly rawBytes: number
}

/** Writes NDJSON lines of new events, of all jobs in turn. With a prefix, event i has the id `<prefix>-<i>`. */
export function linesFile(subject: Subject, count: number, prefix?: string): LinesFile {
  const file = join(subject.scratch, `lines-${prefix ?? 'new'}-${count}.ndjson`)
  const stream = new AlertStream(sendSeed, count)
  let rawBytes = 0
  const lines: string[] = []
  for (let i = 0; i < count; i++) {
    const body = JSON.stringify(stream.next().body)
    rawBytes += Buffer.byteLength(body)
    const id = prefix === undefined ? '' : `"event_id":"${prefix}-${i}",`
    lines.push(`{"job_id":${subject.jobIds[i % subject.jobIds.length]},${id}"raw_body":${body}}\n`)
  }
  writeFlushed(file, lines.join(''))
  return { file, lines: count, rawBytes }
}

/** Writes NDJSON lines of new events of one job; returns the path. `more`: further fields of an event. */
export function eventsFile(subject: Subject, jobId: number, count: number, more: (at: number) => object = () => ({})) {
  const file = join(subject.scratch, `events-${jobId}-${count}.ndjson`)
  const stream = new AlertStream(sendSeed, count)
  const lines = Array.from({ length: count }, (_, at) => {
    return `{"job_id":${jobId},"raw_body":${JSON.stringify({ ...stream.next().body, ...more(at) })}}\n`
  })
  writeFlushed(file, lines.join(''))
  return file
}

/** What the first job shows of itself now. */
export function jobOf(subject: Subject): Promise<JobAnswer> {
  return subject.input.job(subject.jobId)
}

/** Events stored, over all jobs. */
export async function storedEvents(subject: Subject): Promise<number> {
  let stored = 0
  for (const jobId of subject.jobIds) stored += (await subject.input.job(jobId)).processed_documents_count
  return stored
}
