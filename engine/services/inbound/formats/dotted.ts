/**
 * Fields with dots in their names, as nested objects: in documents of Elasticsearch both are the same field.
 *
 * A name stays as it is where it cannot be nested: where a shorter name has a value that is no object, or where a part
 * of it is empty.
 */
import { isObject, type DocumentJson } from './format.js'

type Nested = Record<string, unknown>

/** Nesting of names in one field name. */
const PARTS_MAX = 32

export function nested(document: DocumentJson): DocumentJson {
  const result: Nested = {}
  // Whole names first, so that a name with dots is put into an object that is there.
  const entries = Object.entries(document).sort(([a], [b]) => Number(a.includes('.')) - Number(b.includes('.')))
  for (const [name, value] of entries) put(result, name, isObject(value) ? nested(value) : value)
  return result
}

function put(into: Nested, name: string, value: unknown): void {
  const parts = name.split('.')
  if (parts.length > PARTS_MAX || parts.some((part) => part === '' || part === '__proto__'))
    return set(into, name, value)
  let place = into
  for (const [depth, part] of parts.slice(0, -1).entries()) {
    const there = Object.hasOwn(place, part) ? place[part] : undefined
    if (there !== undefined && !isObject(there)) return set(into, name, value)
    if (there === undefined && depth < parts.length - 1) set(place, part, {})
    place = place[part] as Nested
  }
  const last = parts.at(-1)!
  const there = Object.hasOwn(place, last) ? place[last] : undefined
  if (there === undefined) set(place, last, value)
  else if (isObject(there) && isObject(value))
    for (const [inner, one] of Object.entries(value)) put(there as Nested, inner, one)
  else set(into, name, value)
}

/** Also for names that mean something to objects. */
function set(into: Nested, name: string, value: unknown): void {
  Object.defineProperty(into, name, { value, writable: true, enumerable: true, configurable: true })
}
