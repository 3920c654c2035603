/** External REST API inputs, and what is stored in a job: for tests of the ways in. */
import assert from 'node:assert/strict'
import { eventually, type Answer, type Client } from './client.js'

export interface Input {
  readonly id: number
  readonly title: string
  readonly key: string
  readonly jobs: readonly number[]
}

export interface InputOptions {
  readonly jobs?: number
  readonly enabled?: boolean
  /** Of each job. */
  readonly points?: readonly string[]
  readonly category?: string
  /** Advanced settings of each job. */
  readonly settings?: Readonly<Record<string, unknown>>
}

let made = 0

/** An integration with a key of its own, and jobs that it is an input of. */
export async function makeInput(
  client: Client,
  parameters: Readonly<Record<string, unknown>> = {},
  { jobs = 1, enabled = true, points = ['rule'], category, settings = {} }: InputOptions = {},
): Promise<Input> {
  const name = `sender ${++made}`
  const steps = [{ resource: 'input', integration_type: 'input', enabled }]
  const job = (n: number) => ({
    type: 'job',
    properties: {
      title: `${name} job ${n}`,
      decision_points: points,
      ...(category === undefined ? {} : { category }),
      pipeline_integrations: steps,
      advanced_settings: settings,
    },
  })
  const answer = await client.post('/api/v2/resources', {
    resources: {
      key: { type: 'api_key', properties: { name } },
      input: {
        type: 'integration',
        properties: {
          title: `${name} webhooks`,
          integration_type: 'External REST API',
          parameters: { api_key: `{{api_keys(name='${name}')}}`, data_type: 'alerts', ...parameters },
        },
      },
      ...Object.fromEntries(Array.from({ length: jobs }, (_, n) => [`job${n}`, job(n)])),
    },
  })
  assert.equal(answer.status, 200, answer.text)
  const created = answer.body.created as { type: string; internal_id: number; value?: string }[]
  return {
    id: created.find(({ type }) => type === 'integration')!.internal_id,
    title: `${name} webhooks`,
    key: created.find(({ type }) => type === 'api_key')!.value!,
    jobs: created.filter(({ type }) => type === 'job').map(({ internal_id: id }) => id),
  }
}

/** A webhook to the integration, as it is sent. */
export function sendWebhook(
  client: Client,
  input: Input,
  body: unknown,
  options: { readonly key?: string | null; readonly headers?: Record<string, string> } = {},
): Promise<Answer> {
  return client.post(`/api/v1/ingest/${input.id}`, body, { key: input.key, ...options })
}

export interface StoredEvent {
  readonly event_id: string
  readonly raw_body: Record<string, any>
  readonly title?: string
  readonly severity?: unknown
}

/** The events of a job in the order of their arrival, as a query shows them. */
export async function storedEvents(client: Client, jobId: number): Promise<StoredEvent[]> {
  const answer = await client.post('/api/v2/events/query', {
    job_ids: jobId,
    size: 500,
    sort_by_column: 'ingest_timestamp',
    sort_order: 'asc',
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.events
}

/** How many events a job has, as the job says. */
export async function countOf(client: Client, jobId: number): Promise<number> {
  return (await client.get(`/api/v1/jobs/${jobId}`)).body.processed_documents_count
}

export interface FieldWarning {
  readonly type: string
  readonly msg: string
  readonly action: string
  readonly count: number
  readonly example?: string
}

/** The job's warnings of that type, once there are any. */
export async function warningsOf(client: Client, jobId: number, type: string): Promise<FieldWarning[]> {
  return await eventually(
    async () =>
      (await client.get(`/api/v1/jobs/${jobId}`)).body.warnings.filter((one: FieldWarning) => one.type === type),
    (found) => found.length > 0,
  )
}

/** The types of what was odd in the events of a job, by now. */
export async function oddTypes(client: Client, jobId: number): Promise<string[]> {
  const { warnings } = (await client.get(`/api/v1/jobs/${jobId}`)).body as { warnings: FieldWarning[] }
  return warnings.filter(({ count }) => count !== undefined).map(({ type }) => type)
}
