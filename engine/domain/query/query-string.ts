/**
 * `query_string`: a query as a person types it, `host.name:web-1 AND (status:failed OR "too many") AND -user:root`.
 *
 * The rule is that of Lucene's classic parser: `AND` makes what stands on both sides needed, `+` what follows, `-`, `!` and
 * `NOT` exclude it; the rest is wanted, at least one of it where nothing is needed. Spoken: words, "phrases", groups, fields
 * (before words, phrases, ranges and groups), `*` and `?`, `[a TO b]`, `{a TO b}`, `>=`, `_exists_:field`, `^2` (which means
 * nothing here). What is typed in one piece is in one piece: `web-1` is a phrase of two words. Fuzziness, distances and regular expressions are refused by name.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { JsonReader } from './json-reader.js'
import { scoreOnly, type ClauseCompiler, type ClauseContext } from './clause-context.js'
import { between, type BoundName } from './comparison.js'
import { allOf, anyOf, not, type Condition } from './condition.js'
import type { Field } from './field.js'
import { phraseClause, refuseAt } from './field-clauses.js'
import { textTest } from './filter.js'
import { patternTest, wordsOf } from './text-match.js'

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

/** One way to read each text: digits that two parts may share take time by the square. */
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
    let joined = false
    for (let token = this.#peek(); token !== undefined && token !== ')'; token = this.#peek()) {
      if (token === 'AND' || token === '&&' || token === 'OR' || token === '||') {
        this.#at++
        joined = token === 'AND' || token === '&&'
        const before = items.at(-1)
        if (before === undefined) this.#json.fail(`${token} has nothing before it`)
        else if (joined) before.needed = true
        if (this.#peek() === undefined || this.#peek() === ')') this.#json.fail(`${token} has nothing behind it`)
        // What OR joins is wanted, not needed, whatever the default is.
        if (!joined && before !== undefined && this.#allNeeded) before.needed = false
        items.push(this.#item(fields, depth, joined))
      } else items.push(this.#item(fields, depth, this.#allNeeded))
    }
    const excluded = items.filter((item) => item.excluded).map((item) => not(item.condition))
    const needed = items.filter((item) => item.needed && !item.excluded).map((item) => item.condition)
    const wanted = items.filter((item) => !item.needed && !item.excluded).map((item) => item.condition)
    return allOf([...needed, anyOf(wanted, needed.length === 0 && wanted.length > 0 ? 1 : 0), ...excluded])
  }

  #peek(): string | undefined {
    while (this.#tokens[this.#at] === ' ') this.#at++
    return this.#tokens[this.#at]
  }

  #item(fields: readonly Field[], depth: number, needed: boolean): Item {
    if (depth > limits.queryDepthMax)
      throw new Refusal(
        'query_too_large',
        `a query has at most ${limits.queryDepthMax} groups and marks inside each other`,
      )
    const mark = this.#peek()
    if (mark === '+' || mark === '-' || mark === '!' || mark === 'NOT') {
      this.#at++
      const { condition } = this.#item(fields, depth + 1, true)
      return { condition, needed: mark === '+' || needed, excluded: mark !== '+' }
    }
    return { condition: this.#operand(fields, depth), needed, excluded: false }
  }

  #operand(fields: readonly Field[], depth: number): Condition {
    if (++this.#context.spent.clauses > limits.queryClausesMax) {
      throw new Refusal('query_too_large', `a query has at most ${limits.queryClausesMax} clauses`)
    }
    const token = this.#peek()
    if (token === undefined || token === ')') return this.#json.fail('the query ends where something is missing')
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
    if (next === undefined || next === ' ') return this.#json.fail(`${name}: has nothing behind it`)
    return this.#operand([name === '*' ? fields.wholeBody() : fields.field(name)], depth)
  }

  #phrase(field: Field, token: string): Condition {
    const after = this.#tokens[this.#at]
    if (after?.startsWith('~') === true) this.#json.fail('distances between words are not supported', 'unsupported')
    if (after?.startsWith('^') === true) this.#at++
    return phraseClause(field, unescaped(token.slice(1, -1)), false, this.#context, refuseAt(this.#json))
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
      return phraseClause(field, unescaped(token), false, this.#context, refuseAt(this.#json))
    }
    const { textBudget } = this.#context
    const test = patternTest(token, true, textBudget)
    return textTest(field, (text) => test(text) || wordsOf(text).some(test))
  }
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1')
}
