/**
 * `npm run cluster -- --speed`: three NATS servers and one busy node on this machine, against one process, in turn.
 *
 * With `--nodes 3` the two standbys apply every event on the same machine, too: that is the price of copies, not of the
 * log.
 */
import { join } from 'node:path'
import { makeJob, train } from '../harness/job.js'
import { Client } from '../harness/client.js'
import { newKey, removeDirectory, temporaryDirectory, type Service } from '../harness/service.js'
import { alerts, linesFile, postsFile, teach, withSubject, type Subject } from '../harness/trained.js'
import { driveBulk, driveRequests } from '../load/drive.js'
import { writeRequests } from '../load/requests.js'
import { alertLabels, alertPoints } from '../streams/alerts.js'
import { LocalCluster, type Process } from './local-cluster.js'

const SECONDS = 4
const ROUNDS = 3
const [BULK_CONNECTIONS, POST_CONNECTIONS, QUERY_CONNECTIONS] = [4, 256, 8]
/** Events by which the nodes are told apart. */
const PROBES = 40
const [POSTS, LINES, READ] = [20_000, 40_000, 2_048]
const [LEARN_SEED, LEARN_EVENTS] = [7, 2_000]

type Rate = (subject: Subject) => Promise<number>

const bulkRate: Rate = async (subject) => {
  const { file } = linesFile(subject, LINES)
  const { headers, service } = subject
  const load = { port: service.port, file, headers, connections: BULK_CONNECTIONS, events: 0, rate: 0 }
  const { events, seconds } = await driveBulk({ ...load, seconds: SECONDS })
  return events / seconds
}

const postRate: Rate = async (subject) => {
  const file = postsFile(subject, POSTS)
  const { headers, service } = subject
  const load = { port: service.port, file, headers, connections: POST_CONNECTIONS, seconds: SECONDS }
  const { requests, seconds } = await driveRequests(load)
  return requests / seconds
}

/** Events with ids of their own, which every node reads. */
async function store(subject: Subject): Promise<void> {
  const { file, lines } = linesFile(subject, READ, 'read')
  const { headers, service } = subject
  await driveBulk({ port: service.port, file, headers, connections: 1, seconds: 0, events: lines, rate: 0 })
}

/** One read, again and again. */
const rateOf =
  (name: string, connections: number, plan: (jobId: number, at: number) => { path: string; body?: object }): Rate =>
  async (subject) => {
    const file = join(subject.scratch, `${name}.txt`)
    const plans = Array.from({ length: READ }, (_, at) => {
      const { path, body } = plan(subject.jobId, at)
      return { method: body === undefined ? 'GET' : 'POST', path, body: body === undefined ? '' : JSON.stringify(body) }
    })
    writeRequests(file, plans)
    const headers = { 'X-Service-Api-Key': subject.managementKey }
    const { requests, seconds } = await driveRequests({
      port: subject.service.port,
      file,
      headers,
      connections,
      seconds: SECONDS,
    })
    return requests / seconds
  }

const getRate = rateOf('gets', POST_CONNECTIONS, (jobId, at) => ({ path: `/api/v1/events/${jobId}/read-${at}` }))
const listRate = rateOf('lists', QUERY_CONNECTIONS, (jobId) => ({
  path: '/api/v2/events/list',
  body: { job_ids: [jobId], size: 50 },
}))

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number
}

/** The node that runs the turns of the job's shard, and another one: the first answers soonest. */
export async function nodesOf(
  cluster: LocalCluster,
  subject: Subject,
): Promise<[own: Process, other: Process | undefined]> {
  const times: { readonly node: Process; readonly ms: number }[] = []
  for (const node of cluster.nodes) {
    const { input } = at(node, subject)
    const each: number[] = []
    for (let i = 0; i < PROBES; i++) {
      const beganMs = performance.now()
      await input.ask('POST', `/api/v1/events/probe-${i}`, { job_id: subject.jobId, raw_body: { probe: i } })
      each.push(performance.now() - beganMs)
    }
    times.push({ node, ms: median(each) })
  }
  const [own, other] = times.sort((a, b) => a.ms - b.ms).map(({ node }) => node)
  return [own as Process, other]
}

/** Prints a line for each kind of load. */
export async function measureSpeed(program: string, nodes: number): Promise<void> {
  const directory = temporaryDirectory()
  const key = newKey()
  const cluster = await LocalCluster.start({ program, directory, nodes, key })
  try {
    const catalogOwner = (await cluster.owner()) as Process
    await withSubject(async (one) => {
      const made = await subjectAt(catalogOwner, one, key)
      const [own, other] = await nodesOf(cluster, made)
      const clustered = at(own, made)
      const forwarded = other === undefined ? null : at(other, made)
      await store(one)
      await store(clustered)
      for (const [name, rate] of [
        ['single POST', postRate],
        ['NDJSON bulk', bulkRate],
        ['GET of an event', getRate],
        ['list of 50 events', listRate],
      ] as const) {
        const rates: [number[], number[], number[]] = [[], [], []]
        for (let round = 0; round <= ROUNDS; round++)
          for (const [which, subject] of [one, clustered, forwarded].entries())
            if (subject !== null) {
              const measured = await rate(subject)
              // The first round warms up.
              if (round > 0) rates[which]?.push(measured)
            }
        const [alone, ours] = [median(rates[0]), median(rates[1])]
        const there = forwarded === null ? '' : `; by another node ${Math.round(median(rates[2]))} /s`
        const both = `one process ${Math.round(alone)} /s, the owner of the shard ${Math.round(ours)} /s`
        console.log(`${name}: ${both}, ratio ${(ours / alone).toFixed(2)}${there}`)
      }
    })
  } finally {
    await cluster.stop()
    removeDirectory(directory)
  }
}

/** The same node or another, with the same job. */
export function at(node: Process, subject: Subject): Subject {
  const port = Number(new URL(node.address).port)
  const input = new Client(port, subject.headers['X-Service-Api-Key'] as string)
  return { ...subject, input, service: { ...subject.service, port } }
}

/** A job like that of the other subject, on the cluster. */
export async function subjectAt(owner: Process, like: Subject, key: string): Promise<Subject> {
  const port = Number(new URL(owner.address).port)
  const client = new Client(port, key)
  const made = await makeJob(client, { title: 'Bench', points: alertPoints, labels: alertLabels })
  const service = { ...like.service, client, port } as Service
  const headers = { 'X-Service-Api-Key': made.key }
  const input = new Client(port, made.key)
  const subject: Subject = {
    ...like,
    service,
    jobId: made.jobId,
    jobIds: [made.jobId],
    headers,
    input,
    managementKey: key,
  }
  await teach(subject, alerts(LEARN_SEED, LEARN_EVENTS))
  await train(client, made.jobId)
  return subject
}
