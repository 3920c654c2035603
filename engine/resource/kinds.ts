/**
 * The kinds of integrations, as data: their parameters, their roles, what they are for.
 *
 * Owns: the table that documents are checked against and that schemas and metadata are made of. Leaves out: what an
 * integration does (integration/).
 *
 * 1. What a kind does not name is not stored: an unknown parameter is left out, and no stray secret reaches the disk.
 * 2. Every category has its processors; every built-in kind has exactly one integration, with the kind's name as title.
 */
import { must } from '../assert.js'
import type { Issue } from '../errors.js'
import type { IntegrationRole, JobCategory } from '../job/job.js'

export interface ParameterSpec {
  readonly name: string
  /** `api_key` is a reference to a resource of that type. */
  readonly type: 'string' | 'number' | 'boolean' | 'api_key'
  readonly required: boolean
  readonly description: string
  /** The values a string may have. */
  readonly allowed?: readonly string[]
  /** The lowest number. */
  readonly minimum?: number
}

export interface RoleSpec {
  readonly role: IntegrationRole
  readonly parameters: readonly ParameterSpec[]
}

export interface IntegrationKind {
  readonly id: string
  /** The word of `integration_type`. */
  readonly name: string
  readonly description: string
  /** Present from the start, once, under its name; nobody can add, change or remove it. */
  readonly builtIn: boolean
  /** As input, takes the events that clients send to the input operations. */
  readonly takesPosts: boolean
  readonly connection: readonly ParameterSpec[]
  readonly roles: readonly RoleSpec[]
  /** Categories whose pipelines it is added to by itself. */
  readonly addedTo: readonly JobCategory[]
}

function processor(id: string, name: string, category: JobCategory, description: string): IntegrationKind {
  const roles = [{ role: 'processor', parameters: [] }] as const
  return { id, name, description, builtIn: true, takesPosts: false, connection: [], roles, addedTo: [category] }
}

export const integrationKinds: readonly IntegrationKind[] = [
  {
    id: 'internal_storage',
    name: 'Internal storage',
    description: 'Keeps events and their decisions in the service itself.',
    builtIn: true,
    takesPosts: false,
    connection: [],
    roles: [{ role: 'output', parameters: [] }],
    addedTo: [],
  },
  processor('decision_processor', 'Decision processor', 'Decision intelligence',
    'Groups alerts that share their decision points and decides on each group.'),
  processor('event_processor', 'Event processor', 'Event centric decision intelligence',
    'Decides on each alert by itself.'),
  processor('clustering_processor', 'Clustering processor', 'Automated root cause analysis',
    'Clusters alerts by a set of fields.'),
  processor('root_cause_processor', 'Root cause processor', 'Automated root cause analysis',
    'Splits the alerts of a cluster into root cause and symptoms.'),
  {
    id: 'external_rest_api',
    name: 'External REST API',
    description: 'Accepts the events that clients send to the input operations.',
    builtIn: false,
    takesPosts: true,
    connection: [
      { name: 'api_key', type: 'api_key', required: true,
        description: "The key that clients send events with, as {{api_keys(name='<name>')}}." },
      { name: 'data_type', type: 'string', required: true, description: 'What kind of data the events are.' },
    ],
    roles: [{
      role: 'input',
      parameters: [
        { name: 'exposed_rest_api_job_tag', type: 'string', required: false, description: 'A tag for the job.' },
        { name: 'max_batch_size', type: 'number', required: false, minimum: 1,
          description: 'The most events that are taken at once.' },
      ],
    }],
    addedTo: [],
  },
]

const byId = new Map(integrationKinds.map((kind) => [kind.id, kind]))

/** The kind with that id, which exists. */
export function kindById(id: string): IntegrationKind {
  return must(byId.get(id), `integration kind ${id}`)
}

/** The kind that `integration_type` names: by name or id, in any case. */
export function kindByName(text: string): IntegrationKind | null {
  const plain = (word: string): string => word.trim().toLowerCase().replaceAll(/[\s_-]+/g, '_')
  const wanted = plain(text)
  return integrationKinds.find((kind) => kind.id === wanted || plain(kind.name) === wanted) ?? null
}

/** Connection parameters of the kind that a document names, or else of the one its integration has; none if unknown. */
export function connectionOf(name: string | undefined, before: string | undefined): readonly ParameterSpec[] {
  const kind = name === undefined ? before && byId.get(before) : kindByName(name)
  return kind ? kind.connection : []
}

/** Names of the kinds that a person can make integrations of. */
export function creatableKinds(): string[] {
  return integrationKinds.filter((kind) => !kind.builtIn).map((kind) => kind.name)
}

/** What the kind takes in that role, or null where it does not have the role. */
export function roleOf(kind: IntegrationKind, role: IntegrationRole): RoleSpec | null {
  return kind.roles.find((spec) => spec.role === role) ?? null
}

/** Why a value does not fit its parameter, or null. */
function misfit(spec: ParameterSpec, value: unknown): string | null {
  const type = spec.type === 'api_key' ? 'string' : spec.type
  if (typeof value !== type || (typeof value === 'number' && !Number.isFinite(value))) return `must be a ${type}`
  if (spec.allowed !== undefined && !spec.allowed.includes(value as string)) {
    return `must be one of ${spec.allowed.join(', ')}`
  }
  if (spec.minimum !== undefined && (value as number) < spec.minimum) return `must be at least ${spec.minimum}`
  return null
}

/** Takes from `given` what the specs name, over what `before` had; tells of what is missing or does not fit. */
export function readParameters(
  specs: readonly ParameterSpec[],
  given: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>>,
  report: (issue: Issue) => void,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const spec of specs) {
    const value = Object.hasOwn(given, spec.name) ? given[spec.name] : before[spec.name]
    if (value === undefined) {
      if (spec.required) report({ loc: [spec.name], msg: 'is required', type: 'missing' })
      continue
    }
    const reason = misfit(spec, value)
    if (reason === null) values[spec.name] = value
    else report({ loc: [spec.name], msg: reason, type: 'invalid_type' })
  }
  return values
}
