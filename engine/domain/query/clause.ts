/**
 * The supported part of the query language of search engines: a tree of clauses, compiled to a condition.
 *
 * Owns: clauses that combine others (`bool` and similar). Leaves out: clauses about one field (field-clauses.ts).
 *
 * 1. An unsupported clause is refused with its name and place, and never ignored.
 * 2. Nothing is scored: a clause holds or it does not. `boost`, `_name` and the like are accepted without effect.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { leastOf, scoreOnly, type ClauseCompiler, type ClauseContext } from './clause-context.js'
import { allOf, anyOf, everything, not, nothing, type Condition } from './condition.js'
import { fieldClauses } from './field-clauses.js'
import type { JsonReader } from './json-reader.js'
import { queryStringClause } from './query-string.js'

const compilers: Readonly<Record<string, ClauseCompiler>> = {
  match_all: (json) => {
    json.object(scoreOnly)
    return everything
  },
  match_none: (json) => {
    json.object(scoreOnly)
    return nothing
  },
  bool: boolClause,
  constant_score: (json, context, depth) => {
    const { filter } = json.object(['filter', ...scoreOnly])
    return filter === undefined ? json.fail('filter: Field required', 'missing') : compileClause(filter, context, depth)
  },
  dis_max: (json, context, depth) => {
    const { queries } = json.object(['queries', 'tie_breaker', ...scoreOnly])
    return queries === undefined
      ? json.fail('queries: Field required', 'missing')
      : anyOf(compileAll(queries, context, depth))
  },
  ids: (json, { fields }) => {
    const { values } = json.object(['values', ...scoreOnly])
    const ids = (values?.list() ?? []).map((id) => String(id.scalar()))
    return { kind: 'ids', field: fields.field('_id'), ids: new Set(ids) }
  },
  exists: (json, { fields }) => {
    const { field } = json.object(['field', ...scoreOnly])
    return field === undefined
      ? json.fail('field: Field required', 'missing')
      : { kind: 'has', field: fields.field(field.name()) }
  },
  ...fieldClauses,
  query_string: queryStringClause,
}

/** The names of all clauses. */
export const clauseNames = Object.keys(compilers)

/** The condition of `{<clause>: {...}}`. @throws Refusal invalid_body, query_too_large. */
export function compileClause(json: JsonReader, context: ClauseContext, depth = 0): Condition {
  if (depth >= limits.queryDepthMax || ++context.spent.clauses > limits.queryClausesMax) {
    throw new Refusal(
      'query_too_large',
      `a query has at most ${limits.queryClausesMax} clauses, ${limits.queryDepthMax} inside each other`,
    )
  }
  const [name, body] = json.only()
  const compile = Object.hasOwn(compilers, name) ? compilers[name] : undefined
  return compile === undefined ? body.unsupported(clauseNames) : compile(body, context, depth + 1)
}

function compileAll(json: JsonReader | undefined, context: ClauseContext, depth: number): Condition[] {
  return json === undefined
    ? []
    : json.list(limits.queryClausesMax).map((clause) => compileClause(clause, context, depth))
}

function boolClause(json: JsonReader, context: ClauseContext, depth: number): Condition {
  const { must, filter, should, must_not, minimum_should_match } = json.object([
    'must',
    'filter',
    'should',
    'must_not',
    'minimum_should_match',
    'adjust_pure_negative',
    ...scoreOnly,
  ])
  const needed = [...compileAll(must, context, depth), ...compileAll(filter, context, depth)]
  const options = compileAll(should, context, depth)
  const excluded = compileAll(must_not, context, depth)
  const least =
    minimum_should_match === undefined
      ? options.length > 0 && needed.length === 0
        ? 1
        : 0
      : leastOf(minimum_should_match, options.length)
  return allOf([...needed, anyOf(options, least), ...excluded.map(not)])
}
