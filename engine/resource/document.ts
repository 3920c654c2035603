/**
 * The document of declarative set-up: which resources it has, in whatever form it has them.
 *
 * | form                                                         | whose                                  |
 * |--------------------------------------------------------------|----------------------------------------|
 * | `{<identifier>: {type, properties, depends_on}}`             | the plain form                         |
 * | `{resources: …}` with any of the others inside               | the clients' that are there            |
 * | a list of such maps, and of resources with flat properties   | what GET answers with                  |
 * | one resource with flat properties                            | an element of that                     |
 *
 * Owns: identifiers and places. Leaves out: what a resource may say (shapes.ts).
 *
 * 1. A null means absent (C1.3).
 * 2. A resource with flat properties goes by its title, and its places say where the client wrote them.
 */
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import { Issues, type Place } from './document-issues.js'

export type Fields = Readonly<Record<string, unknown>>

/** One resource as it stands in the document. */
export interface Entry {
  readonly identifier: string
  readonly place: Place
  /** With its `properties`, wherever they stood. */
  readonly value: unknown
  /** Place of the properties. */
  readonly inside: Place
}

/** Identifiers are at depth 0 to 2; what is deeper is copied as fields, where `__proto__` would be no field. */
const FIELDS_DEPTH = 3

function isMap(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

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

/** The title of a resource with flat properties; undefined where the value is none. */
function flatTitle(value: unknown): string | undefined {
  if (!isMap(value) || Object.hasOwn(value, 'properties')) return undefined
  const title = value.title ?? value.name
  return typeof title === 'string' ? title : undefined
}

function entry(identifier: string, place: Place, value: unknown): Entry {
  if (flatTitle(value) === undefined) return { identifier, place, value, inside: [...place, 'properties'] }
  const flat = value as Fields
  const type = flat.type ?? (flat.subcategory_id === undefined ? undefined : 'integration')
  return { identifier, place, value: { type, properties: flat, depends_on: flat.depends_on }, inside: place }
}

function mapEntries(map: Fields, place: Place): Entry[] {
  // The parameter `overwrite` may stand beside resources; one of that name is an object.
  const members = Object.entries(map).filter(([key, value]) => key !== 'overwrite' || isMap(value))
  return members.map(([identifier, value]) => entry(identifier, [...place, identifier], value))
}

function listEntries(list: readonly unknown[], place: Place, issues: Issues): Entry[] {
  const named = new Set<string>()
  return list.flatMap((item, index) => {
    const at = [...place, index]
    const title = flatTitle(item)
    if (title !== undefined) return [entry(title, at, item)]
    if (!isMap(item)) {
      issues.add(at, 'must be an object', 'invalid_type')
      return []
    }
    const found = mapEntries(item, at)
    for (const each of found) {
      if (named.has(each.identifier)) issues.add(each.place, 'this identifier is there twice', 'duplicate')
      named.add(each.identifier)
    }
    return found
  })
}

/** `resources` may also be the identifier of a resource. */
function wraps(document: Fields): boolean {
  const inner = document.resources
  if (!Object.hasOwn(document, 'resources')) return false
  return !isMap(inner) || typeof inner.type !== 'string' || flatTitle(inner) !== undefined
}

/**
 * The resources of a document, in its order.
 * @throws Refusal invalid_resources for what has no resources in it, limit_exceeded.
 */
export function documentEntries(document: unknown): Entry[] {
  const issues = new Issues()
  const entriesOf = (value: unknown, place: Place): Entry[] => {
    if (Array.isArray(value)) return listEntries(value, place, issues)
    const title = flatTitle(value)
    if (title !== undefined) return [entry(title, place, value)]
    if (isMap(value)) return mapEntries(value, place)
    issues.add(place, 'must be an object of resources, or a list of them', 'invalid_type')
    return []
  }
  const whole = withoutNulls(document, 0)
  const entries = isMap(whole) && wraps(whole) ? entriesOf(whole.resources, ['resources']) : entriesOf(whole, [])
  issues.refuse('invalid_resources')
  if (entries.length > limits.resourcesPerRequestMax) {
    throw new Refusal('limit_exceeded', `a request has at most ${limits.resourcesPerRequestMax} resources`)
  }
  return entries
}
