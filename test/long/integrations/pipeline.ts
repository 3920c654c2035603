/** A service in a process of its own whose job reads from a real counterpart and writes to it, killed on the way. */
import assert from 'node:assert/strict'
import { SeededRandom } from '../../../engine/rng.js'
import { eventually, inputResources, type Answer, type Client } from '../../support/client.js'
import { spawnService, type ChildService } from '../../support/service.js'

export interface Step {
  readonly role: 'input' | 'output'
  readonly parameters: object
}

export interface TellingStep {
  readonly role: 'post_decision' | 'case_creation'
  readonly parameters: object
}

export interface Counterpart {
  readonly kind: string
  readonly connection: object
}

/** Makes a job with these steps of one integration; returns its id. */
export async function makeJob(
  client: Client,
  title: string,
  { kind, connection }: Counterpart,
  steps: readonly Step[],
): Promise<number> {
  const answer = await client.post('/api/v2/resources', {
    counterpart: {
      type: 'integration',
      properties: { title: `${kind} of ${title}`, integration_type: kind, parameters: connection },
    },
    job: {
      type: 'job',
      properties: {
        title,
        decision_points: ['rule.id'],
        pipeline_integrations: steps.map(({ role, parameters }) => ({
          resource: 'counterpart',
          integration_type: role,
          parameters,
        })),
      },
    },
  })
  return jobIn(answer)
}

/** Makes a job that events are posted to, with one step that delivers its decisions; returns its id. */
export async function makePostedJob(
  client: Client,
  title: string,
  { kind, connection }: Counterpart,
  { role, parameters }: TellingStep,
): Promise<number> {
  const answer = await client.post('/api/v2/resources', {
    ...inputResources('siem'),
    told: { type: 'integration', properties: { title: kind, integration_type: kind, parameters: connection } },
    job: {
      type: 'job',
      properties: {
        title,
        decision_points: ['rule.id'],
        pipeline_integrations: [
          { resource: 'input', integration_type: 'input' },
          { resource: 'told', integration_type: role, parameters: { include_undecided: true, ...parameters } },
        ],
      },
    },
  })
  return jobIn(answer)
}

/** Posts so many events, with so many different rules. */
export async function post(client: Client, jobId: number, count: number, rules: number): Promise<void> {
  const bodies = Array.from({ length: count }, (_, i) =>
    JSON.stringify({ job_id: jobId, event_id: `p${i}`, raw_body: { rule: { id: String(i % rules) } } }),
  )
  assert.equal((await client.post('/api/v1/events/_bulk', bodies.join('\n'))).status, 200)
}

function jobIn(answer: Answer): number {
  assert.equal(answer.status, 200, answer.text)
  return answer.body.created.find((one: any) => one.type === 'job').internal_id
}

export const eventsOf = async (client: Client, jobId: number): Promise<number> =>
  (await client.get(`/api/v1/jobs/${jobId}`)).body.processed_documents_count

/** An alert of about 1 KB. */
export function alert(i: number): string {
  return JSON.stringify({ rule: { id: String(i % 50) }, i, pad: 'x'.repeat(900) })
}

export interface Killing {
  readonly kills: number
  makeJob(client: Client): Promise<number>
  /** Puts alerts into the counterpart: numbers `from` to `to` - 1. */
  publish(from: number, to: number): Promise<void>
  /** Number of different events that have been written. */
  written(): Promise<number>
  /** Makes something fail in the counterpart. */
  fault?(kill: number, random: SeededRandom): Promise<void>
}

/**
 * Kills the service at random points while alerts arrive. Then each of them must be an event, once, and be written.
 * Returns their number.
 */
export async function throughKills({ kills, publish, written, fault, ...more }: Killing): Promise<number> {
  const random = new SeededRandom(11)
  let service: ChildService = await spawnService({ privateHosts: ['127.0.0.1'] })
  try {
    const { dataDir } = service
    const jobId = await more.makeJob(service.client)
    let published = 0
    for (let kill = 0; kill < kills; kill++) {
      await publish(published, published + 1_000)
      published += 1_000
      await new Promise((resolve) => setTimeout(resolve, 200 + random.below(800)))
      await fault?.(kill, random)
      await service.kill()
      service = await spawnService({ privateHosts: ['127.0.0.1'], dataDir })
    }
    await eventually(
      () => eventsOf(service.client, jobId),
      (count) => count >= published,
      120_000,
    )
    await eventually(written, (count) => count >= published, 120_000)
    await new Promise((resolve) => setTimeout(resolve, 5_000))
    assert.equal(await eventsOf(service.client, jobId), published)
    assert.equal(await written(), published)
    return published
  } finally {
    await service.close()
  }
}

/** Measures how many waiting alerts become events in a second, and prints it. */
export async function tellSpeed(name: string, count: number, make: (client: Client) => Promise<number>): Promise<void> {
  const service = await spawnService({ privateHosts: ['127.0.0.1'] })
  try {
    const begun = performance.now()
    const jobId = await make(service.client)
    await eventually(
      () => eventsOf(service.client, jobId),
      (events) => events === count,
      240_000,
    )
    console.log(`${name} input: ${Math.round(count / ((performance.now() - begun) / 1_000))} of 1 KB a second`)
  } finally {
    await service.close()
  }
}
