/** Filters as they are typed: `host.name=web-1`, `confidence_score>=90`, `rule.id in 4625,4624`, `user exists`. */
import type { EventFilter } from '../client/index.js'
import { UsageError } from './failure.js'

/** Longer signs first: each begins like a shorter one. */
const signs: readonly (readonly [sign: string, operator: string])[] = [
  ['!^=', 'not starts with'],
  ['^=', 'starts with'],
  ['!~', 'not contains'],
  ['!=', 'is not'],
  ['>=', 'gte'],
  ['<=', 'lte'],
  ['=', 'is'],
  ['~', 'contains'],
  ['>', 'gt'],
  ['<', 'lt'],
]

/** A number where it must be one: sizes are compared as numbers or as dates. */
function sizeOf(operator: string, text: string): string | number {
  return /^[gl]te?$/.test(operator) && text !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}

/** @throws UsageError */
export function filterOf(text: string): EventFilter {
  const state = /^(\S+) (exists|missing)$/.exec(text)
  if (state !== null) return { field: state[1]!, operator: state[2] === 'exists' ? 'exists' : 'not exists' }
  const list = /^(\S+) (not )?in (.+)$/.exec(text)
  if (list !== null) {
    const value = list[3]!.split(',').map((one) => one.trim())
    return { field: list[1]!, operator: list[2] === undefined ? 'is one of' : 'is not one of', value }
  }
  const at = text.search(/[!^=~<>]/)
  const [sign, operator] = signs.find(([one]) => at > 0 && text.startsWith(one, at)) ?? []
  if (sign === undefined || operator === undefined)
    throw new UsageError(
      `"${text}" is no filter; write field=value, != ~ !~ ^= > >= < <=, "field in a,b", "field exists"`,
    )
  return { field: text.slice(0, at).trim(), operator, value: sizeOf(operator, text.slice(at + sign.length).trim()) }
}
