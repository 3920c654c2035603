/**
 * Finds properties of a resource in a document that nothing reads (CONTRACT.md#resources).
 *
 * Owns: which properties are known, and the warnings. Leaves out: parameters of integrations (plan.ts and job-plan.ts
 * know their names), checks of known properties (shapes.ts).
 *
 * 1. The known properties are those of the shapes that check a document, and those that GET shows.
 * 2. Existing clients send known properties only (C3.7).
 */
import { z } from 'zod'
import type { Warning } from '../api/warning.js'
import { shownName, type DocumentPlace } from './document-issues.js'
import { nearestName } from './nearest-name.js'

type Schema = z.core.JSONSchema.JSONSchema

/** Properties that GET shows and POST ignores: what is shown can be posted back. */
const shown: Readonly<Record<string, readonly string[]>> = {
  api_key: ['id', 'type', 'title', 'key_type', 'created_at', 'depends_on'],
  integration: ['id', 'type', 'built_in', 'created_at', 'depends_on'],
  job: ['id', 'type', 'status', 'created_at', 'depends_on', 'warnings'],
}

/** Warnings of one document that are shown. */
const WARNINGS_MAX = 100

/** The warning of a property that nothing reads. `paths`: the known ones around it. */
export function unknownProperty(place: DocumentPlace, name: string, paths: readonly string[]): Warning {
  const nearest = nearestName(name, paths)
  const shownAs = shownName(name)
  return {
    type: 'unknown_property',
    place: [...place, shownAs],
    message: `\`${shownAs}\` is not known and has no effect.`,
    action: nearest === null ? 'Remove it.' : `Use \`${nearest}\`.`,
  }
}

/** Warnings of parameters that an integration, or a step, does not have. */
export function unknownParameters(
  place: DocumentPlace,
  given: Readonly<Record<string, unknown>>,
  specs: readonly { readonly name: string }[],
): Warning[] {
  const names = specs.map(({ name }) => name)
  return Object.keys(given)
    .filter((name) => !names.includes(name))
    .slice(0, WARNINGS_MAX)
    .map((name) => unknownProperty(place, name, names))
}

function fieldsOf({ properties = {} }: Schema): Readonly<Record<string, Schema>> {
  return properties as Record<string, Schema>
}

/** Paths of all properties, through objects and not through lists. */
function pathsOf(schema: Schema, prefix = ''): string[] {
  return Object.entries(fieldsOf(schema)).flatMap(([name, inner]) => [
    prefix + name,
    ...pathsOf(inner, `${prefix}${name}.`),
  ])
}

/** The known properties of one type of resource. */
export class KnownProperties {
  readonly #properties: z.ZodType
  readonly #shown: readonly string[]
  /** Made at the first use, so that a start need not make it. */
  #known: { readonly schema: Schema; readonly paths: readonly string[] } | null = null

  constructor(type: keyof typeof shown, properties: z.ZodType) {
    this.#properties = properties
    this.#shown = shown[type] ?? []
  }

  #read(): { readonly schema: Schema; readonly paths: readonly string[] } {
    const schema = z.toJSONSchema(this.#properties, { io: 'input' })
    return { schema, paths: pathsOf(schema) }
  }

  /** Warnings of the resource, with `value.properties` at `inside` and the rest at `place`. */
  warnings(value: unknown, place: DocumentPlace, inside: DocumentPlace): Warning[] {
    const { schema, paths: known } = (this.#known ??= this.#read())
    const resource = value as Readonly<Record<string, unknown>>
    const beside = ['type', 'properties', 'depends_on']
    const paths = [...beside, ...known.map((path) => `properties.${path}`)]
    const found = Object.keys(resource)
      .filter((name) => !beside.includes(name))
      .map((name) => unknownProperty(place, name, paths))
    walk(resource.properties, schema, inside, (at, name, near) => {
      const isShown = at.length === inside.length && this.#shown.includes(name)
      if (!isShown) found.push(unknownProperty(at, name, at.length === inside.length ? known : [...near, ...known]))
    })
    return found.slice(0, WARNINGS_MAX)
  }
}

/** Calls `unknown` with each unknown property, and with the known ones beside it. */
function walk(
  value: unknown,
  schema: Schema,
  at: DocumentPlace,
  unknown: (at: DocumentPlace, name: string, near: string[]) => void,
): void {
  if (Array.isArray(value)) {
    const { items } = schema
    if (typeof items !== 'object' || Array.isArray(items)) return
    for (const [index, item] of value.entries()) walk(item, items, [...at, index], unknown)
    return
  }
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return
  const fields = fieldsOf(schema)
  for (const [name, inner] of Object.entries(value)) {
    const known = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (known === undefined) unknown(at, name, Object.keys(fields))
    else walk(inner, known, [...at, name], unknown)
  }
}
