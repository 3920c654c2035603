/** The job that the wizard makes: its resources, and its buckets beforehand. */
import type { SampledField } from '../../../client/index.js'
import { api, may } from '../../state/api.js'
import type { DraftLabel } from './history.js'

export interface BucketFigures {
  readonly buckets: number
  /** Share of the 50 largest, 0 to 1. */
  readonly largest: number
}

const LARGEST = 50

/** The buckets of the sampled events by these fields. */
export function bucketsOf(fields: readonly SampledField[]): BucketFigures {
  const codes = fields.flatMap((field) => (field.codes === null ? [] : [field.codes]))
  const events = codes[0]?.length ?? 0
  const sizes = new Map<string, number>()
  for (let at = 0; at < events; at++) {
    const key = codes.map((each) => each[at]).join(' ')
    sizes.set(key, (sizes.get(key) ?? 0) + 1)
  }
  const largest = [...sizes.values()].sort((a, b) => b - a).slice(0, LARGEST)
  return { buckets: sizes.size, largest: events === 0 ? 0 : largest.reduce((sum, size) => sum + size, 0) / events }
}

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
