/**
 * The query of the page of events: conditions that are put into it and taken out by hand. The language is the
 * service's (engine/domain/query/query-text.ts).
 *
 * 1. Values that are chosen of one field are one condition: any of them fits. Conditions of several fields must all
 *    hold.
 * 2. What the person typed stays as it is, but for the condition that changes.
 */
import {
  conditionText,
  isBeginning,
  isMe,
  nameText,
  parseQuery,
  quotedText,
  QueryMistake,
  shortNames,
  valueText,
  type QueryLeaf,
  type QueryName,
  type QueryNode,
} from '../../../../engine/domain/query/query-text.js'

/** A value as a condition has it behind the colon; null: the field has none. */
export type Choice = string | null

/** What is wrong with a query, with its column; null: it can be read. */
export function mistakeIn(query: string): string | null {
  try {
    parseQuery(query)
    return null
  } catch (error) {
    if (error instanceof QueryMistake) return error.shown(query)
    throw error
  }
}

/** The parts of a query that must all hold. A query that cannot be read is one part. */
function partsOf(query: string): readonly QueryNode[] {
  const flat = (node: QueryNode): readonly QueryNode[] => {
    if (node.kind !== 'and') return [node]
    // In brackets it is one part, as it was typed.
    const isBracketed = node.parts[0] !== undefined && node.parts[0].from > node.from
    return isBracketed ? [node] : node.parts.flatMap(flat)
  }
  return flat(parseQuery(query))
}

function textOf(query: string, { from, to }: QueryNode): string {
  return query.slice(from, to)
}

/** The parts as text, so that they can stand beside others. */
function asParts(query: string): string[] {
  if (mistakeIn(query) !== null) return [query]
  return partsOf(query).map((part) => {
    const text = textOf(query, part)
    const isOpen = part.kind === 'or' && part.parts[0]?.from === part.from && !isOneField(part)
    return isOpen ? `(${text})` : text
  })
}

/** True for values of one field, such as `a:1,2`. */
function isOneField(node: QueryNode): boolean {
  if (node.kind !== 'or') return false
  const [first] = node.parts
  return node.parts.every((part) => 'name' in part && part.name !== null && part.name === (first as QueryLeaf).name)
}

/** The conditions of a query, as they were typed. */
export function conditionsOf(query: string): readonly string[] {
  return asParts(query)
}

/** The query without its condition number `at`. */
export function without(query: string, at: number): string {
  return asParts(query)
    .filter((_, place) => place !== at)
    .join(' ')
}

/** A value as a choice. `isCut`: it is the beginning of the value. Without quotes `me` is who asks. */
export function choiceOf(value: string, isCut = false): string {
  if (isCut) return `${quotedText(value).slice(0, -1)}*"`
  return value === 'me' ? quotedText(value) : valueText(value)
}

/** The field that a name means, as filters name it. */
function fieldOf({ text, isQuoted }: QueryName, service: string): string {
  return !isQuoted && Object.hasOwn(shortNames, text) ? `${service}.${shortNames[text]}` : text
}

function choiceIn(query: string, leaf: QueryLeaf): string | undefined {
  if (leaf.kind === 'range') return /[[{].*$/s.exec(textOf(query, leaf))?.[0]
  if (leaf.kind !== 'match') return undefined
  const { pattern, text } = leaf.value
  if (pattern === null) return isMe(leaf.name, leaf.value) ? text : choiceOf(text)
  return isBeginning(pattern) ? choiceOf(text.slice(0, -1), true) : undefined
}

/** The choices of a part; null: it is not about values of this field alone. */
function choicesIn(query: string, node: QueryNode, field: string, service: string): readonly Choice[] | null {
  const isOfField = (name: QueryName | null): boolean => name !== null && fieldOf(name, service) === field
  switch (node.kind) {
    case 'or': {
      const parts = node.parts.map((part) => choicesIn(query, part, field, service))
      return parts.includes(null) ? null : (parts as Choice[][]).flat()
    }
    case 'not':
      return node.part.kind === 'has' && isOfField(node.part.name) ? [null] : null
    case 'and':
    case 'has':
      return null
    default: {
      const choice = isOfField(node.name) ? choiceIn(query, node) : undefined
      return choice === undefined ? null : [choice]
    }
  }
}

function placeOfChoices(
  query: string,
  field: string,
  service: string,
): { readonly at: number; readonly choices: readonly Choice[] } | null {
  if (mistakeIn(query) !== null) return null
  for (const [at, part] of partsOf(query).entries()) {
    const choices = choicesIn(query, part, field, service)
    if (choices !== null) return { at, choices }
  }
  return null
}

/** The values of a field that a query chooses. */
export function choicesOf(query: string, field: string, service: string): readonly Choice[] {
  return placeOfChoices(query, field, service)?.choices ?? []
}

/** A condition that finds what has one of the values. */
export function conditionOf(field: string, choices: readonly Choice[], service: string): string {
  const name = nameText(field, service)
  const values = choices.filter((choice): choice is string => choice !== null)
  const missing = `-${name}:*`
  if (values.length === 0) return missing
  const condition = conditionText(name, values)
  return values.length === choices.length ? condition : `(${condition} OR ${missing})`
}

/** The query with one more value of a field, or without it where it is chosen already. */
export function toggled(query: string, field: string, choice: Choice, service: string): string {
  if (mistakeIn(query) !== null) return query
  const place = placeOfChoices(query, field, service)
  const parts = asParts(query)
  if (place === null) return [...parts, conditionOf(field, [choice], service)].join(' ')
  const rest = place.choices.filter((one) => one !== choice)
  const choices = rest.length < place.choices.length ? rest : [...place.choices, choice]
  if (choices.length === 0) return without(query, place.at)
  return parts.map((part, at) => (at === place.at ? conditionOf(field, choices, service) : part)).join(' ')
}

/** The condition that finds a value of an event's field. */
export function conditionOn(field: string, value: string | number | boolean, service: string): string {
  return conditionOf(field, [choiceOf(String(value))], service)
}
