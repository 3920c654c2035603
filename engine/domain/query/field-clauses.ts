/**
 * Clauses about one field: `{<clause>: {<field>: ...}}`.
 *
 * Owns: clauses that test whole values: `term`, `terms`, `range`, `prefix`, `wildcard`. Leaves out: the tests of
 * `match` and similar clauses (word-clauses.ts).
 */
import type { ScalarValue } from '../event/point-value.js'
import {
  refuseAt,
  required,
  scoreOnly,
  type ClauseCompiler,
  type ClauseContext,
  type Options,
} from './clause-context.js'
import { between, isOneOf, type BoundName } from './comparison.js'
import { anyOf, type Condition } from './condition.js'
import type { Field } from './field.js'
import { textTest } from './filter.js'
import { offsetOf, type DateContext } from './instant.js'
import type { JsonReader } from './json-reader.js'
import { patternTest } from './text-match.js'
import { matchClause, phraseClause, wantedOf } from './word-clauses.js'

/** Formats that are understood without being named. */
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
    return phraseClause(field, { ...wantedOf(required(query)), isPrefix: false }, context)
  }),
  match_phrase_prefix: onField(
    ['query', 'slop', 'max_expansions', 'zero_terms_query'],
    ['query'],
    (field, { query, slop }, context) => {
      if (slop !== undefined && slop.number() !== 0) slop.fail('a slop other than 0 is not supported', 'unsupported')
      return phraseClause(field, { ...wantedOf(required(query)), isPrefix: true }, context)
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
        // `title^3` changes a score only.
        const field = context.fields.field(name.at('', name.text().replace(/\^[\d.]+$/, '')).name())
        if (kind.startsWith('phrase'))
          return phraseClause(field, { ...wantedOf(query), isPrefix: kind === 'phrase_prefix' }, context)
        return matchClause(field, rest, context)
      }),
    )
  },
}

/** `{<field>: {<main>: ..., <option>: ...}}`, or `{<field>: <main>}`. `mains` are the names of the main option. */
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

function sameText(wanted: string): (text: string) => boolean {
  const folded = wanted.toLowerCase()
  return (text) => text.toLowerCase() === folded
}

/** An event whose field has a value within the bounds of `range`. */
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
