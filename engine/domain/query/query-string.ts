/**
 * `query_string`: a query as a person types it, `host.name:web-1 AND (status:failed OR "too many") AND -user:root`.
 *
 * 1. The rule is that of Lucene's classic parser. `AND` makes both sides needed, and `+` the following part. `-`, `!`
 *    and `NOT` exclude the following part. The rest is wanted: if nothing is needed, one wanted part must hold.
 * 2. Supported are words, "phrases", groups, `*` and `?`, `[a TO b]`, `{a TO b}`, `>=`, `_exists_:field`. A field may
 *    precede a word, a phrase, a range or a group. `^2` is accepted without effect.
 * 3. What is typed without a space is one phrase: `web-1` is a phrase of two words.
 * 4. Fuzziness, distances and regular expressions are refused by name.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { refuseAt, scoreOnly, type ClauseCompiler, type ClauseContext } from './clause-context.js'
import { between, type BoundName } from './comparison.js'
import { allOf, anyOf, not, type Condition } from './condition.js'
import type { Field } from './field.js'
import { textTest } from './filter.js'
import type { JsonReader } from './json-reader.js'
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
  const names = (many ?? one)?.list().map((name) => name.text().replace(/\^[\d.]+$/, '')) ?? ['*']
  const fields = names.map((name) => (name === '*' ? context.fields.wholeBody() : context.fields.field(name)))
  return new QueryParser(query, fields, operator?.oneOf(['or', 'and']) === 'and', context).parse()
}

const TOKEN =
  /\s+|\(|\)|"(?:[^"\\]|\\.)*"|[[{](?:"[^"]*"|[^\]}"])*[\]}]|&&|\|\||[+!-](?=[^\s])|\/|(?:[^\s()"[\]{}:\\/&|]|\\.|&(?!&)|\|(?!\|)|(?<=[^\s(:])\/)+:?|:|&|\|/gy

/** Matches in linear time: no two parts can match the same digits. */
const FUZZY = /[^\\]~\d*(?:\.\d*)?$/

interface Item {
  readonly condition: Condition
  needed: boolean
  readonly excluded: boolean
}

class QueryParser {
  readonly #json: JsonReader
  readonly #context: ClauseContext
  readonly #allNeeded: boolean
  readonly #tokens: string[] = []
  readonly #defaults: readonly Field[]
  #at = 0

  constructor(json: JsonReader, fields: readonly Field[], allNeeded: boolean, context: ClauseContext) {
    this.#json = json
    this.#defaults = fields
    this.#allNeeded = allNeeded
    this.#context = context
    const text = String(json.scalar())
    TOKEN.lastIndex = 0
    for (let end = 0; end < text.length; end = TOKEN.lastIndex) {
      const found = TOKEN.exec(text)
      if (found === null) json.fail(`the query cannot be read from character ${end + 1} on`)
      else if (found[0].trim() !== '') this.#tokens.push(found[0])
      else this.#tokens.push(' ')
    }
  }

  parse(): Condition {
    const condition = this.#group(this.#defaults, 0)
    if (this.#at < this.#tokens.length) this.#json.fail('a parenthesis is closed that was not opened')
    return condition
  }

  #group(fields: readonly Field[], depth: number): Condition {
    const items: Item[] = []
    for (let token = this.#peek(); token !== undefined && token !== ')'; token = this.#peek()) {
      const isAnd = token === 'AND' || token === '&&'
      const isOr = token === 'OR' || token === '||'
      if (isAnd || isOr) this.#operator(token, items.at(-1), isAnd)
      items.push(this.#item(fields, depth, isAnd || (this.#allNeeded && !isOr)))
    }
    const excluded = items.filter((item) => item.excluded).map((item) => not(item.condition))
    const needed = items.filter((item) => item.needed && !item.excluded).map((item) => item.condition)
    const wanted = items.filter((item) => !item.needed && !item.excluded).map((item) => item.condition)
    return allOf([...needed, anyOf(wanted, needed.length === 0 && wanted.length > 0 ? 1 : 0), ...excluded])
  }

  /** Takes AND or OR, which changes whether the item before it is needed. */
  #operator(token: string, before: Item | undefined, isAnd: boolean): void {
    this.#at++
    if (before === undefined) return this.#json.fail(`${token} has nothing before it`)
    const after = this.#peek()
    if (after === undefined || after === ')') this.#json.fail(`${token} has nothing after it`)
    if (isAnd) before.needed = true
    // Items joined by OR are wanted, not needed, whatever the default is.
    else if (this.#allNeeded) before.needed = false
  }

  #peek(): string | undefined {
    while (this.#tokens[this.#at] === ' ') this.#at++
    return this.#tokens[this.#at]
  }

  #item(fields: readonly Field[], depth: number, needed: boolean): Item {
    if (depth > limits.queryDepthMax)
      throw new Refusal(
        'query_too_large',
        `a query has at most ${limits.queryDepthMax} groups and signs inside each other`,
      )
    const sign = this.#peek()
    if (sign === '+' || sign === '-' || sign === '!' || sign === 'NOT') {
      this.#at++
      const { condition } = this.#item(fields, depth + 1, true)
      return { condition, needed: sign === '+' || needed, excluded: sign !== '+' }
    }
    return { condition: this.#operand(fields, depth), needed, excluded: false }
  }

  #operand(fields: readonly Field[], depth: number): Condition {
    if (++this.#context.spent.clauses > limits.queryClausesMax) {
      throw new Refusal('query_too_large', `a query has at most ${limits.queryClausesMax} clauses`)
    }
    const token = this.#peek()
    if (token === undefined || token === ')') return this.#json.fail('the query is incomplete at its end')
    this.#at++
    if (token === '(') {
      const condition = this.#group(fields, depth + 1)
      if (this.#peek() !== ')') this.#json.fail('a parenthesis is not closed')
      this.#at++
      return condition
    }
    if (token.endsWith(':') && token.length > 1 && !token.endsWith('\\:'))
      return this.#onField(unescaped(token.slice(0, -1)), depth)
    if (token === '/') return this.#json.fail('regular expressions are not supported', 'unsupported')
    if (token.startsWith('[') || token.startsWith('{')) return anyOf(fields.map((field) => this.#range(field, token)))
    if (token.startsWith('"')) return anyOf(fields.map((field) => this.#phrase(field, token)))
    return anyOf(fields.map((field) => this.#word(field, token)))
  }

  #onField(name: string, depth: number): Condition {
    const { fields } = this.#context
    const next = this.#tokens[this.#at]
    if (name === '_exists_') {
      this.#at++
      return { kind: 'has', field: fields.field(unescaped(next ?? '')) }
    }
    if (next === undefined || next === ' ') return this.#json.fail(`${name}: has nothing after it`)
    return this.#operand([name === '*' ? fields.wholeBody() : fields.field(name)], depth)
  }

  #phrase(field: Field, token: string): Condition {
    const after = this.#tokens[this.#at]
    if (after?.startsWith('~') === true) this.#json.fail('distances between words are not supported', 'unsupported')
    if (after?.startsWith('^') === true) this.#at++
    return this.#plainPhrase(field, unescaped(token.slice(1, -1)))
  }

  #plainPhrase(field: Field, value: string): Condition {
    return phraseClause(field, { value, isPrefix: false, refuse: refuseAt(this.#json) }, this.#context)
  }

  #range(field: Field, token: string): Condition {
    const parts = /^[[{]\s*("[^"]*"|\S+)\s+TO\s+("[^"]*"|\S+?)\s*[\]}]$/.exec(token)
    if (parts === null) return this.#json.fail('a range is written [a TO b] or {a TO b}')
    const bounds: Partial<Record<BoundName, string>> = {}
    const [low, high] = [parts[1] as string, parts[2] as string].map((end) => unescaped(end.replaceAll('"', '')))
    if (low !== '*') bounds[token.startsWith('[') ? 'gte' : 'gt'] = low as string
    if (high !== '*') bounds[token.endsWith(']') ? 'lte' : 'lt'] = high as string
    return between(field, bounds, this.#context, (_, message) => this.#json.fail(message))
  }

  #word(field: Field, given: string): Condition {
    const token = given.replace(/\^[\d.]+$/, '')
    const open = /^([<>]=?)(.+)$/.exec(token)
    if (open !== null) {
      const name = { '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' }[open[1] as '<'] as BoundName
      return between(field, { [name]: unescaped(open[2] as string) }, this.#context, (_, message) =>
        this.#json.fail(message),
      )
    }
    if (FUZZY.test(token)) return this.#json.fail('fuzziness (~) is not supported', 'unsupported')
    if (token === '*') return { kind: 'has', field }
    if (!/(^|[^\\])[*?]/.test(token)) {
      return this.#plainPhrase(field, unescaped(token))
    }
    const { textBudget } = this.#context
    const test = patternTest(token, true, textBudget)
    return textTest(field, (text) => test(text) || wordsOf(text).some(test))
  }
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1')
}
