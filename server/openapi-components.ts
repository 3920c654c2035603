/**
 * The components of the OpenAPI document: which schemas have a name, and how schemas are published.
 *
 * Owns: what is a component. A schema exported from schemas/ has its exported name. Leaves out: names of schemas inside
 * of others (openapi-names.ts), operations (openapi.ts).
 *
 * 1. Generators name a type after its component, or after the whole path to it. So every object, enumeration and union
 *    of these has a name. A copy of a named schema is a reference, too: an optional one, or one with another
 *    description.
 * 2. A default of a property stands in a component of its own. Some generators call a property with a default required.
 * 3. Only components that are referred to are published.
 */
import type { TSchema } from 'typebox'
import { parts } from './openapi-names.js'
import * as analysts from './schemas/analysts.js'
import * as audit from './schemas/audit.js'
import * as autonomy from './schemas/autonomy.js'
import * as backups from './schemas/backups.js'
import * as clusters from './schemas/clusters.js'
import * as computed from './schemas/models/decisions.js'
import * as common from './schemas/common.js'
import * as consensus from './schemas/consensus.js'
import * as erase from './schemas/erase.js'
import * as events from './schemas/events.js'
import * as explanations from './schemas/explanations.js'
import * as exportedEvent from './schemas/exported-event.js'
import * as feedback from './schemas/feedback.js'
import * as health from './schemas/health.js'
import * as integrationMetadata from './schemas/integration-metadata.js'
import * as integrations from './schemas/integrations.js'
import * as jobs from './schemas/jobs.js'
import * as fileWarnings from './schemas/live/file-warnings.js'
import * as handling from './schemas/live/handling.js'
import * as lists from './schemas/live/lists.js'
import * as mcp from './schemas/mcp.js'
import * as metrics from './schemas/metrics.js'
import * as models from './schemas/models/registry.js'
import * as monitoring from './schemas/monitoring.js'
import * as next from './schemas/next.js'
import * as quality from './schemas/quality.js'
import * as queries from './schemas/queries.js'
import * as replays from './schemas/models/replays.js'
import * as resources from './schemas/resources.js'
import * as session from './schemas/console/session.js'
import * as storedEvents from './schemas/stored-events.js'
import * as stream from './schemas/live/stream.js'
import * as users from './schemas/users.js'
import * as sample from './schemas/live/sample.js'
import * as voteTasks from './schemas/live/vote-tasks.js'
import * as watchdogs from './schemas/watchdogs.js'
import * as webhooks from './schemas/webhooks.js'

export type SchemaJson = Record<string, unknown>

const modules: readonly object[] = [
  analysts,
  audit,
  backups,
  clusters,
  common,
  computed,
  consensus,
  erase,
  events,
  autonomy,
  explanations,
  exportedEvent,
  feedback,
  health,
  integrationMetadata,
  integrations,
  jobs,
  fileWarnings,
  handling,
  lists,
  mcp,
  metrics,
  models,
  monitoring,
  next,
  quality,
  queries,
  replays,
  resources,
  session,
  storedEvents,
  stream,
  users,
  sample,
  voteTasks,
  watchdogs,
  webhooks,
  parts,
]

/** The prefix of a reference to a component. */
export const COMPONENTS = '#/components/schemas/'

/** The pattern of record keys that allows any text. */
const ANY_KEY = '^.*$'

function isSchema(value: unknown): value is TSchema {
  return typeof value === 'object' && value !== null && '~kind' in value
}

/** True if generators make a type of the schema, or if it has a default: copies of it are then references. */
function isTyped(schema: object): boolean {
  return ['properties', 'patternProperties', 'enum', 'default'].some((key) => key in schema) || isUnionOfTypes(schema)
}

function isUnionOfTypes(schema: object): boolean {
  const members =
    (schema as { anyOf?: object[] }).anyOf?.filter((member) => (member as SchemaJson).type !== 'null') ?? []
  return members.length > 1 && members.some(isTyped)
}

/** Equal for copies of a schema that differ in their description alone. */
function structureOf(schema: object): string {
  return JSON.stringify({ ...schema, description: undefined })
}

/** Schemas by name, and names of schemas. Made at the first use, so that a start need not. */
class Names {
  readonly schemas = new Map<string, TSchema>()
  readonly #bySchema = new Map<object, string>()
  readonly #byStructure = new Map<string, string>()

  constructor() {
    for (const module of modules) {
      for (const [name, value] of Object.entries(module)) {
        if (!isSchema(value)) continue
        this.schemas.set(name, value)
        this.#bySchema.set(value, name)
        const structure = structureOf(value)
        if (isTyped(value) && !this.#byStructure.has(structure)) this.#byStructure.set(structure, name)
      }
    }
  }

  of(schema: object): string | undefined {
    return this.#bySchema.get(schema) ?? (isTyped(schema) ? this.#byStructure.get(structureOf(schema)) : undefined)
  }
}

let made: Names | null = null

function names(): Names {
  return (made ??= new Names())
}

/** A reference, with the description of a copy where it has one of its own. */
function referenceTo(name: string, { description }: SchemaJson): SchemaJson {
  const own = description === undefined || description === (names().schemas.get(name) as SchemaJson).description
  return { $ref: COMPONENTS + name, ...(own ? {} : { description }) }
}

/**
 * A copy of a schema with references to named ones; `isRoot` for the component itself. A pattern for any key becomes
 * the equivalent `additionalProperties`, because client generators ignore patterns. An enumeration gets its type.
 */
export function published(schema: unknown, isRoot = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => published(item))
  if (typeof schema !== 'object' || schema === null) return schema
  const name = isRoot ? undefined : names().of(schema)
  if (name !== undefined) return referenceTo(name, schema as SchemaJson)
  const copy = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'patternProperties' && ANY_KEY in value) return [['additionalProperties', published(value[ANY_KEY])]]
    if (key === 'properties' && Object.keys(value).length === 0) return []
    return [[key, published(value)]]
  })
  const isTextEnum = 'enum' in schema && (schema.enum as unknown[]).every((value) => typeof value === 'string')
  return { ...(isTextEnum ? { type: 'string' } : {}), ...Object.fromEntries(copy), ...discriminatorOf(schema) }
}

/** For a union of named objects that differ in a constant. */
function discriminatorOf({ anyOf = [] }: { anyOf?: readonly TSchema[] }): SchemaJson {
  const members = anyOf.map((member) => ({
    name: names().of(member),
    properties: (member as SchemaJson).properties as SchemaJson,
  }))
  const [first] = members
  if (members.length < 2 || members.some(({ name, properties }) => name === undefined || !properties)) return {}
  const constantOf = (properties: SchemaJson, key: string) => (properties[key] as { const?: string } | undefined)?.const
  const propertyName = Object.keys(first!.properties).find((key) => {
    const constants = members.map(({ properties }) => constantOf(properties, key))
    return constants.every((one) => typeof one === 'string') && new Set(constants).size === constants.length
  })
  if (propertyName === undefined) return {}
  const mapping = members.map(({ name, properties }) => [constantOf(properties, propertyName), COMPONENTS + name])
  return { discriminator: { propertyName, mapping: Object.fromEntries(mapping) } }
}

/** The components that these parts of a document refer to, and those that they refer to in turn, by name. */
export function componentsOf(...parts: unknown[]): SchemaJson {
  const found = new Map<string, unknown>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, member] of Object.entries(value)) {
      if (key !== '$ref' || typeof member !== 'string') {
        visit(member)
        continue
      }
      const name = member.slice(COMPONENTS.length)
      if (found.has(name)) continue
      const component = published(names().schemas.get(name), true)
      found.set(name, component)
      visit(component)
    }
  }
  parts.forEach(visit)
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}
