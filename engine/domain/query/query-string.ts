/**
 * `query_string`: a query as a person types it, `host.name:web-1 AND (status:failed OR "too many") AND -user:root`.
 *
 * Owns: which events pass. Leaves out: the grammar (query-text.ts, in the dialect of Lucene).
 *
 * 1. Operators have the usual precedence (query-text.ts, 1), which Lucene has not: `a OR b AND c` finds the events of
 *    `a` as well. Side by side, `+` makes a part needed, `-` excludes it, and of the rest one must hold, or all with
 *    `default_operator: and`.
 * 2. A word, and what is typed without a blank, is looked for as words: `web-1` is a phrase of two.
 * 3. Fuzziness, distances and regular expressions are refused by name.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { refuseAt, scoreOnly, type ClauseCompiler, type ClauseContext } from './clause-context.js'
import { between, type BoundName } from './comparison.js'
import { allOf, anyOf, everything, not, nothing, type Condition } from './condition.js'
import type { Field } from './field.js'
import { textTest } from './filter.js'
import type { JsonReader } from './json-reader.js'
import {
  parseQuery,
  QueryMistake,
  type Dialect,
  type QueryBound,
  type QueryLeaf,
  type QueryNode,
} from './query-text.js'
import { patternTest, wordsOf } from './text-match.js'
import { phraseClause } from './word-clauses.js'

export const queryStringClause: ClauseCompiler = (json, context) => {
  const options = json.isObject
    ? json.object([
        'query',
        'default_field',
        'fields',
        'default_operator',
        'analyze_wildcard',
        'lenient',
        'allow_leading_wildcard',
        ...scoreOnly,
      ])
    : { query: json }
  const { query, default_field: one, fields: many, default_operator: operator } = options
  if (query === undefined) return json.fail('query: Field required', 'missing')
  const text = String(query.scalar())
  if (text.trim() === '') return nothing
  const names = (many ?? one)?.list().map((name) => name.text().replace(/\^[\d.]+$/, '')) ?? ['*']
  const defaults = names.map((name) => (name === '*' ? context.fields.wholeBody() : context.fields.field(name)))
  const joined = operator?.oneOf(['or', 'and']) === 'and' ? 'and' : 'or'
  const compiler = new QueryCompiler(query, defaults, context)
  return compiler.compile(parsed(query, text, { ...dialect, joined }))
}

const dialect = { isLucene: true, clausesMax: limits.queryClausesMax, depthMax: limits.queryDepthMax } as const

function parsed(json: JsonReader, text: string, how: Dialect): QueryNode {
  try {
    return parseQuery(text, how)
  } catch (error) {
    if (!(error instanceof QueryMistake)) throw error
    if (error.type === 'too_large') throw new Refusal('query_too_large', error.message)
    return json.fail(error.shown(text), error.type === 'unsupported' ? 'unsupported' : 'query_syntax')
  }
}

class QueryCompiler {
  readonly #json: JsonReader
  readonly #defaults: readonly Field[]
  readonly #context: ClauseContext

  constructor(json: JsonReader, defaults: readonly Field[], context: ClauseContext) {
    this.#json = json
    this.#defaults = defaults
    this.#context = context
  }

  compile(node: QueryNode): Condition {
    switch (node.kind) {
      case 'and':
        return node.parts.length === 0 ? everything : allOf(node.parts.map((part) => this.compile(part)))
      case 'or':
        return anyOf(node.parts.map((part) => this.compile(part)))
      case 'not':
        return not(this.compile(node.part))
      default:
        return this.#leaf(node)
    }
  }

  #leaf(leaf: QueryLeaf): Condition {
    if (++this.#context.spent.clauses > limits.queryClausesMax)
      throw new Refusal('query_too_large', `a query has at most ${limits.queryClausesMax} clauses`)
    return anyOf(this.#fieldsOf(leaf).map((field) => this.#onField(field, leaf)))
  }

  #fieldsOf({ name }: QueryLeaf): readonly Field[] {
    if (name === null) return this.#defaults
    const { fields } = this.#context
    return [name.text === '*' && !name.isQuoted ? fields.wholeBody() : fields.field(name.text)]
  }

  #onField(field: Field, leaf: QueryLeaf): Condition {
    if (leaf.kind === 'has') return { kind: 'has', field }
    if (leaf.kind === 'range') return this.#range(field, leaf.lower, leaf.upper)
    const { text, pattern } = leaf.value
    if (pattern === null)
      return phraseClause(field, { value: text, isPrefix: false, refuse: refuseAt(this.#json) }, this.#context)
    const test = patternTest(pattern, true, this.#context.textBudget)
    return textTest(field, (own) => test(own) || wordsOf(own).some(test))
  }

  #range(field: Field, lower: QueryBound | null, upper: QueryBound | null): Condition {
    const bounds: Partial<Record<BoundName, string>> = {}
    if (lower !== null) bounds[lower.isIncluded ? 'gte' : 'gt'] = lower.value.text
    if (upper !== null) bounds[upper.isIncluded ? 'lte' : 'lt'] = upper.value.text
    return between(field, bounds, this.#context, (_, message) => this.#json.fail(message))
  }
}
