/**
 * `npm run cluster -- --catalog`: changes of the catalog that are made at one node, as the others see them.
 *
 * Times are from the answer on: until another node takes an event for a new job, and until it refuses a revoked key.
 * What an event takes on that node in any case is shown beside it.
 */
import { Client, type Answer } from '../harness/client.js'
import { quantile } from '../harness/result.js'
import { newKey, removeDirectory, temporaryDirectory } from '../harness/service.js'
import { LocalCluster } from './local-cluster.js'

const ROUNDS = 30
const LIMIT_MS = 10_000

/** Milliseconds until the answer has this status, and how often it was asked for. */
async function until(status: number, what: () => Promise<Answer>): Promise<{ ms: number; tries: number }> {
  const beganMs = performance.now()
  for (let tries = 1; ; tries++) {
    const answer = await what()
    const ms = performance.now() - beganMs
    if (answer.status === status) return { ms, tries }
    if (ms > LIMIT_MS) throw new Error(`it stays ${answer.status}: ${JSON.stringify(answer.body)}`)
  }
}

/** Makes a job and a key of its own. */
async function make(client: Client, name: string): Promise<{ readonly jobId: number; readonly key: string }> {
  const properties = { title: name, category: 'Decision intelligence', decision_points: ['rule'] }
  const resources = {
    job: { type: 'job', properties },
    key: { type: 'api_key', properties: { name: `${name}-key` } },
  }
  const { body } = await client.send('POST', '/api/v2/resources', { resources })
  const { created } = body as { created: readonly { type: string; internal_id: string; value?: string }[] }
  const idOf = created.find(({ type }) => type === 'job')?.internal_id
  return { jobId: Number(idOf), key: created.find(({ type }) => type === 'api_key')?.value ?? '' }
}

const portOf = ({ nodes }: LocalCluster, at: number): number =>
  Number(new URL(nodes[at % nodes.length]?.address ?? '').port)

/** Prints a line for each kind of change. */
export async function measureCatalog(program: string, nodes: number): Promise<void> {
  const directory = temporaryDirectory()
  const key = newKey()
  const cluster = await LocalCluster.start({ program, directory, nodes, key })
  const [known, usual, refused]: [number[], number[], number[]] = [[], [], []]
  let atOnce = 0
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const [here, there] = [portOf(cluster, round), portOf(cluster, round + 1)]
      const [client, other] = [new Client(here, key), new Client(there, key)]
      const made = await make(client, `job-${round}`)
      const event = { job_id: made.jobId, raw_body: { rule: 'r' } }
      const post = (): Promise<Answer> => other.send('POST', '/api/v1/events/', event)
      const first = await until(201, post)
      known.push(first.ms)
      if (first.tries === 1) atOnce++
      usual.push((await until(201, post)).ms)
      const own = new Client(there, made.key)
      const read = (): Promise<Answer> => own.send('GET', `/api/v1/events/${made.jobId}/none`)
      if ((await read()).status === 401) throw new Error('the new key is not known')
      await client.send('DELETE', `/api/v2/resources?resource_type=api_key&title=job-${round}-key`)
      refused.push((await until(401, read)).ms)
      for (const one of [client, other, own]) one.close()
    }
  } finally {
    await cluster.stop()
    removeDirectory(directory)
  }
  const line = (values: readonly number[]): string =>
    `p50 ${quantile(values, 0.5).toFixed(1)} ms, slowest ${Math.max(...values).toFixed(1)} ms`
  console.log(`a new job takes an event at another node: ${line(known)}; at once in ${atOnce} of ${ROUNDS}`)
  console.log(`any event at that node: ${line(usual)}`)
  console.log(`a revoked key is refused by another node: ${line(refused)}`)
}
