/** What the clauses of one query share, and options that many of them have. */
import type { Refuse } from './comparison.js'
import type { Condition } from './condition.js'
import type { FieldSet } from './field.js'
import type { DateContext } from './instant.js'
import type { JsonReader } from './json-reader.js'
import type { TextBudget } from './text-budget.js'

export interface ClauseContext extends DateContext {
  readonly fields: FieldSet
  /** Number of clauses so far. */
  readonly spent: { clauses: number }
  readonly textBudget: TextBudget
}

/** Makes the condition of a clause from its body, inside `depth` others. */
export type ClauseCompiler = (json: JsonReader, context: ClauseContext, depth: number) => Condition

/** Options of a clause, by name. */
export type Options<N extends string> = Partial<Record<N, JsonReader>>

/** Options that change scores only. */
export const scoreOnly = ['boost', '_name'] as const

/** An option that the caller has checked to be there. */
export function required(json: JsonReader | undefined): JsonReader {
  if (json === undefined) throw new Error('assertion failed: the main option of a clause is missing')
  return json
}

/** A refusal at a place below this piece. */
export function refuseAt(json: JsonReader): Refuse {
  return (place, message) =>
    place.reduce<JsonReader>((at, name) => at.at(name, undefined), json).fail(message, 'date_parsing')
}

/** How many of `count` conditions must hold: `2`, `-1` (all but one), `75%`, `-25%`. */
export function leastOf(json: JsonReader, count: number): number {
  const parts = /^(-?\d{1,6})(%?)$/.exec(String(json.value).trim())
  if (parts === null)
    return json.fail('Input should be a whole number or a percentage; combinations are not supported', 'unsupported')
  const amount = Number(parts[1])
  const named = parts[2] === '' ? Math.abs(amount) : Math.floor((Math.abs(amount) * count) / 100)
  return Math.max(0, amount < 0 ? count - named : named)
}
