/**
 * The OpenAPI document without unions of one value and a list, for generators that cannot express them (OpenAPI
 * Generator for Java). The API takes both forms; this document has one of them.
 *
 * 1. A union with a list becomes the list, or the first named type where there is one. One that may also be null
 *    becomes any JSON, and so does a union with any JSON.
 */
import type { SchemaJson } from './openapi-components.js'

interface Schema {
  readonly anyOf?: readonly Schema[]
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
}

function oneForm({ anyOf = [], description }: Schema): unknown {
  const said = description === undefined ? {} : { description }
  if (anyOf.some((member) => member.type === 'null' || isAny(member))) return said
  const named = anyOf.find(({ $ref }) => $ref !== undefined)
  return { ...simplified(named ?? anyOf.find(({ type }) => type === 'array')), ...said }
}

function isAny(schema: Schema): boolean {
  return !['$ref', 'type', 'anyOf', 'enum', 'const'].some((key) => key in schema)
}

function isTooMuch({ anyOf = [] }: Schema): boolean {
  if (anyOf.some(isAny)) return true
  const members = anyOf.filter(({ type }) => type !== 'null')
  return members.length > 1 && members.some(({ type }) => type === 'array')
}

function simplified(value: unknown): SchemaJson {
  return simple(value) as SchemaJson
}

function simple(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simple)
  if (typeof value !== 'object' || value === null) return value
  if (isTooMuch(value)) return oneForm(value)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, simple(one)]))
}

/** Examples are as the API takes them; they could have the other form. */
function withoutExamples(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExamples)
  if (typeof value !== 'object' || value === null) return value
  const isMedia = 'schema' in value && 'example' in value
  const entries = Object.entries(value).filter(([key]) => !isMedia || key !== 'example')
  return Object.fromEntries(entries.map(([key, one]) => [key, withoutExamples(one)]))
}

/** The document in its simple form. */
export function simpleDocument(document: SchemaJson): SchemaJson {
  return withoutExamples(simple(JSON.parse(JSON.stringify(document)))) as SchemaJson
}
