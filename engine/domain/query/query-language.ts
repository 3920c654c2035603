/**
 * The query language of the service: a text as one condition (query-text.ts has its grammar).
 *
 * Owns: what names and values of a query mean. Leaves out: reading the text, the conditions themselves.
 *
 * 1. A name without quotes is a short name of the service's own field, or a column of an answer, or a path. In quotes
 *    it is a field as filters name it.
 * 2. A value is equal as in filters: case counts, `4625` is `"4625"`. With `*` and `?` the whole value must fit. A text
 *    without a field is somewhere in the title or in a value of the event; case does not count.
 * 3. A label that no job of the query has, a number, a state or a yes and no that is none is refused with its column.
 *    A label may be written in any case, and by its id.
 */
import { limits } from '../../limits.js'
import type { Label } from '../job/job.js'
import { resolveLabel } from '../job/labels.js'
import { between, isOneOf, type BoundName } from './comparison.js'
import { allOf, anyOf, asChoice, everything, not, withKey, type Condition, type Test } from './condition.js'
import { ownFields, type Field, type FieldSet, type OwnName } from './field.js'
import { instantText, type DateContext } from './instant.js'
import {
  isBeginning,
  isMe,
  parseQuery,
  QueryMistake,
  serviceDialect,
  shortNames,
  valueText,
  type QueryBound,
  type QueryLeaf,
  type QueryName,
  type QueryNode,
  type QueryValue,
} from './query-text.js'
import { numberOf } from './scalar.js'
import { TextBudget } from './text-budget.js'
import { patternTest } from './text-match.js'

/** What a query is compiled for. */
export interface QueryTerms extends DateContext {
  /** The labels of each job that is searched; absent: labels are not checked. */
  readonly labels?: readonly (readonly Label[])[]
  /** Absent: time is bounded by the lengths of pattern and text. */
  readonly textBudget?: TextBudget
}

/** Refuses the query, with its column in the message. */
export type QueryRefusal = (message: string, type: 'query_syntax' | 'query_too_large') => never

/** The condition of a query. */
export function compileQuery(text: string, fields: FieldSet, terms: QueryTerms, refuse: QueryRefusal): Condition {
  if (text.length > limits.queryTextMax)
    return refuse(`a query has at most ${limits.queryTextMax} characters`, 'query_too_large')
  try {
    return new Compiler(fields, terms).compile(parseQuery(text, dialect))
  } catch (error) {
    if (!(error instanceof QueryMistake)) throw error
    return refuse(error.shown(text), error.type === 'too_large' ? 'query_too_large' : 'query_syntax')
  }
}

const dialect = { ...serviceDialect, clausesMax: limits.queryClausesMax, depthMax: limits.queryDepthMax }

/** A name in a query. */
export interface NameInQuery {
  readonly name: string
  /** It is a field of the service, not a path of events. */
  readonly isOwn: boolean
}

/** The names of a query, each once. A query that cannot be read has none. */
export function namesOfQuery(text: string): readonly NameInQuery[] {
  const names = new Map<string, boolean>()
  for (const { name } of leavesOf(text)) if (name !== null && name.text !== '*') names.set(name.text, isOwnName(name))
  return [...names].map(([name, isOwn]) => ({ name, isOwn }))
}

function isOwnName({ text, isQuoted }: QueryName): boolean {
  return !isQuoted && (Object.hasOwn(shortNames, text) || Object.hasOwn(ownFields, text))
}

/** The conditions of a query. A query that cannot be read has none. */
function leavesOf(text: string): readonly QueryLeaf[] {
  const leaves: QueryLeaf[] = []
  const walk = (node: QueryNode): void => {
    if (node.kind === 'not') walk(node.part)
    else if ('parts' in node) node.parts.forEach(walk)
    else leaves.push(node)
  }
  try {
    walk(parseQuery(text, dialect))
  } catch (error) {
    if (!(error instanceof QueryMistake)) throw error
  }
  return leaves
}

/** The query with the name of who asks in place of `me`, where it stands for a person. */
export function withOwnName(text: string, asker: string): string {
  if (!/\bme\b/.test(text)) return text
  const places = leavesOf(text).flatMap((leaf) =>
    leaf.kind === 'match' && isMe(leaf.name, leaf.value) ? [leaf.value] : [],
  )
  const name = asker === 'me' ? '"me"' : valueText(asker)
  return places.reduceRight((whole, { from, to }) => whole.slice(0, from) + name + whole.slice(to), text)
}

const states: Readonly<Partial<Record<OwnName, readonly string[]>>> = {
  bucket_state: ['new', 'pending', 'in_knowledge_base', 'retrain'],
  knowledge_base_state: ['new', 'pending', 'in_knowledge_base', 'retrain'],
  autonomy: ['settled', 'review'],
}
const ofLabels: ReadonlySet<OwnName> = new Set(['result_label', 'consensus', 'voted'])

class Compiler {
  readonly #fields: FieldSet
  readonly #terms: QueryTerms
  readonly #textBudget: TextBudget

  constructor(fields: FieldSet, terms: QueryTerms) {
    this.#fields = fields
    this.#terms = terms
    this.#textBudget = terms.textBudget ?? new TextBudget(() => {})
  }

  compile(node: QueryNode): Condition {
    switch (node.kind) {
      case 'and':
        return allOf(node.parts.map((part) => this.compile(part)))
      case 'or':
        return this.#oneOf(node.parts) ?? anyOf(node.parts.map((part) => this.compile(part)))
      case 'not':
        return not(this.compile(node.part))
      default:
        return this.#leaf(node)
    }
  }

  /** Values of one field as one test: a list of hundreds is looked up, not tried. */
  #oneOf(parts: readonly QueryNode[]): Condition | null {
    const [first] = parts
    if (first?.kind !== 'match' || first.name === null) return null
    const { name } = first
    const values: QueryValue[] = []
    for (const part of parts) {
      if (part.kind !== 'match' || part.value.pattern !== null || part.name?.text !== name.text) return null
      if (part.name.isQuoted !== name.isQuoted) return null
      values.push(part.value)
    }
    const key = JSON.stringify(['of', keyOfName(name), values.map(({ text }) => text)])
    return withKey(this.#equal(this.#field(name), name, values), key)
  }

  #leaf(leaf: QueryLeaf): Condition {
    const condition = this.#meant(leaf)
    const key = keyOfLeaf(leaf)
    return key === null ? condition : withKey(condition, key)
  }

  #meant(leaf: QueryLeaf): Condition {
    const { name } = leaf
    if (name === null) return leaf.kind === 'match' ? this.#anywhere(leaf.value) : everything
    const field = this.#field(name)
    if (leaf.kind === 'has') return { kind: 'has', field }
    if (leaf.kind === 'range') return this.#range(field, name, leaf)
    const { pattern } = leaf.value
    if (pattern === null) return this.#equal(field, name, [leaf.value])
    const condition = textLike(field, this.#like(leaf.value))
    return isBeginning(pattern) ? asChoice(condition) : condition
  }

  #field(name: QueryName): Field {
    const { text, isQuoted } = name
    if (isQuoted) return this.#fields.field(text)
    if (text === '*') return this.#fields.wholeBody()
    const own = Object.hasOwn(shortNames, text) ? (shortNames[text] as OwnName) : null
    if (own !== null) return this.#fields.own(own)
    return Object.hasOwn(ownFields, text) ? this.#fields.column(text) : this.#fields.field(text)
  }

  #equal(field: Field, name: QueryName, values: readonly QueryValue[]): Condition {
    const own = ownOf(field)
    const wanted = values.flatMap((value) => (own === null ? [value.text] : this.#checked(own, name, value)))
    return isOneOf(field, wanted, this.#terms, (_, message) => this.#refuse(values[0] as QueryValue, message))
  }

  /** The values of an own field that a text means. */
  #checked(own: OwnName, name: QueryName, value: QueryValue): readonly string[] {
    const { text } = value
    if (isMe(name, value)) return this.#refuse(value, 'it is not known here who "me" is; write the name')
    if (ofLabels.has(own) && text !== '') return this.#labels(own, name, value)
    const type = typeOf(own)
    if (type === 'number' && numberOf(text) === null) return this.#refuse(value, `${name.text} is a number`)
    if (type === 'boolean' && text !== 'true' && text !== 'false')
      return this.#refuse(value, `${name.text} is true or false`)
    const known = states[own]
    if (known === undefined || known.includes(text)) return [text]
    return this.#refuse(value, `${name.text} is one of ${known.join(', ')}${orField(name)}`)
  }

  #labels(own: OwnName, name: QueryName, value: QueryValue): readonly string[] {
    const { labels } = this.#terms
    const { text } = value
    if (labels === undefined) return [text]
    if (own === 'consensus' && /^undecided$/i.test(text)) return ['Undecided']
    const found = labels.flatMap((ofJob) => {
      const place = resolveLabel(ofJob, text)
      return place === null ? [] : [(ofJob[place] as Label).name]
    })
    if (found.length > 0) return [...new Set(found)]
    const known = [...new Set(labels.flat().map((label) => label.name))].slice(0, 12)
    return this.#refuse(value, `there is no label ${text}; there is ${known.join(', ')}${orField(name)}`)
  }

  #range(field: Field, name: QueryName, { lower, upper }: QueryLeaf & { readonly kind: 'range' }): Condition {
    const own = ownOf(field)
    const isOrdered = own === null || typeOf(own) !== 'text' || ownFields[own as keyof typeof ownFields] === 'date'
    const bounds: Partial<Record<BoundName, string>> = {}
    const take = (bound: QueryBound | null, open: BoundName, closed: BoundName): void => {
      if (bound === null) return
      const { value } = bound
      if (!isOrdered) this.#refuse(value, `${name.text} has no order; write ${name.text}:value${orField(name)}`)
      if (own !== null && typeOf(own) === 'number' && numberOf(value.text) === null)
        this.#refuse(value, `${name.text} is a number${orField(name)}`)
      bounds[bound.isIncluded ? closed : open] = value.text
    }
    take(lower, 'gt', 'gte')
    take(upper, 'lt', 'lte')
    const place = (lower ?? upper)?.value
    if (place === undefined) return { kind: 'has', field }
    const condition = between(field, bounds, this.#terms, (_, message) => this.#refuse(place, message))
    // Facets count the confidence by such ranges.
    return own === 'confidence_score' && lower !== null && upper !== null ? asChoice(condition) : condition
  }

  /** A text anywhere in the event: in its title, or in one of its values. */
  #anywhere(value: QueryValue): Condition {
    const wanted = value.text.toLowerCase()
    const like = value.pattern === null ? null : patternTest(`*${value.pattern}*`, true, this.#textBudget)
    const test = like ?? ((text: string): boolean => text.toLowerCase().includes(wanted))
    const mayBeNumber = like !== null || OF_NUMBERS.test(wanted)
    const key = JSON.stringify(['in', value.pattern, value.text])
    return anyOf(
      [this.#fields.own('title'), this.#fields.wholeBody()].map((field) =>
        withKey(textLike(field, test, mayBeNumber), key),
      ),
    )
  }

  #like({ pattern }: QueryValue): (text: string) => boolean {
    return likeTest(pattern as string, this.#textBudget)
  }

  #refuse({ from }: QueryValue, message: string): never {
    throw new QueryMistake(message, from)
  }
}

function keyOfName(name: QueryName | null): string | null {
  return name === null ? null : `${name.isQuoted ? 'quoted ' : ''}${name.text}`
}

/** Equal for conditions that always pass the same events; null where one is about the present time. */
function keyOfLeaf(leaf: QueryLeaf): string | null {
  const name = keyOfName(leaf.name)
  if (leaf.kind === 'has') return JSON.stringify(['has', name])
  if (leaf.kind === 'match') return JSON.stringify(['is', name, leaf.value.pattern, leaf.value.text])
  const bounds = [leaf.lower, leaf.upper].map((bound) => (bound === null ? null : [bound.isIncluded, bound.value.text]))
  const isFixed = [leaf.lower, leaf.upper].every((bound) => bound === null || isFixedTime(bound.value.text))
  return isFixed ? JSON.stringify(['in', name, bounds]) : null
}

/** False for a text that means another time tomorrow. */
function isFixedTime(text: string): boolean {
  return !text.startsWith('now') && !text.includes('||')
}

/** The own field that a field means where the event has none of that name. */
function ownOf(field: Field): OwnName | null {
  if (field.kind === 'own') return field.own
  return field.kind === 'body' && field.own !== null && !isExtra(field.own) ? field.own : null
}

/** The sender's own words about an event: any text may be there. */
function isExtra(own: OwnName): boolean {
  return own === 'title' || own === 'severity' || own === 'storage_tag' || own === 'event_id' || own === 'job_title'
}

function typeOf(own: OwnName): 'number' | 'boolean' | 'text' {
  const type = ownFields[own as keyof typeof ownFields] as string | undefined
  if (type === 'double' || type === 'long') return 'number'
  return type === 'boolean' ? 'boolean' : 'text'
}

function orField({ text, isQuoted }: QueryName): string {
  return isQuoted ? '' : `. The field of the event is written "${text}"`
}

/** Every part of a number's text, in small letters, is of these characters. */
const OF_NUMBERS = /^[-+.\de]*$/

/** An event whose field has a value whose text passes. Without `mayBeNumber`, no number does. */
function textLike(field: Field, test: (text: string) => boolean, mayBeNumber = true): Condition {
  const ofValue: Test =
    field.kind === 'time'
      ? (value) => test(instantText(value as number))
      : (value) => (typeof value === 'number' ? mayBeNumber && test(String(value)) : test(String(value)))
  return { kind: 'some', field, test: ofValue }
}

/** A test for texts that fit a pattern as a whole. Without `?` the parts between the stars are looked for in order. */
function likeTest(pattern: string, textBudget: TextBudget): (text: string) => boolean {
  const plain = pattern.replace(/\\(.)/gs, (_, one: string) => (one === '*' || one === '?' ? '\0' : one))
  if (plain.includes('?') || plain.includes('\0') || pattern.includes('\0'))
    return patternTest(pattern, false, textBudget)
  const parts = plain.split('*')
  const [first, last] = [parts[0] as string, parts.at(-1) as string]
  const middle = parts.slice(1, -1).filter((part) => part !== '')
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
    let at = first.length
    for (const part of middle) {
      const found = text.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    return at + last.length <= text.length
  }
}
