/** What the clauses of one question share, and the words that many of them know. */
import type { JsonReader } from './json-reader.js'
import type { Condition } from './condition.js'
import type { TextBudget } from './text-budget.js'
import type { FieldSet } from './field.js'
import type { DateContext } from './instant.js'

export interface ClauseContext extends DateContext {
  readonly fields: FieldSet
  /** Clauses seen so far. */
  readonly spent: { clauses: number }
  readonly textBudget: TextBudget
}

/** The condition of a clause's body, `depth` clauses down. */
export type ClauseCompiler = (json: JsonReader, context: ClauseContext, depth: number) => Condition

/** Names that change scores only. */
export const scoreOnly = ['boost', '_name'] as const

/** How many of `count` have to hold: `2`, `-1` (all but one), `75%`, `-25%`. */
export function leastOf(json: JsonReader, count: number): number {
  const parts = /^(-?\d{1,6})(%?)$/.exec(String(json.value).trim())
  if (parts === null)
    return json.fail('Input should be a whole number or a percentage; combinations are not supported', 'unsupported')
  const amount = Number(parts[1])
  const named = parts[2] === '' ? Math.abs(amount) : Math.floor((Math.abs(amount) * count) / 100)
  return Math.max(0, amount < 0 ? count - named : named)
}
