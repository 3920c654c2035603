/**
 * Validates documents from clients with the published schemas (S2: 422 with places).
 *
 * Owns: JSON parsing of ordinary bodies, the rules for lenient input (C1.3).
 * Leaves out: what is wrong, in words (schema-issues.ts), events (the engine parses them), resource properties (the
 * engine's own schemas).
 *
 * 1. A field that is null at the top level counts as absent. Fields that the schema does not know are kept and ignored,
 *    but a query refuses them (Exact of schemas/common.ts).
 * 2. An empty body and a null body count as an empty object.
 * 3. A body that would take long to parse is refused: parsing runs on the HTTP thread, where all requests wait.
 * 4. Numbers are doubles. Where they are compared with those of events (COMPARED), a whole number beyond 53 bits is the
 *    text of its digits, as it is in an event (S31).
 */
import type { Static, TObject } from 'typebox'
// The checks of typebox/compile without its value conversions, so that a start loads fewer modules.
import { Compile, type Validator } from 'typebox/schema'
import {
  comparedNumber,
  hasMoreNames,
  parseJson as readJson,
  jsonSize,
  limits,
  Refusal,
  valuesMaxOf,
  WrittenNumber,
} from '../../engine/index.js'
import { issuesOf } from './schema-issues.js'

const nothing: Record<string, unknown> = {}

/** Fields of bodies whose numbers are compared with those of events. */
const COMPARED: ReadonlySet<string> = new Set(['filters', 'query_body', 'event_ids'])

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The document in a body. @throws Refusal invalid_json; invalid_body if it has more values or different names than
 * these, or is nested too deep; number_too_large.
 */
export function parseJson(
  bytes: Uint8Array,
  valuesMax: number = valuesMaxOf(limits.requestBytesMax),
  namesMax: number = limits.bodyNamesMax,
): unknown {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return text.trim() === '' ? nothing : (withPlainNumbers(documentIn(text, valuesMax, namesMax), false) ?? nothing)
}

/** The filters in the address of a request, unchecked. @throws Refusal invalid_body, number_too_large. */
export function filtersIn(text: string): unknown {
  try {
    return withPlainNumbers(documentIn(text, valuesMaxOf(limits.requestBytesMax), limits.bodyNamesMax), true)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'invalid_json') throw error
    const msg = 'Input should be a list of filters as JSON text'
    const issue = { loc: ['query', 'filters'], msg, type: 'json_type' }
    throw new Refusal('invalid_body', 'the filters are not valid JSON', { issues: [issue] })
  }
}

function documentIn(text: string, valuesMax: number, namesMax: number): unknown {
  const { values, depth } = jsonSize(text, valuesMax)
  if (values > valuesMax) throw oversized(`Input should have at most ${valuesMax} values`, 'too_many_values')
  if (hasMoreNames(text, namesMax))
    throw oversized(`Input should have at most ${namesMax} different field names`, 'too_many_names')
  let document: unknown
  try {
    document = readJson(text)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal('invalid_json', 'the body is not valid JSON')
  }
  const { bodyDepthMax } = limits
  if (depth > bodyDepthMax) throw oversized(`Input should be nested at most ${bodyDepthMax} levels deep`, 'too_deep')
  return document
}

/** The document with numbers that code computes with. It is changed where it is. */
function withPlainNumbers(value: unknown, isCompared: boolean): unknown {
  if (value instanceof WrittenNumber) return isCompared ? comparedNumber(value) : value.value
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = withPlainNumbers(value[i], isCompared)
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const inner = value[name]
      if (typeof inner !== 'object' || inner === null) continue
      const plain = withPlainNumbers(inner, isCompared || COMPARED.has(name))
      if (plain !== inner) value[name] = plain
    }
  }
  return value
}

function oversized(msg: string, type: string): Refusal {
  return new Refusal('invalid_body', msg, { issues: [{ loc: ['body'], msg, type }] })
}

/** Checks values against one schema. It is compiled at the first use, so that a start need not compile all schemas. */
export class Checker<T extends TObject> {
  #compiled: Validator<T> | null = null
  readonly #schema: T
  /** The first part of the place of an issue. */
  readonly #root: string

  constructor(schema: T, root: 'body' | 'query') {
    this.#schema = schema
    this.#root = root
  }

  /** The valid value, without null fields, but for those that take null. @throws Refusal invalid_body. */
  check(value: unknown): Static<T> {
    const lenient = isObject(value) ? withoutNulls(value, this.#schema) : value
    this.#compiled ??= Compile(this.#schema)
    if (this.#compiled.Check(lenient)) return lenient as Static<T>
    const [, errors] = this.#compiled.Errors(lenient)
    const issues = issuesOf(errors, lenient, { root: this.#root, schema: this.#schema })
    throw new Refusal('invalid_body', `the ${this.#root} does not match its schema`, { issues })
  }

  /**
   * The valid query. Booleans and numbers are accepted in the forms that clients write, and lists as repeated
   * parameters or separated by commas. @throws Refusal invalid_body.
   */
  checkQuery(query: string): Static<T> {
    const value: Record<string, unknown> = {}
    const lists = new Map<string, unknown[]>()
    for (const [name, text] of new URLSearchParams(query)) {
      if (text === '' || (Object.hasOwn(value, name) && !lists.has(name))) continue
      const { type, items } = (this.#schema.properties[name] ?? {}) as { type?: string; items?: { type?: string } }
      if (type === 'array') {
        const list = lists.get(name) ?? []
        lists.set(name, list)
        for (const item of itemsOf(text)) list.push(coerce(item, items?.type))
        Object.defineProperty(value, name, { value: list, enumerable: true, configurable: true })
        continue
      }
      Object.defineProperty(value, name, { value: coerce(text, type), enumerable: true })
    }
    return this.check(value)
  }
}

/** The items of `1,2`, `[1, 2]` or a list of texts as JSON, in which they may have commas. */
function itemsOf(text: string): string[] {
  if (/^\s*\[\s*"/.test(text)) {
    try {
      const list: unknown = JSON.parse(text)
      if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list
    } catch {
      // It is no JSON: the items are what commas part.
    }
  }
  return text
    .replace(/^\s*\[(.*)\]\s*$/, '$1')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function withoutNulls(document: Record<string, unknown>, { properties }: TObject): Record<string, unknown> {
  const isKept = (name: string): boolean => document[name] !== null || takesNull(properties[name])
  const names = Object.keys(document)
  if (names.every(isKept)) return document
  return Object.fromEntries(names.filter(isKept).map((name) => [name, document[name]]))
}

function takesNull(schema: unknown): boolean {
  const { anyOf = [] } = (schema ?? {}) as { readonly anyOf?: readonly { readonly type?: string }[] }
  return anyOf.some(({ type }) => type === 'null')
}

function coerce(text: string, type: string | undefined): unknown {
  if (type === 'boolean') return booleanOf(text) ?? text
  if (type === 'integer' && /^-?\d{1,15}(\.\d+)?$/.test(text)) return Number(text)
  if (type === 'number' && /^-?\d{1,15}(\.\d+)?(e[+-]?\d{1,2})?$/i.test(text)) return Number(text)
  return text
}

/** A boolean in the forms that clients write (`True`, `false`, `1`, `no`), or undefined. */
export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const text = String(value).toLowerCase()
  if (['true', '1', 'yes', 'on'].includes(text)) return true
  if (['false', '0', 'no', 'off'].includes(text)) return false
  return undefined
}
