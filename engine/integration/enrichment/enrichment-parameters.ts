/** The parameters of every enrichment step, and the names of its fields. */
import type { PipelineStep } from '../../domain/job/job.js'
import type { ParameterSpec } from '../../resource/registry/parameters.js'
import { bounds } from '../bounds.js'
import type { OpenedParameters } from '../contract.js'

const plainName = /^[a-z0-9_]{1,64}$/

/** Parameters of the role enrichment, in addition to those of a kind. */
export const enrichmentParameters: readonly ParameterSpec[] = [
  {
    name: 'name',
    type: 'string',
    required: false,
    check: (text) => (text === '' || plainName.test(text) ? null : 'must consist of a to z, 0 to 9 and _'),
    description:
      'The name of the fields: enrichment.<name>.<field>. Default: the title of the integration in lower case, with _ for other characters than letters and digits.',
  },
  {
    name: 'time_limit_seconds',
    type: 'number',
    required: false,
    minimum: 0.1,
    maximum: bounds.enrichmentSecondsMax,
    default: bounds.enrichmentSeconds,
    description: 'How long an event waits for an answer. After that it is decided without one.',
  },
  {
    name: 'cache_seconds',
    type: 'number',
    required: false,
    minimum: 0,
    maximum: 86_400,
    default: bounds.enrichmentCacheSeconds,
    description: 'How long an answer is reused for the same query; 0 turns the cache off.',
  },
]

export function timeLimitMs(parameters: Readonly<Record<string, unknown>>): number {
  const seconds = parameters.time_limit_seconds
  return (typeof seconds === 'number' ? seconds : bounds.enrichmentSeconds) * 1_000
}

export function cacheMs(parameters: OpenedParameters): number {
  return Number(parameters.cache_seconds ?? bounds.enrichmentCacheSeconds) * 1_000
}

function nameOf(title: string, parameters: Readonly<Record<string, unknown>>): string {
  const { name } = parameters
  if (typeof name === 'string' && name !== '') return name
  return (
    title
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '')
      .slice(0, 64) || 'look_up'
  )
}

/** The names of steps, in order. A repeated name gets the id of its integration as a suffix. */
export function enrichmentNames(steps: readonly { readonly step: PipelineStep; readonly title: string }[]): string[] {
  const taken = new Set<string>()
  return steps.map(({ step, title }) => {
    const wanted = nameOf(title, step.parameters)
    const name = taken.has(wanted) ? `${wanted}_${step.integrationId}` : wanted
    taken.add(name)
    return name
  })
}
