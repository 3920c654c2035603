/** The job that the wizard makes: its resources. */
import { api, may } from '../../state/api.js'
import type { DraftLabel } from './history.js'

export interface Plan {
  readonly title: string
  readonly points: readonly string[]
  readonly labels: readonly DraftLabel[]
}

export interface Made {
  readonly jobId: number
  /** Null where the person may not make keys. */
  readonly key: string | null
}

/** Makes a key, an input and the job: all of them, or none. */
export async function makeJob({ title, points, labels }: Plan): Promise<Made> {
  const withKey = may('write:api_keys')
  const sender = `${title} sender`
  const { created } = await api.applyResources({
    overwrite: false,
    body: {
      ...(withKey
        ? {
            sender: { type: 'api_key', properties: { name: sender } },
            input: {
              type: 'integration',
              properties: {
                title: `${title} input`,
                integration_type: 'External REST API',
                parameters: { api_key: `{{api_keys(name='${sender}')}}`, data_type: 'alerts' },
              },
            },
          }
        : {}),
      job: {
        type: 'job',
        properties: {
          title,
          category: 'Decision intelligence',
          decision_points: [...points],
          advanced_settings: {
            custom_labels: labels.map(({ name, color, unused }) => ({ name, hex_color: color, unused })),
          },
          ...(withKey
            ? { pipeline_integrations: [{ resource: 'input', integration_type: 'input', enabled: true }] }
            : {}),
        },
      },
    },
  })
  const job = created.find(({ type }) => type === 'job')
  const key = created.find(({ type }) => type === 'api_key')?.value
  return { jobId: Number(job?.internal_id), key: typeof key === 'string' ? key : null }
}
