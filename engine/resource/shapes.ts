/**
 * The document of declarative set-up: what a person may write, as far as one resource alone can tell.
 *
 * Owns: the shape of `{resources: {<identifier>: {type, properties, depends_on}}}` or of the bare map. Leaves out: what
 * needs other resources or the catalog (references.ts, plan.ts).
 *
 * 1. A null means absent; a field that is not known is ignored (existing-clients.md 1.3).
 * 2. A fault names its place from the top of the document, and all faults are told at once.
 */
import { z } from 'zod'
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import { Issues, type Place } from './issues.js'
import { jobProperties, map, name } from './job-shapes.js'

const integrationProperties = z
  .object({ title: name, integration_type: z.string().max(limits.nameCharsMax).optional(), parameters: map.optional() })
  .transform((all) => ({ title: all.title, kind: all.integration_type, parameters: all.parameters ?? {} }))

const apiKeyProperties = z.object({ name }).transform((all) => ({ title: all.name }))

const dependencies = z.array(z.string()).max(limits.resourcesPerRequestMax).optional()

const resource = z.discriminatedUnion('type', [
  z.object({ type: z.literal('api_key'), properties: apiKeyProperties, depends_on: dependencies }),
  z.object({ type: z.literal('integration'), properties: integrationProperties, depends_on: dependencies }),
  z.object({ type: z.literal('job'), properties: jobProperties, depends_on: dependencies }),
], { error: (issue) => (issue.code === 'invalid_union' ? 'must be api_key, integration or job' : undefined) })

/** One resource of a request: what it says, where it stands. `properties.title` is the key's name for an api key. */
export type ResourceInput = z.output<typeof resource> & { readonly identifier: string; readonly place: Place }
export type ResourceInputOf<T extends ResourceInput['type']> = Extract<ResourceInput, { type: T }>

/** Identifiers are at depth 0 or 1; what is deeper is copied as fields, where `__proto__` would be no field. */
const FIELDS_DEPTH = 2

/** The value without its nulls; refuses what is nested too deep to be walked. */
function withoutNulls(value: unknown, depth: number): unknown {
  if (depth > limits.resourceDepthMax) throw new Refusal('invalid_resources', 'the document is nested too deep')
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const keeps = (key: string, member: unknown): boolean => {
    return member !== null && (depth < FIELDS_DEPTH || key !== '__proto__')
  }
  const members = Object.entries(value).filter(([key, member]) => keeps(key, member))
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member, depth + 1)]))
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The map of resources and its place; `resources` may also be the identifier of one. */
function resourceMap(document: unknown): [Readonly<Record<string, unknown>>, Place] {
  const issues = new Issues()
  if (!isMap(document)) issues.add([], 'the document must be an object of resources', 'invalid_type')
  issues.refuse('invalid_resources')
  const whole = document as Readonly<Record<string, unknown>>
  const inner = Object.hasOwn(whole, 'resources') ? whole['resources'] : undefined
  if (inner === undefined || (isMap(inner) && typeof inner['type'] === 'string')) return [whole, []]
  if (!isMap(inner)) issues.add(['resources'], 'must be an object of resources', 'invalid_type')
  issues.refuse('invalid_resources')
  return [inner as Readonly<Record<string, unknown>>, ['resources']]
}

/**
 * The resources of a document, in its order.
 * @throws Refusal invalid_resources, limit_exceeded.
 */
export function parseDocument(document: unknown): ResourceInput[] {
  const [resources, top] = resourceMap(withoutNulls(document, 0))
  const entries = Object.entries(resources).filter(([key, value]) => key !== 'overwrite' || isMap(value))
  if (entries.length > limits.resourcesPerRequestMax) {
    throw new Refusal('limit_exceeded', `a request has at most ${limits.resourcesPerRequestMax} resources`)
  }
  const issues = new Issues()
  const inputs: ResourceInput[] = []
  for (const [identifier, value] of entries) {
    const place = [...top, identifier]
    const result = resource.safeParse(value)
    if (result.success) inputs.push({ ...result.data, identifier, place })
    else for (const { path, message, code } of result.error.issues) {
      issues.add([...place, ...path.filter((part) => typeof part !== 'symbol')], message, code)
    }
  }
  issues.refuse('invalid_resources')
  return inputs
}
