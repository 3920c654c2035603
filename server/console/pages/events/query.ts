/**
 * The query of the page of events: from what people type to filters of the API, and back.
 *
 *     label:Escalate confidence<80 host.name:web-* -rule.id:4625 user.name:* "unusual country"
 *
 * 1. Every text is a query: what is no condition is looked for in titles.
 * 2. A query that is written from filters gives the same filters when it is read.
 */

export interface Filter {
  readonly field: string
  readonly operator: string
  readonly value?: string | number | boolean | readonly string[]
}

/** Short names of the service's own fields. */
export const shortNames: Readonly<Record<string, string>> = {
  label: 'result_label',
  confidence: 'confidence_score',
  consensus: 'consensus',
  outlier: 'outlier_flag',
  score: 'outlier_score',
  bucket: 'bucket_id',
  state: 'bucket_state',
  autonomy: 'autonomy',
  model: 'model.path',
  assigned: 'assigned',
  title: 'title',
}

const TOKEN = /(?:[^\s"]|"(?:[^"\\]|\\.)*")+/g
const CONDITION = /^(-?)([A-Za-z_@][^\s:<>="]*|"(?:[^"\\]|\\.)*")(:|<=|>=|<|>)([\s\S]+)$/
const comparisons: Readonly<Record<string, string>> = { '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' }

function unquoted(text: string): string {
  return text.replace(/"((?:[^"\\]|\\.)*)"/g, (_, inner: string) => inner.replace(/\\(.)/g, '$1'))
}

function quoted(text: string): string {
  return text === '' || /[\s",*\\]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text
}

/** The parts between commas that are not in quotes. */
function listOf(text: string): string[] {
  return text.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? []
}

function matchFilter(field: string, text: string, isNot: boolean): Filter {
  const not = isNot ? 'not ' : ''
  if (text === '*') return { field, operator: isNot ? 'not exists' : 'exists' }
  const items = listOf(text)
  if (items.length > 1) return { field, operator: `is ${not}one of`, value: items.map(unquoted) }
  const [, before, inner = '', after] = /^(\*?)([\s\S]*?)(\*?)$/.exec(text) ?? []
  const value = unquoted(inner)
  if (before === '*') return { field, operator: `${not}contains`, value }
  if (after === '*') return { field, operator: `${not}starts with`, value }
  return { field, operator: isNot ? 'is not' : 'is', value }
}

/** The filters of a query. `service` is the name of the service in fields. */
export function filtersOf(query: string, service: string): Filter[] {
  return (query.match(TOKEN) ?? []).map((token): Filter => {
    const [, not, name = '', sign = '', text = ''] = CONDITION.exec(token) ?? []
    if (name === '') return { field: `${service}.title`, operator: 'contains', value: unquoted(token) }
    const plain = unquoted(name)
    const field = Object.hasOwn(shortNames, plain) ? `${service}.${shortNames[plain]}` : plain
    if (sign === ':') return matchFilter(field, text, not === '-')
    const value = unquoted(text)
    const asNumber = Number(value)
    return { field, operator: comparisons[sign] as string, value: Number.isNaN(asNumber) ? value : asNumber }
  })
}

function shortNameOf(field: string, service: string): string {
  if (!field.startsWith(`${service}.`)) return field
  const own = field.slice(service.length + 1)
  return Object.entries(shortNames).find(([, name]) => name === own)?.[0] ?? field
}

/** A condition as it is typed. */
export function conditionOf(field: string, value: string | number | boolean | null, service: string): string {
  const name = shortNameOf(field, service)
  const shown = /[\s:<>="]/.test(name) ? quoted(name) : name
  return value === null || value === '' ? `-${shown}:*` : `${shown}:${quoted(String(value))}`
}

/** The query with the condition, or without it where it is there already. */
export function toggled(query: string, condition: string): string {
  const tokens: readonly string[] = query.match(TOKEN) ?? []
  const rest = tokens.filter((token) => token !== condition)
  return (rest.length < tokens.length ? rest : [...tokens, condition]).join(' ')
}

export function hasCondition(query: string, condition: string): boolean {
  return (query.match(TOKEN) ?? []).some((token) => token === condition)
}

/** The conditions of a query, as they were typed. */
export function conditionsOf(query: string): readonly string[] {
  return query.match(TOKEN) ?? []
}

/** Own fields that are numbers. */
const numeric: ReadonlySet<string> = new Set(['confidence', 'score'])

/** The first condition that compares a number of the service with a text; null: there is none. */
export function notANumber(query: string): { readonly name: string; readonly value: string } | null {
  for (const token of conditionsOf(query)) {
    const [, , name = '', sign = '', text = ''] = CONDITION.exec(token) ?? []
    const value = unquoted(text)
    const isText = value.trim() === '' || Number.isNaN(Number(value))
    if (sign !== ':' && numeric.has(name) && isText) return { name, value }
  }
  return null
}
