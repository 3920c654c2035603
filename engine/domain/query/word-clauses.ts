/**
 * Clauses about the words of a field: `match`, `match_phrase` and similar ones.
 *
 * Owns: the tests of words and phrases. Leaves out: what a word is (text-match.ts), reading the options
 * (field-clauses.ts, query-string.ts).
 *
 * 1. For numbers, booleans, dates and the service's own fields, `match` means `term`.
 * 2. All values of a field count as one text for `match`. A phrase must be in one value.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { ScalarValue } from '../event/point-value.js'
import { leastOf, refuseAt, required, type ClauseContext, type Options } from './clause-context.js'
import { isOneOf, type Refuse } from './comparison.js'
import { everything, nothing, type Condition } from './condition.js'
import type { Field } from './field.js'
import { textTest } from './filter.js'
import type { JsonReader } from './json-reader.js'
import { numberOf } from './scalar.js'
import { holdsPhrase, wordsOf } from './text-match.js'

/** A value that a clause looks for. */
export interface Wanted {
  readonly value: ScalarValue
  /** Refuses the value. */
  readonly refuse: Refuse
}

export interface WantedPhrase extends Wanted {
  /** The last word may be the beginning of a word. */
  readonly isPrefix: boolean
}

/** The value at a place of the query. */
export function wantedOf(json: JsonReader): Wanted {
  return { value: json.scalar(), refuse: refuseAt(json) }
}

/** An event whose field has enough of the query's words: any of them, all of them, or `minimum_should_match`. */
export function matchClause(
  field: Field,
  options: Options<'query' | 'operator' | 'minimum_should_match' | 'zero_terms_query'>,
  context: ClauseContext,
): Condition {
  const query = required(options.query)
  const { minimum_should_match: least, operator, zero_terms_query } = options
  if (zero_terms_query?.oneOf(['none', 'all']) === 'all' && wordsOf(String(query.scalar())).length === 0)
    return everything
  const all = operator?.oneOf(['or', 'and']) === 'and'
  const needed = (count: number): number =>
    least === undefined ? (all ? count : 1) : Math.max(1, leastOf(least, count))
  return wordsClause(field, wantedOf(query), needed, context)
}

/** `needed` is how many of the wanted words must be there, by their number. */
function wordsClause(
  field: Field,
  { value: wanted, refuse }: Wanted,
  needed: (count: number) => number,
  context: ClauseContext,
): Condition {
  if (field.kind !== 'body') return isOneOf(field, [wanted], context, refuse)
  const words = [...new Set(wordsOf(String(wanted)))]
  if (words.length === 0) return nothing
  const least = needed(words.length)
  const equal = numberTest(wanted)
  return {
    kind: 'values',
    field,
    test: (values) => {
      if (values.some((value) => equal(value) === true)) return true
      const own = new Set(values.flatMap((value) => (equal(value) === null ? wordsIn(value, context) : [])))
      return words.filter((word) => own.has(word)).length >= least
    },
  }
}

/** An event whose field has the wanted words, without gaps, in one value. @throws Refusal query_too_large. */
export function phraseClause(field: Field, wanted: WantedPhrase, context: ClauseContext): Condition {
  const { value: text, refuse, isPrefix } = wanted
  if (field.kind !== 'body')
    return isPrefix ? textTest(field, (own) => own.startsWith(String(text))) : isOneOf(field, [text], context, refuse)
  const phrase = wordsOf(String(text))
  if (phrase.length > limits.queryPatternMax)
    throw new Refusal('query_too_large', `a phrase has at most ${limits.queryPatternMax} words`)
  // Signs alone, such as "/": a value that is nothing else.
  if (phrase.length === 0) return isPrefix ? nothing : isOneOf(field, [text], context, refuse)
  const equal = numberTest(text)
  return {
    kind: 'some',
    field,
    test: (value) => (isPrefix ? null : equal(value)) ?? holdsPhrase(wordsIn(value, context), phrase, isPrefix),
  }
}

/** Whether a value is the wanted number; null where its words must tell. As words alone, 5 would be in -5. */
function numberTest(wanted: ScalarValue): (value: ScalarValue) => boolean | null {
  const number = numberOf(wanted)
  if (number === null) return () => null
  return (value) => {
    const own = numberOf(value)
    if (own === null) return null
    return own !== number ? false : typeof value === 'number' ? true : null
  }
}

function wordsIn(value: ScalarValue, { textBudget }: ClauseContext): string[] {
  const text = String(value)
  textBudget.spend(text.length)
  return wordsOf(text)
}
