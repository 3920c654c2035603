/**
 * Clauses about one field: `{<clause>: {<field>: ...}}`.
 *
 * The rule:
 * - `term`, `terms`, `prefix`, `wildcard` look at values as they are (as the `keyword` of a field), `match` and its kin at
 *   the words of texts (text-match.ts). `match` on a number, a boolean, a date or a field of the service's is `term`.
 * - Several values of a field are one text to `match`; a phrase is in one value.
 */
import { Refusal } from '../../errors.js'
import type { ScalarValue } from '../event/point-value.js'
import { limits } from '../../limits.js'
import type { JsonReader } from './json-reader.js'
import { leastOf, scoreOnly, type ClauseCompiler, type ClauseContext } from './clause-context.js'
import { between, isOneOf, type BoundName, type Refuse } from './comparison.js'
import { anyOf, everything, nothing, type Condition } from './condition.js'
import type { Field } from './field.js'
import { textTest } from './filter.js'
import { offsetOf, type DateContext } from './instant.js'
import { equalTo } from './scalar.js'
import { holdsPhrase, patternTest, wordsOf } from './text-match.js'

/** Formats that say nothing but what is understood anyway. */
const formats = [
  'strict_date_optional_time',
  'date_optional_time',
  'strict_date_optional_time_nanos',
  'strict_date',
  'date',
  'strict_date_time',
  'date_time',
  'epoch_millis',
  'epoch_second',
  'yyyy-MM-dd',
  'yyyy-MM',
  'yyyy',
  "yyyy-MM-dd'T'HH:mm:ss",
  'yyyy-MM-dd HH:mm:ss',
  "yyyy-MM-dd'T'HH:mm:ss.SSSZ",
  "yyyy-MM-dd'T'HH:mm:ssZ",
  "yyyy-MM-dd'T'HH:mm:ss'Z'",
  'iso8601',
]
const boundNames = ['gt', 'gte', 'lt', 'lte'] as const
const olderNames = ['from', 'to', 'include_lower', 'include_upper'] as const

export const fieldClauses: Readonly<Record<string, ClauseCompiler>> = {
  term: onField(['value', 'case_insensitive'], ['value'], (field, { value, case_insensitive }, context) => {
    const wanted = required(value).scalar()
    if (case_insensitive?.boolean() === true) return textTest(field, sameText(String(wanted)))
    return isOneOf(field, [wanted], context, refuseAt(required(value)))
  }),
  terms: (json, context) => {
    const fields = json.entries().filter(([name]) => !(scoreOnly as readonly string[]).includes(name))
    const [one] = fields
    if (one === undefined || fields.length !== 1) return json.fail('Input should name exactly one field', 'object_type')
    const [name, list] = one
    if (list.isObject)
      return list.fail('a lookup of terms is not supported here; supported: a list of values', 'unsupported')
    return isOneOf(
      context.fields.field(list.at(name, name).name()),
      list.list().map((value) => value.scalar()),
      context,
      refuseAt(list),
    )
  },
  range: (json, context) => {
    const [name, body] = json.only()
    return rangeClause(context.fields.field(body.at(name, name).name()), body, context)
  },
  prefix: onField(['value', 'case_insensitive', 'rewrite'], ['value'], (field, { value, case_insensitive }) => {
    const wanted = String(required(value).scalar())
    if (case_insensitive?.boolean() !== true) return textTest(field, (text) => text.startsWith(wanted))
    return textTest(field, (text) => text.toLowerCase().startsWith(wanted.toLowerCase()))
  }),
  wildcard: onField(
    ['value', 'wildcard', 'case_insensitive', 'rewrite'],
    ['value', 'wildcard'],
    (field, { value, wildcard, case_insensitive }, { textBudget }) => {
      return textTest(
        field,
        patternTest(required(value ?? wildcard).text(), case_insensitive?.boolean() === true, textBudget),
      )
    },
  ),
  match: onField(
    ['query', 'operator', 'minimum_should_match', 'zero_terms_query', 'lenient', 'auto_generate_synonyms_phrase_query'],
    ['query'],
    (field, options, context) => matchClause(field, options, context),
  ),
  match_phrase: onField(['query', 'slop', 'zero_terms_query'], ['query'], (field, { query, slop }, context) => {
    if (slop !== undefined && slop.number() !== 0) slop.fail('a slop other than 0 is not supported', 'unsupported')
    return phraseClause(field, required(query).scalar(), false, context, refuseAt(required(query)))
  }),
  match_phrase_prefix: onField(
    ['query', 'slop', 'max_expansions', 'zero_terms_query'],
    ['query'],
    (field, { query, slop }, context) => {
      if (slop !== undefined && slop.number() !== 0) slop.fail('a slop other than 0 is not supported', 'unsupported')
      return phraseClause(field, required(query).scalar(), true, context, refuseAt(required(query)))
    },
  ),
  multi_match: (json, context) => {
    const { fields, type, ...rest } = json.object([
      'query',
      'fields',
      'type',
      'operator',
      'minimum_should_match',
      'lenient',
      'tie_breaker',
      ...scoreOnly,
    ])
    const kind = type?.oneOf(['best_fields', 'most_fields', 'phrase', 'phrase_prefix']) ?? 'best_fields'
    const { query } = rest
    if (fields === undefined || query === undefined)
      return json.fail(`${fields === undefined ? 'fields' : 'query'}: Field required`, 'missing')
    return anyOf(
      fields.list().map((name) => {
        // `title^3` counts three times as much for a score.
        const field = context.fields.field(name.at('', name.text().replace(/\^[\d.]+$/, '')).name())
        if (kind.startsWith('phrase'))
          return phraseClause(field, query.scalar(), kind === 'phrase_prefix', context, refuseAt(query))
        return matchClause(field, rest, context)
      }),
    )
  },
}

type Options<N extends string> = Partial<Record<N, JsonReader>>

/** `{<field>: {<main>: ..., <option>: ...}}`, or `{<field>: <main>}`; `mains`: the names that the main option has. */
function onField<N extends string>(
  names: readonly N[],
  mains: readonly [N, ...N[]],
  compile: (field: Field, options: Options<N>, context: ClauseContext) => Condition,
): ClauseCompiler {
  return (json, context) => {
    const [name, body] = json.only()
    const field = context.fields.field(body.at(name, name).name())
    const options = body.isObject
      ? body.object<N | (typeof scoreOnly)[number]>([...names, ...scoreOnly])
      : ({ [mains[0]]: body } as Options<N>)
    if (mains.every((main) => (options as Options<N>)[main] === undefined))
      body.fail(`${mains[0]}: Field required`, 'missing')
    return compile(field, options as Options<N>, context)
  }
}

function required(json: JsonReader | undefined): JsonReader {
  if (json === undefined) throw new Error('assertion failed: the main option of a clause is missing')
  return json
}

/** A refusal at a place below this piece. */
export function refuseAt(json: JsonReader): Refuse {
  return (place, message) =>
    place.reduce<JsonReader>((at, name) => at.at(name, undefined), json).fail(message, 'date_parsing')
}

function sameText(wanted: string): (text: string) => boolean {
  const folded = wanted.toLowerCase()
  return (text) => text.toLowerCase() === folded
}

/** Bounds on a field, as `range` and the ranges of query strings have them. */
export function rangeClause(field: Field, json: JsonReader, context: DateContext): Condition {
  const options = json.object([...boundNames, ...olderNames, 'format', 'time_zone', 'relation', ...scoreOnly])
  for (const format of options.format?.text().split('||') ?? []) {
    if (!formats.includes(format))
      options.format?.fail(`the format is not supported; supported: ${formats.join(', ')}`, 'unsupported')
  }
  const bounds: Partial<Record<BoundName, ScalarValue>> = {}
  for (const name of boundNames) if (options[name] !== undefined) bounds[name] = options[name].scalar()
  if (options.from !== undefined)
    bounds[options.include_lower?.boolean() === false ? 'gt' : 'gte'] = options.from.scalar()
  if (options.to !== undefined) bounds[options.include_upper?.boolean() === false ? 'lt' : 'lte'] = options.to.scalar()
  return between(field, bounds, { ...context, offsetMinutes: zoneOf(options.time_zone) }, refuseAt(json))
}

/** Minutes east of UTC. */
export function zoneOf(json: JsonReader | undefined): number {
  if (json === undefined) return 0
  return (
    offsetOf(json.text()) ??
    json.fail('Input should be UTC or an offset such as +01:00; names of zones are not supported', 'unsupported')
  )
}

function matchClause(
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
  return wordsClause(field, query.scalar(), needed, context, refuseAt(query))
}

/** A field whose values together have so many of the wanted words as `needed` says for their number. */
function wordsClause(
  field: Field,
  wanted: ScalarValue,
  needed: (count: number) => number,
  context: ClauseContext,
  refuse: Refuse,
): Condition {
  if (field.kind !== 'body') return isOneOf(field, [wanted], context, refuse)
  const words = [...new Set(wordsOf(String(wanted)))]
  if (words.length === 0) return nothing
  const least = needed(words.length)
  const equal = equalTo(wanted)
  return {
    kind: 'values',
    field,
    test: (values) => {
      if (values.some((value) => typeof value !== 'string' && equal(value))) return true
      const own = new Set(values.flatMap((value) => wordsIn(value, context)))
      return words.filter((word) => own.has(word)).length >= least
    },
  }
}

/** A field one of whose values has the wanted words in one piece. */
export function phraseClause(
  field: Field,
  wanted: ScalarValue,
  prefix: boolean,
  context: ClauseContext,
  refuse: Refuse,
): Condition {
  if (field.kind !== 'body')
    return prefix
      ? textTest(field, (text) => text.startsWith(String(wanted)))
      : isOneOf(field, [wanted], context, refuse)
  const phrase = wordsOf(String(wanted))
  if (phrase.length > limits.queryPatternMax)
    throw new Refusal('query_too_large', `a phrase has at most ${limits.queryPatternMax} words`)
  if (phrase.length === 0) return nothing
  const equal = equalTo(wanted)
  return {
    kind: 'some',
    field,
    test: (value) =>
      (typeof value !== 'string' && equal(value)) || holdsPhrase(wordsIn(value, context), phrase, prefix),
  }
}

function wordsIn(value: ScalarValue, { textBudget }: ClauseContext): string[] {
  const text = String(value)
  textBudget.spend(text.length)
  return wordsOf(text)
}
