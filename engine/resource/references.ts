/**
 * References: how a resource names another one in the document or in the store.
 *
 * Owns: the expressions `{{api_keys(name='…')}}`, `{{integrations(title='…')}}`, `{{integrations(internal_id=N)}}`, and
 * plain names: an identifier in the document, else a stored title. Leaves out: the order that follows (order.ts).
 *
 * 1. The document takes precedence over the store (CONTRACT.md#resources): an integration in the request hides a stored
 *    one with the same title.
 * 2. No message repeats a plain name in the place of a key: it may be the key itself.
 * 3. In a quoted value a backslash escapes `'`, `"` and `\`, and nothing else.
 */
import { shownName, type Issues, type DocumentPlace } from './document-issues.js'
import type { ResourceInput } from './shapes.js'
import type { ResourceState } from './state.js'

type ReferableType = 'api_key' | 'integration'

const tables: Readonly<Record<string, ReferableType>> = { api_keys: 'api_key', integrations: 'integration' }
const call = /^\{\{\s*(api_keys|integrations)\s*\((.*)\)\s*\}\}$/s
const argument = /^\s*(name|title|internal_id)\s*=\s*(?:'(.*)'|"(.*)"|(\w+))\s*$/s

interface Expression {
  readonly type: ReferableType
  readonly byId: boolean
  readonly value: string
}

/** Parses an expression: null for a plain name, 'malformed' for a broken expression. */
export function parseReference(text: string): Expression | 'malformed' | null {
  const trimmed = text.trim()
  if (!trimmed.startsWith('{{')) return null
  const [, table, inner = ''] = call.exec(trimmed) ?? []
  const match = argument.exec(inner)
  if (table === undefined || match === null) return 'malformed'
  const [, attribute, single, double, bare] = match
  const quoted = single ?? double
  const value = quoted === undefined ? (bare as string) : quoted.replaceAll(/\\(['"\\])/g, '$1')
  return { type: tables[table] as ReferableType, byId: attribute === 'internal_id', value }
}

/** The expression for an integration's title or a key's name. */
export function writeReference(type: ReferableType, title: string): string {
  const value = title.replaceAll(/['"\\]/g, '\\$&')
  return type === 'api_key' ? `{{api_keys(name='${value}')}}` : `{{integrations(title='${value}')}}`
}

export class References {
  readonly #state: ResourceState
  readonly #byIdentifier = new Map<string, ResourceInput>()
  readonly #byTitle = new Map<string, ResourceInput>()

  constructor(inputs: readonly ResourceInput[], state: ResourceState) {
    this.#state = state
    for (const input of inputs) {
      this.#byIdentifier.set(input.identifier, input)
      this.#byTitle.set(`${input.type} ${input.properties.title}`, input)
    }
  }

  /** The title (for a key, the name) of what `text` names, or null where it does not exist. */
  resolve(type: ReferableType, text: string): string | null {
    const expression = parseReference(text)
    if (expression === 'malformed') return null
    if (expression !== null) {
      if (expression.type !== type) return null
      return expression.byId ? this.#titleOfId(type, expression.value) : this.#existing(type, expression.value)
    }
    const named = this.#byIdentifier.get(text)
    return named?.type === type ? named.properties.title : this.#existing(type, text)
  }

  #existing(type: ReferableType, title: string): string | null {
    const stored = type === 'api_key' ? this.#state.apiKeys.has(title) : this.#state.integrationsByTitle.has(title)
    return stored || this.#byTitle.has(`${type} ${title}`) ? title : null
  }

  #titleOfId(type: ReferableType, id: string): string | null {
    if (type === 'integration') return this.#state.integrations.get(Number(id))?.title ?? null
    for (const key of this.#state.apiKeys.values()) if (key.id === id) return key.name
    return null
  }

  /** The resources of the document that must come before this one. Reports names of what does not exist. */
  dependencies(input: ResourceInput, issues: Issues): ResourceInput[] {
    const found: ResourceInput[] = []
    const refer = (type: ReferableType, text: string, place: DocumentPlace): void => {
      const title = this.resolve(type, text)
      const target = title === null ? undefined : this.#byTitle.get(`${type} ${title}`)
      if (target !== undefined) found.push(target)
      if (title !== null) return
      const what = parseReference(text) === 'malformed' ? 'is not a reference' : `names no ${type} that exists`
      const shown = type === 'api_key' && parseReference(text) === null ? 'the value' : `"${shownName(text)}"`
      issues.add([...input.inside, ...place], `${shown} ${what}`, 'unresolved_reference')
    }
    for (const [index, identifier] of (input.depends_on ?? []).entries()) {
      const target = this.#byIdentifier.get(identifier)
      if (target !== undefined) found.push(target)
      else {
        const msg = `"${shownName(identifier)}" is not in this request`
        issues.add([...input.place, 'depends_on', index], msg, 'unresolved_reference')
      }
    }
    if (input.type === 'job') {
      for (const [index, { resource }] of input.properties.pipeline.entries()) {
        refer('integration', resource, ['pipeline_integrations', index, 'resource'])
      }
    }
    if (input.type === 'integration') {
      const { title, kind, parameters } = input.properties
      for (const { name, type } of this.#state.kinds.connectionOf(
        kind,
        this.#state.integrationsByTitle.get(title)?.kind,
      )) {
        const text = Object.hasOwn(parameters, name) ? parameters[name] : null
        if (type === 'api_key' && typeof text === 'string') refer('api_key', text, ['parameters', name])
      }
    }
    return found
  }
}
