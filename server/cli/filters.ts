/**
 * Conditions as they are typed behind `-f`: `host.name=web-1`, `confidence>=90`, `rule.id in 4625,4624`, `user exists`.
 *
 * 1. A condition becomes a part of a query in the query language, so that names and values mean the same everywhere.
 */
import { parseQuery, quotedText, QueryMistake } from '../../engine/domain/query/query-text.js'
import { UsageError } from './failure.js'

type Writer = (name: string, value: string) => string

/** Longer signs first: each begins like a shorter one. */
const signs: readonly (readonly [sign: string, write: Writer])[] = [
  ['!^=', (name, value) => `-${name}:${value}*`],
  ['^=', (name, value) => `${name}:${value}*`],
  ['!~', (name, value) => `-${name}:*${value}*`],
  ['!=', (name, value) => `-${name}:${value}`],
  ['>=', (name, value) => `${name}>=${value}`],
  ['<=', (name, value) => `${name}<=${value}`],
  ['=', (name, value) => `${name}:${value}`],
  ['~', (name, value) => `${name}:*${value}*`],
  ['>', (name, value) => `${name}>${value}`],
  ['<', (name, value) => `${name}<${value}`],
]

const HELP = 'write field=value, != ~ !~ ^= > >= < <=, "field in a,b", "field exists"'

/** A value in quotes. Stars stay wildcards, and quotes that were typed around it are those of the language. */
function quotedValue(text: string): string {
  if (/^"(?:[^"\\]|\\.)*"$/s.test(text)) return text
  const shown = text.replaceAll('"', '\\"')
  const backslashes = /\\*$/.exec(shown)?.[0].length ?? 0
  return `"${shown}${backslashes % 2 === 1 ? '\\' : ''}"`
}

function nameOf(text: string): string {
  return /^[\p{L}\p{N}_@$][\p{L}\p{N}_.@$/-]*$/u.test(text) ? text : quotedText(text)
}

function partOf(text: string): string {
  const state = /^(\S+) (exists|missing)$/.exec(text)
  if (state !== null) return `${state[2] === 'exists' ? '' : '-'}${nameOf(state[1]!)}:*`
  const list = /^(\S+) (not )?in (.+)$/.exec(text)
  if (list !== null) {
    const values = list[3]!.split(',').map((one) => quotedValue(one.trim()))
    return `${list[2] === undefined ? '' : '-'}${nameOf(list[1]!)}:(${values.join(' OR ')})`
  }
  const at = text.search(/[!^=~<>]/)
  const [sign, write] = signs.find(([one]) => at > 0 && text.startsWith(one, at)) ?? []
  const value = sign === undefined ? '' : text.slice(at + sign.length).trim()
  if (sign === undefined || write === undefined) throw new UsageError(`"${text}" is no filter; ${HELP}`)
  if (/^[=~<>^!]/.test(value))
    throw new UsageError(
      `"${text}" has the sign ${sign}${value[0]}, which there is not; ${HELP}; a value may be in quotes`,
    )
  return write(nameOf(text.slice(0, at).trim()), quotedValue(value))
}

/** The condition as a part of a query. @throws UsageError */
export function conditionOf(text: string): string {
  const part = partOf(text)
  return readable(part, text)
}

/** A query, with more conditions; undefined for none. @throws UsageError */
export function queryOf(text: string | undefined, conditions: readonly string[] = []): string | undefined {
  const parts = [
    ...(text === undefined || text.trim() === '' ? [] : [readable(text.trim(), text)]),
    ...conditions.map(conditionOf),
  ]
  if (parts.length === 0) return undefined
  const [first, ...rest] = parts as [string, ...string[]]
  return rest.length === 0 ? first : parts.map((part) => `(${part})`).join(' ')
}

function readable(part: string, typed: string): string {
  try {
    parseQuery(part)
    return part
  } catch (error) {
    if (!(error instanceof QueryMistake)) throw error
    throw new UsageError(`"${typed}" cannot be read: ${part === typed.trim() ? error.shown(part) : error.message}`)
  }
}
