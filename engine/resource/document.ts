/**
 * Finds the resources in a posted document, in all its forms.
 *
 * | form                                                         | used by                                |
 * |--------------------------------------------------------------|----------------------------------------|
 * | `{<identifier>: {type, properties, depends_on}}`             | the plain form                         |
 * | `{resources: …}` around any other form                       | existing clients                       |
 * | a list of such maps, or of resources with flat properties    | answers of GET                         |
 * | one resource with flat properties                            | an element of such an answer           |
 *
 * Owns: identifiers and places. Leaves out: the contents of a resource (shapes.ts).
 *
 * 1. Null means absent (C1.3).
 * 2. The identifier of a resource with flat properties is its title. Issues name the place where the client wrote it.
 */
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import { Issues, type DocumentPlace } from './document-issues.js'

export type Fields = Readonly<Record<string, unknown>>

/** One resource of the document. */
export interface DocumentEntry {
  readonly identifier: string
  readonly place: DocumentPlace
  /** The resource, with `properties` in all forms. */
  readonly value: unknown
  /** Place of the properties. */
  readonly inside: DocumentPlace
}

/** Identifiers are at depth 0 to 2. Deeper objects are fields, and a field must not be called `__proto__`. */
const FIELDS_DEPTH = 3

function isMap(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value without nulls. Refuses deep nesting, because this function is recursive. */
function withoutNulls(value: unknown, depth: number): unknown {
  if (depth > limits.resourceDepthMax) throw new Refusal('invalid_resources', 'the document is nested too deeply')
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const keeps = (key: string, member: unknown): boolean => {
    return member !== null && (depth < FIELDS_DEPTH || key !== '__proto__')
  }
  const members = Object.entries(value).filter(([key, member]) => keeps(key, member))
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member, depth + 1)]))
}

/** The title of a resource with flat properties; undefined for any other value. */
function flatTitle(value: unknown): string | undefined {
  if (!isMap(value) || Object.hasOwn(value, 'properties')) return undefined
  const title = value.title ?? value.name
  return typeof title === 'string' ? title : undefined
}

function entry(identifier: string, place: DocumentPlace, value: unknown): DocumentEntry {
  if (flatTitle(value) === undefined) return { identifier, place, value, inside: [...place, 'properties'] }
  const flat = value as Fields
  const type = flat.type ?? (flat.subcategory_id === undefined ? undefined : 'integration')
  return { identifier, place, value: { type, properties: flat, depends_on: flat.depends_on }, inside: place }
}

function mapEntries(map: Fields, place: DocumentPlace, issues: Issues): DocumentEntry[] {
  // Clients may put the parameter `overwrite` beside resources. A resource with that identifier is an object.
  const members = Object.entries(map).filter(([key, value]) => key !== 'overwrite' || isMap(value))
  return members.map(([identifier, value]) => {
    const at = [...place, identifier]
    // Places, messages and the answer repeat it.
    if (identifier.length > limits.nameCharsMax)
      issues.add(at, `an identifier may have at most ${limits.nameCharsMax} characters`, 'too_long')
    return entry(identifier, at, value)
  })
}

function listEntries(list: readonly unknown[], place: DocumentPlace, issues: Issues): DocumentEntry[] {
  const named = new Set<string>()
  return list.flatMap((item, index) => {
    const at = [...place, index]
    const title = flatTitle(item)
    if (title !== undefined) return [entry(title, at, item)]
    if (!isMap(item)) {
      issues.add(at, 'must be an object', 'invalid_type')
      return []
    }
    const found = mapEntries(item, at, issues)
    for (const each of found) {
      if (named.has(each.identifier)) issues.add(each.place, 'another resource has the same identifier', 'duplicate')
      named.add(each.identifier)
    }
    return found
  })
}

/** True where `resources` wraps the document, and is not the identifier of a resource. */
function wraps(document: Fields): boolean {
  const inner = document.resources
  if (!Object.hasOwn(document, 'resources')) return false
  return !isMap(inner) || typeof inner.type !== 'string' || flatTitle(inner) !== undefined
}

/**
 * The resources of a document, in its order.
 * @throws Refusal invalid_resources for a document without resources, limit_exceeded.
 */
export function documentEntries(document: unknown): DocumentEntry[] {
  const issues = new Issues()
  const entriesOf = (value: unknown, place: DocumentPlace): DocumentEntry[] => {
    if (Array.isArray(value)) return listEntries(value, place, issues)
    const title = flatTitle(value)
    if (title !== undefined) return [entry(title, place, value)]
    if (isMap(value)) return mapEntries(value, place, issues)
    issues.add(place, 'must be an object of resources, or a list of them', 'invalid_type')
    return []
  }
  const whole = withoutNulls(document, 0)
  const entries = isMap(whole) && wraps(whole) ? entriesOf(whole.resources, ['resources']) : entriesOf(whole, [])
  issues.refuse('invalid_resources')
  if (entries.length > limits.resourcesPerRequestMax) {
    throw new Refusal('limit_exceeded', `a request may have at most ${limits.resourcesPerRequestMax} resources`)
  }
  return entries
}
