/** Sets up a job through the resources API, trains it, and waits for what takes time. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, JobAnswer } from './client.js'

export interface JobPlan {
  readonly title: string
  readonly points: readonly string[]
  /** Exactly three names. */
  readonly labels: readonly string[]
  /** `Decision intelligence` if absent. */
  readonly category?: string
}

export interface MadeJob {
  readonly jobId: number
  /** The value of the key that events are sent with. */
  readonly key: string
}

interface Created {
  readonly type: string
  readonly internal_id: string | number
  readonly value?: string
}

const colours = ['#ED0A2C', '#1264FE', '#9A00FF']

/** The resource of a job that reads from the integration of that title or name in the same request. */
function jobResource(plan: JobPlan, integration: string): object {
  return {
    type: 'job',
    properties: {
      title: plan.title,
      category: plan.category ?? 'Decision intelligence',
      decision_points: plan.points,
      pipeline_integrations: [{ resource: integration, integration_type: 'input', enabled: true, parameters: {} }],
      advanced_settings: { custom_labels: plan.labels.map((name, i) => ({ name, hex_color: colours[i] })) },
    },
  }
}

async function apply(client: Client, resources: object): Promise<readonly Created[]> {
  const answer = (await client.ask('POST', '/api/v2/resources', { resources })) as { created: readonly Created[] }
  return answer.created
}

/** Makes another job that reads from the integration of a job that makeJob made; returns its id. */
export async function makeSibling(client: Client, firstTitle: string, plan: JobPlan): Promise<number> {
  const [id] = await makeSiblings(client, firstTitle, [plan])
  return id as number
}

/** The same for several jobs, in one request; returns their ids in the order of the plans. */
export async function makeSiblings(
  client: Client,
  firstTitle: string,
  plans: readonly JobPlan[],
): Promise<readonly number[]> {
  if (plans.length === 0) return []
  const jobs = plans.map((plan, at) => [`job${at}`, jobResource(plan, `${firstTitle} input`)])
  const created = await apply(client, Object.fromEntries(jobs))
  return created.map(({ internal_id }) => Number(internal_id))
}

/** Makes a key, an External REST API integration bound to it, and a job that reads from it. */
export async function makeJob(client: Client, plan: JobPlan): Promise<MadeJob> {
  const keyName = `${plan.title} key`
  const resources = {
    key: { type: 'api_key', properties: { name: keyName } },
    rest: {
      type: 'integration',
      properties: {
        title: `${plan.title} input`,
        integration_type: 'External REST API',
        parameters: { api_key: `{{api_keys(name='${keyName}')}}`, data_type: 'alerts' },
      },
    },
    job: jobResource(plan, 'rest'),
  }
  const created = await apply(client, resources)
  const job = created.find((resource) => resource.type === 'job')
  const key = created.find((resource) => resource.type === 'api_key')
  if (job === undefined || key?.value === undefined) throw new Error('the service made no job or gave no key')
  return { jobId: Number(job.internal_id), key: key.value }
}

/** Starts a training and waits for its end. @throws Error if it fails. */
export async function train(
  client: Client,
  jobId: number,
  onProgress: (message: string) => void = () => {},
): Promise<JobAnswer> {
  const before = (await client.job(jobId)).last_train_finished_timestamp
  await client.ask('POST', `/api/v1/jobs/${jobId}/train`, { username: 'bench' })
  for (;;) {
    const job = await client.job(jobId)
    onProgress(job.retrain_msg)
    if (job.retrain_state === 'RETRAIN_FAILED') throw new Error(`training failed: ${job.retrain_msg}`)
    if (job.retrain_state === 'RETRAIN_FINISHED' && job.last_train_finished_timestamp !== before) return job
    await sleep(50)
  }
}
