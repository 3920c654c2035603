/** Random resource documents: valid ones, and ways to spoil one. */
import { jobCategories } from '../../engine/domain/job/job.js'
import type { SeededRandom } from '../../engine/rng.js'
import { apiKey, restApi } from './resource-store.js'

export type ResourceSet = Record<string, Record<string, unknown>>

const oddNames = ["it's", '"quoted"', 'back\\slash', '✓ ünï', '{{x}}', '__proto__', 'a")}} b', 'resources', '\u{1F600}']

function maybe(random: SeededRandom, properties: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).filter(() => random.below(2) === 0))
}

function randomJob(random: SeededRandom, title: string, integrations: readonly string[]): Record<string, unknown> {
  const steps = integrations
    .filter(() => random.below(2) === 0)
    .map((resource) => ({
      resource,
      integration_type: 'input',
      ...maybe(random, { enabled: random.below(2) === 0, storage_tag: 'tag', auto_id: random.below(99) }),
      ...maybe(random, { parameters: { max_batch_size: 1 + random.below(500), exposed_rest_api_job_tag: 'job tag' } }),
    }))
  const storage = { resource: 'Internal storage', integration_type: 'output', parameters: null }
  const labels = ['One', 'Two', 'Three'].map((name, place) => ({
    name,
    hex_color: `#00000${place}`,
    ...maybe(random, { id: `${name}_alert` }),
  }))
  const blockers = maybe(random, { outliers: true, consensus_flipping: false, low_confidence_score: true })
  return {
    type: 'job',
    properties: {
      title,
      category: random.pick(jobCategories),
      ...maybe(random, {
        description: `about ${title}`,
        decision_points: ['source.ip', 'rule.name', 'host'].filter(() => random.below(3) > 0),
        feedback_columns: ['source.ip'],
        remove_missing_pipeline_integrations: random.below(2) === 0,
        advanced_settings: maybe(random, {
          custom_labels: labels,
          auto_retrain: { enabled: true, cron: `${random.below(60)} 3 * * *`, blockers },
          monitoring_settings: { throttling: 3, monitors: [{ name: 'm', active: true, interval_check: 60 }] },
          of_another_version: { a: [1, null, { b: 'c' }] },
        }),
      }),
      pipeline_integrations: random.below(2) === 0 ? [...steps, storage] : steps,
    },
    ...maybe(random, { depends_on: [] }),
  }
}

/** A valid set of a few keys, integrations and jobs that refer to each other in every way, in random order. */
export function randomSet(random: SeededRandom): ResourceSet {
  const odd = random.pick(oddNames)
  const keys = Array.from({ length: 1 + random.below(3) }, (_, index) => `key ${index} ${odd}`)
  const rests = Array.from({ length: 1 + random.below(4) }, (_, index) => `rest ${index} ${odd}`)
  const entries: [string, Record<string, unknown>][] = []
  for (const [index, name] of keys.entries()) entries.push([`k${index}`, apiKey(name)])
  for (const [index, title] of rests.entries()) {
    const integration = restApi(title, '') as { properties: { parameters: Record<string, unknown> } }
    const key = random.below(keys.length)
    const name = (keys[key] as string).replaceAll(/['\\]/g, '\\$&')
    integration.properties.parameters.api_key = random.pick([`k${key}`, `{{api_keys(name='${name}')}}`])
    entries.push([`r${index}`, integration])
  }
  const references = rests.map((title, index) => {
    const escaped = title.replaceAll(/['\\]/g, '\\$&')
    return random.pick([`r${index}`, title, `{{integrations(title='${escaped}')}}`])
  })
  const jobs = random.below(6)
  for (let index = 0; index < jobs; index++) {
    const title = index === 0 ? odd : `job ${index} ${odd}`
    entries.push([`j${index}`, randomJob(random, title, references)])
  }
  const shuffled = entries.map((entry) => [random.nextFloat(), entry] as const).sort((a, b) => a[0] - b[0])
  return Object.fromEntries(shuffled.map(([, entry]) => entry))
}

const spoilt: readonly ((random: SeededRandom) => Record<string, unknown>)[] = [
  () => apiKey(''),
  () => apiKey('x', { depends_on: ['nobody'] }),
  () => apiKey('x', { depends_on: ['bad'] }),
  () => restApi('x', 'nobody has this name'),
  () => ({ type: 'integration', properties: { title: 'x', integration_type: 'Fortune teller', parameters: {} } }),
  () => ({ type: 'integration', properties: { title: 'x', integration_type: 'External REST API', parameters: {} } }),
  () => ({ type: 'integration', properties: { title: 'Internal storage', integration_type: 'External REST API' } }),
  () => ({ type: 'integration', properties: { title: 'x', integration_type: 'Internal storage' } }),
  () => ({ type: 'spaceship', properties: {} }),
  () => ({ type: 'job', properties: { title: 'x', category: 'none of them' } }),
  () => ({ type: 'job', properties: { title: 'x', decision_points: 'host' } }),
  () => ({ type: 'job', properties: { title: 'x', advanced_settings: { custom_labels: [] } } }),
  () => ({ type: 'job', properties: { title: 'x', advanced_settings: { auto_retrain: { enabled: true } } } }),
  () => ({ type: 'job', properties: { title: 'x', pipeline_integrations: [{ resource: 'nobody' }] } }),
  (random) => {
    const role = random.pick(['input', 'enrichment', 'processor', 'dance'])
    const step = { resource: 'Internal storage', integration_type: role }
    return { type: 'job', properties: { title: 'x', pipeline_integrations: [step] } }
  },
  () => ({ type: 'job', properties: { title: 'x', pipeline_integrations: [{ resource: 'Clustering processor' }] } }),
]

/** The set with one more element, which is invalid. */
export function spoil(random: SeededRandom, set: ResourceSet): ResourceSet {
  const bad = ['bad', random.pick(spoilt)(random)] as const
  const entries = Object.entries(set)
  entries.splice(random.below(entries.length + 1), 0, [...bad])
  return Object.fromEntries(entries)
}
