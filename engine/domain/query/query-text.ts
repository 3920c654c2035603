/**
 * The query language as text: read into a tree, and written from names and values.
 *
 *     label:Escalate confidence<80 (host.name:web-* OR "rule name":"Rule 003*") -user.name:* "brute force"
 *
 * Owns: the grammar, the places of mistakes, how a value is written so that it is read back. Leaves out: which events
 * pass (query-language.ts, query-string.ts). Imports nothing, so that browsers run it.
 *
 * 1. `NOT` binds tighter than `AND`, and `AND` tighter than `OR`. Parts side by side are joined as the dialect says:
 *    tighter than `OR`, less tight than `AND`. Small letters and `-`, `!`, `&`, `&&`, `|`, `||` are operators, too.
 * 2. Whatever could mean the opposite of how it reads is refused with its column, and what to write. Nothing is
 *    skipped.
 * 3. Behind the colon everything up to a blank is the value: `ip:2001:db8::1`, `url:http://a/b`. Without a field, an
 *    address, a time and the path of a Windows disk are values as well.
 * 4. A backslash makes the next character literal, unless that is a letter or a digit: there it is a backslash. `\#10;`
 *    is the character with that number, for what cannot be typed.
 */

/** A place in the text: its first character, and the first one behind it. */
interface Place {
  readonly from: number
  readonly to: number
}

export interface QueryName extends Place {
  readonly text: string
  /** A quoted name is the event's, never one of `shortNames`. */
  readonly isQuoted: boolean
}

export interface QueryValue extends Place {
  /** Without its escapes. */
  readonly text: string
  /** With `*` and `?`, other characters escaped where they need it; null: the value has no wildcard. */
  readonly pattern: string | null
  readonly isQuoted: boolean
}

export interface QueryBound {
  readonly value: QueryValue
  readonly isIncluded: boolean
}

/** A part of a query about one field; without a name about the whole event. */
export type QueryLeaf = Place & { readonly name: QueryName | null } & (
    | { readonly kind: 'match'; readonly value: QueryValue }
    | { readonly kind: 'has' }
    | { readonly kind: 'range'; readonly lower: QueryBound | null; readonly upper: QueryBound | null }
  )

export type QueryNode =
  | QueryLeaf
  /** With no parts: every event. */
  | (Place & { readonly kind: 'and' | 'or'; readonly parts: readonly QueryNode[] })
  | (Place & { readonly kind: 'not'; readonly part: QueryNode })

export interface Dialect {
  /** What parts side by side mean. */
  readonly joined: 'and' | 'or'
  /**
   * The syntax of Lucene: quotes have no wildcards, commas make no lists, `^2` is accepted, and `+` makes the parts
   * beside it optional.
   */
  readonly isLucene: boolean
  readonly clausesMax: number
  readonly depthMax: number
}

/** The query language of the service. Its bounds are those of limits.ts. */
export const serviceDialect: Dialect = { joined: 'and', isLucene: false, clausesMax: 1_024, depthMax: 32 }

/** Names that are short for the service's own fields. */
export const shortNames: Readonly<Record<string, string>> = {
  label: 'result_label',
  confidence: 'confidence_score',
  consensus: 'consensus',
  outlier: 'outlier_flag',
  score: 'outlier_score',
  bucket: 'bucket_id',
  state: 'bucket_state',
  autonomy: 'autonomy',
  model: 'model.path',
  assigned: 'assigned',
}

/** A query that cannot be read, and where. */
export class QueryMistake extends Error {
  readonly at: number
  readonly type: 'syntax' | 'unsupported' | 'too_large'

  constructor(message: string, at: number, type: QueryMistake['type'] = 'syntax') {
    super(message)
    this.at = at
    this.type = type
  }

  /** With its column, counted from 1. */
  shown(text: string): string {
    return `column ${columnOf(text, this.at)}: ${this.message}`
  }
}

export function columnOf(text: string, at: number): number {
  return [...text.slice(0, at)].length + 1
}

/** @throws QueryMistake */
export function parseQuery(text: string, dialect: Dialect = serviceDialect): QueryNode {
  return new QueryReader(text, dialect).read()
}

type Operator = 'and' | 'or' | 'not'

/** A part of a row of parts, with the sign before it. */
interface Item {
  readonly node: QueryNode
  readonly sign: '+' | '-' | ''
}

const WORD_OPERATOR = /(?:and|or|not)(?=[\s()]|$)/iy
/** Up to a blank, a bracket or a quote. */
const TOKEN = /[^\s()"]*/y
/** Letters and digits, which no dialect gives a meaning. */
const RUN = /[A-Za-z0-9_.:/%]+/y
const BOOST = /\^[\d.]+(?=[\s)]|$)/y
const FUZZY = /~[\d.]*(?=[\s)]|$)/y
const CODED = /\\#(\d{1,7});/y
const DASHES = '\u2010\u2011\u2012\u2013\u2014\u2015\u2212'
const TYPED_QUOTES = '\u201c\u201d\u201e\u201f\u00ab\u00bb'
const ALNUM = /[\p{L}\p{N}]/u

class QueryReader {
  readonly #text: string
  readonly #dialect: Dialect
  #at = 0
  #clauses = 0

  constructor(text: string, dialect: Dialect) {
    this.#text = text
    this.#dialect = dialect
  }

  read(): QueryNode {
    this.#skip()
    if (this.#isEnd) return { kind: 'and', parts: [], from: 0, to: this.#text.length }
    const node = this.#or(null, 0)
    if (!this.#isEnd) this.#fail('a bracket is closed here that was not opened')
    return node
  }

  get #isEnd(): boolean {
    return this.#at >= this.#text.length
  }

  get #here(): string {
    return this.#text[this.#at] ?? ''
  }

  #fail(message: string, at = this.#at, type: QueryMistake['type'] = 'syntax'): never {
    throw new QueryMistake(message, at, type)
  }

  #skip(): void {
    while (!this.#isEnd && isBlank(this.#here)) this.#at++
  }

  #find(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#text)?.[0] ?? null
  }

  /** The operator that stands here, and its length. */
  #operator(): { readonly operator: Operator; readonly length: number } | null {
    const word = this.#find(WORD_OPERATOR)
    if (word !== null) return { operator: word.toLowerCase() as Operator, length: word.length }
    const [first, second] = [this.#here, this.#text[this.#at + 1] ?? '']
    if (first === '&') return { operator: 'and', length: second === '&' ? 2 : 1 }
    if (first === '|') return { operator: 'or', length: second === '|' ? 2 : 1 }
    if (first === '!' && second !== '=') return { operator: 'not', length: 1 }
    if (first !== '-') return null
    if (second === '' || isBlank(second))
      return this.#fail('`-` stands directly before what it excludes; as text it needs quotes')
    return { operator: 'not', length: 1 }
  }

  #operatorText(length: number): string {
    return this.#text.slice(this.#at, this.#at + length)
  }

  #or(name: QueryName | null, depth: number): QueryNode {
    const parts = [this.#row(name, depth)]
    for (;;) {
      this.#skip()
      const found = this.#isEnd || this.#here === ')' ? null : this.#operator()
      if (found?.operator !== 'or') break
      const text = this.#operatorText(found.length)
      this.#at += found.length
      this.#skip()
      if (this.#isEnd || this.#here === ')') this.#fail(`${text} has nothing behind it`)
      parts.push(this.#row(name, depth))
    }
    return joinedBy('or', parts)
  }

  /** Parts side by side, each of which may be a chain of AND. */
  #row(name: QueryName | null, depth: number): QueryNode {
    const items: Item[] = []
    for (;;) {
      this.#skip()
      if (this.#isEnd || this.#here === ')') break
      const found = this.#operator()
      if (found?.operator === 'or' || found?.operator === 'and') {
        if (items.length === 0) this.#fail(`${this.#operatorText(found.length)} has nothing before it`)
        if (found.operator === 'or') break
        const text = this.#operatorText(found.length)
        this.#at += found.length
        this.#skip()
        if (this.#isEnd || this.#here === ')') this.#fail(`${text} has nothing behind it`)
        const { node } = items.pop() as Item
        items.push({ node: joinedBy('and', [node, this.#unary(name, depth).node]), sign: '' })
        continue
      }
      if (items.length > 0 && name !== null && !this.#dialect.isLucene)
        this.#fail('write AND or OR between two values of one field')
      items.push(this.#unary(name, depth))
    }
    if (items.length === 0) this.#fail(this.#isEnd ? 'the query is incomplete at its end' : 'the brackets are empty')
    return this.#joined(items)
  }

  #joined(items: readonly Item[]): QueryNode {
    const signed = (wanted: Item['sign']): QueryNode[] =>
      items.filter(({ sign }) => sign === wanted).map(({ node }) => node)
    if (this.#dialect.joined === 'and')
      return joinedBy(
        'and',
        items.map(({ node }) => node),
      )
    const [needed, wanted, excluded] = [signed('+'), signed(''), signed('-')]
    const least = needed.length > 0 || wanted.length === 0 ? [] : [joinedBy('or', wanted)]
    return joinedBy('and', [...needed, ...least, ...excluded])
  }

  #unary(name: QueryName | null, depth: number): Item {
    if (depth > this.#dialect.depthMax)
      this.#fail(
        `a query has at most ${this.#dialect.depthMax} brackets and signs inside each other`,
        this.#at,
        'too_large',
      )
    this.#skip()
    const from = this.#at
    const found = this.#isEnd ? null : this.#operator()
    if (found?.operator === 'not') {
      const text = this.#operatorText(found.length)
      this.#at += found.length
      this.#skip()
      if (this.#isEnd || this.#here === ')') this.#fail(`${text} has nothing behind it`)
      if (name !== null && text === '-' && /\d/.test(this.#here))
        this.#fail(`-${this.#here}… may be a number, or what to exclude: write it in quotes, or with NOT`, from)
      const { node, sign } = this.#unary(name, depth + 1)
      if (sign === '-' && node.kind === 'not') return { node: node.part, sign: '' }
      return { node: { kind: 'not', part: node, from, to: this.#at }, sign: '-' }
    }
    if (found !== null) this.#fail(`${this.#operatorText(found.length)} has nothing before it`)
    if (this.#here === '+') {
      this.#at++
      if (this.#isEnd || isBlank(this.#here))
        this.#fail('`+` stands directly before what is needed; as text it needs quotes', from)
      return { node: this.#unary(name, depth + 1).node, sign: '+' }
    }
    return { node: this.#primary(name, depth), sign: '' }
  }

  #primary(name: QueryName | null, depth: number): QueryNode {
    if (++this.#clauses > this.#dialect.clausesMax)
      this.#fail(`a query has at most ${this.#dialect.clausesMax} conditions`, this.#at, 'too_large')
    if (this.#here === '(') return this.#brackets(name, depth)
    return name === null ? this.#term(depth) : this.#valueOf(name, this.#at)
  }

  #brackets(name: QueryName | null, depth: number): QueryNode {
    const from = this.#at++
    const node = this.#or(name, depth + 1)
    if (this.#here !== ')') this.#fail('the bracket that is opened here is not closed', from)
    this.#at++
    if (this.#dialect.isLucene) this.#at += this.#find(BOOST)?.length ?? 0
    return { ...node, from, to: this.#at }
  }

  /** A condition on a field, or a text to look for. */
  #term(depth: number): QueryNode {
    const from = this.#at
    this.#mustBeTyped()
    const name = this.#name()
    if (name === null) return this.#plain(from)
    if (name.text === '_exists_' && !name.isQuoted && this.#here === ':') return this.#exists(from)
    if (/[*?]/.test(this.#text.slice(name.from, name.to).replace(/\\./g, '')) && !name.isQuoted && name.text !== '*')
      this.#fail('the name of a field has no wildcards', from)
    return this.#condition(name, from, depth)
  }

  #exists(from: number): QueryNode {
    this.#at++
    const value = this.#value(false)
    return { kind: 'has', name: { ...value, isQuoted: value.isQuoted }, from, to: this.#at }
  }

  /** Typographic signs look like those of the language and are others. */
  #mustBeTyped(): void {
    if (DASHES.includes(this.#here) && this.#here !== '')
      this.#fail(`\`${this.#here}\` is not the sign \`-\`; to exclude write \`-\`, as text it needs quotes`)
    if (TYPED_QUOTES.includes(this.#here) && this.#here !== '')
      this.#fail(`\`${this.#here}\` is no quote of the language; write \`"\``)
  }

  /** The name of a field, if a sign follows it directly. The text is then at the sign. */
  #name(): QueryName | null {
    const from = this.#at
    if (this.#here === '"') {
      const text = this.#quoted().text
      if (/^(?::|=|!=|[<>])/.test(this.#text.slice(this.#at, this.#at + 2)) && this.#at > from)
        return { text, isQuoted: true, from, to: this.#at }
      this.#at = from
      return null
    }
    const token = this.#find(TOKEN) ?? ''
    if (isValue(token)) return null
    let text = ''
    let at = from
    for (; at < from + token.length; at++) {
      const one = this.#text[at] as string
      if (one === '\\' && at + 1 < this.#text.length) text += this.#text[++at]
      else if (isSign(this.#text, at, this.#dialect.isLucene)) break
      else text += one
    }
    if (at >= from + token.length) return null
    const sign = this.#text[at] as string
    if (text === '') this.#fail(`\`${sign}\` has no name of a field before it; as text it needs quotes`, from)
    if (this.#dialect.isLucene && sign !== ':')
      this.#fail(`write ${text}:${this.#text.slice(at, at + 2)}… to compare; as text it needs quotes`, from)
    if (sign !== ':' && !/[\p{L}\p{N}_\]]$/u.test(text))
      this.#fail(`\`${sign}\` compares the field before it; as text it needs quotes`, at)
    this.#at = at
    return { text, isQuoted: false, from, to: at }
  }

  #condition(name: QueryName, from: number, depth: number): QueryNode {
    const sign = /^(?:!=|[<>]=?|[:=])/.exec(this.#text.slice(this.#at, this.#at + 2))?.[0] as string
    const signAt = this.#at
    this.#at += sign.length
    if (sign.startsWith('<') || sign.startsWith('>')) return this.#comparison(name, sign, from)
    const shown = this.#text.slice(from, this.#at)
    if (this.#isEnd || isBlank(this.#here) || this.#here === ')')
      this.#fail(`a value is expected directly behind \`${shown}\``)
    if (this.#here === '=') this.#fail(`write \`${this.#text.slice(from, signAt)}:\` for "is" and \`!=\` for "is not"`)
    if (sign !== ':' && (this.#here === '<' || this.#here === '>' || this.#here === '~'))
      this.#fail(`\`${sign}${this.#here}\` is no sign; write \`:\`, \`!=\`, \`>=\`, \`<=\`, \`>\` or \`<\``, signAt)
    const node = this.#here === '(' ? this.#brackets(name, depth) : this.#valueOf(name, from)
    return sign === '!=' ? { kind: 'not', part: node, from, to: this.#at } : { ...node, from }
  }

  #comparison(name: QueryName, sign: string, from: number): QueryNode {
    if (/[=<>~!]/.test(this.#here))
      this.#fail(`\`${sign}${this.#here}\` is no sign; "is not" is written \`!=\` or \`-\``, this.#at - sign.length)
    if (this.#isEnd || isBlank(this.#here) || '()'.includes(this.#here))
      this.#fail(`a value is expected directly behind \`${sign}\``)
    const value = this.#value(false)
    if (value.pattern !== null) this.#fail('a bound has no wildcards', value.from)
    const bound = { value, isIncluded: sign.endsWith('=') }
    const bounds = sign.startsWith('<') ? { lower: null, upper: bound } : { lower: bound, upper: null }
    return { kind: 'range', name, ...bounds, from, to: this.#at }
  }

  /** A value, several with commas, or a range. */
  #valueOf(name: QueryName, from: number): QueryNode {
    this.#mustBeTyped()
    if (this.#here === '[' || this.#here === '{') {
      const range = this.#range()
      if (range !== null) return { kind: 'range', name, ...range, from, to: this.#at }
    }
    const compared = /^[<>]=?/.exec(this.#text.slice(this.#at, this.#at + 2))?.[0]
    if (compared !== undefined) {
      this.#at += compared.length
      return this.#comparison(name, compared, from)
    }
    const word = this.#find(WORD_OPERATOR)
    if (word !== null)
      this.#fail(`\`${word}\` is an operator: to exclude write NOT ${name.text}:…, as a value it needs quotes`)
    if (this.#here === '!' || (this.#here === '-' && !/^\.?\d/.test(this.#text.slice(this.#at + 1, this.#at + 3))))
      this.#fail(`to exclude write -${name.text}:…; a value that begins with \`${this.#here}\` needs quotes`)
    if (this.#dialect.isLucene && this.#here === '/')
      this.#fail(
        'regular expressions are not supported; a value that begins with `/` needs quotes',
        this.#at,
        'unsupported',
      )
    if (this.#here === ',') this.#fail('a value is expected before the comma; a comma in a value needs quotes')
    const values = [this.#value(true)]
    while (this.#here === ',') {
      this.#at++
      if (this.#isEnd || isBlank(this.#here) || '(),'.includes(this.#here))
        this.#fail('a value is expected directly behind the comma; a comma in a value needs quotes')
      values.push(this.#value(true))
    }
    const matches = values.map((value) => matchOf(name, value))
    return { ...joinedBy('or', matches), from, to: this.#at }
  }

  /** A text without a field. */
  #plain(from: number): QueryNode {
    if (this.#here === '[' || this.#here === '{') {
      const range = this.#dialect.isLucene ? this.#range() : null
      if (range !== null) return { kind: 'range', name: null, ...range, from, to: this.#at }
    }
    if (this.#dialect.isLucene && this.#here === '/')
      this.#fail('regular expressions are not supported; a text that begins with `/` needs quotes', from, 'unsupported')
    if (this.#dialect.isLucene && /[<>]/.test(this.#here)) this.#fail('a comparison has no field: write field:>=value')
    return matchOf(null, this.#value(false))
  }

  #range(): { lower: QueryBound | null; upper: QueryBound | null } | null {
    const from = this.#at
    const parts = RANGE.exec(this.#text.slice(from))
    if (parts === null) {
      // A word such as [kworker/0:1] is a value.
      if (!this.#dialect.isLucene && /[\]}]/.test(this.#find(TOKEN) ?? '')) return null
      this.#fail('a range is written [a TO b], or {a TO b} without its ends')
    }
    const [whole, open, low, high, close] = parts as unknown as [string, string, string, string, string]
    this.#at += whole.length
    if (!this.#isEnd && !isBlank(this.#here) && this.#here !== ')') this.#fail('a blank is expected behind the range')
    const bound = (text: string, isIncluded: boolean): QueryBound | null => {
      if (text === '*') return null
      return {
        value: { text: boundText(text), pattern: null, isQuoted: text.startsWith('"'), from, to: this.#at },
        isIncluded,
      }
    }
    return { lower: bound(low, open === '['), upper: bound(high, close === ']') }
  }

  /** Reads a value up to a blank, a bracket, or with `isListed` a comma. */
  #value(isListed: boolean): QueryValue {
    const from = this.#at
    const value = new ValueBuilder()
    const { isLucene } = this.#dialect
    const isOver = (): boolean => {
      const one = this.#here
      return this.#isEnd || isBlank(one) || one === ')' || (one === ',' && isListed && !isLucene)
    }
    while (!isOver()) {
      const one = this.#here
      if (one === '(') this.#fail('a bracket directly behind a word needs a blank before it; as text it needs quotes')
      if (isLucene && (one === '"' || this.#at > from) && this.#ending(from, value)) break
      if (one === '"') this.#takeQuoted(value)
      else if (one === '\\') this.#takeEscaped(value)
      else this.#takePlain(from, value)
    }
    value.mustBeClear()
    return value.done(from, this.#at, this.#text[from] === '"')
  }

  #takePlain(from: number, value: ValueBuilder): void {
    const run = this.#find(RUN)
    if (run !== null) {
      this.#at += run.length
      return value.literal(run)
    }
    const one = this.#here
    if (one === '|' || one === '&') this.#mustBeAddress(from)
    this.#at++
    if (one === '*' || one === '?') value.wildcard(one)
    else value.literal(one)
  }

  /** In Lucene a phrase is a value of its own. `^2` ends a word and means nothing here; `~` is refused. */
  #ending(from: number, value: ValueBuilder): boolean {
    if (this.#here === '"') {
      if (this.#at > from) this.#fail('a quote inside a word needs a blank before it')
      this.#takeQuoted(value)
      this.#behindPhrase()
      return true
    }
    const boost = this.#find(BOOST)
    if (boost !== null) this.#at += boost.length
    else if (this.#find(FUZZY) !== null)
      this.#fail('fuzziness (~) is not supported; as text it needs quotes', from, 'unsupported')
    return boost !== null
  }

  #behindPhrase(): void {
    if (this.#here === '~') this.#fail('distances between words (~) are not supported', this.#at, 'unsupported')
    this.#at += this.#find(BOOST)?.length ?? 0
    if (!this.#isEnd && !isBlank(this.#here) && this.#here !== ')') this.#fail('a blank is expected behind the quotes')
  }

  #mustBeAddress(from: number): void {
    if (this.#text.slice(from, this.#at).includes('://')) return
    const [one, word] = this.#here === '|' ? ['|', 'OR'] : ['&', 'AND']
    this.#fail(`\`${one}\` inside a word: write ${word} with blanks, or quotes where it is part of the value`)
  }

  #quoted(): QueryValue {
    const from = this.#at
    const value = new ValueBuilder()
    this.#takeQuoted(value)
    return value.done(from, this.#at, true)
  }

  #takeQuoted(value: ValueBuilder): void {
    const from = this.#at++
    for (;;) {
      if (this.#isEnd) this.#fail('the quotes that are opened here are not closed', from)
      const one = this.#here
      if (one === '\\') this.#takeEscaped(value)
      else {
        this.#at++
        if (one === '"') return
        if (!this.#dialect.isLucene && (one === '*' || one === '?')) value.wildcard(one)
        else value.literal(one)
      }
    }
  }

  #takeEscaped(value: ValueBuilder): void {
    const coded = this.#dialect.isLucene ? null : this.#find(CODED)
    if (coded !== null) {
      const code = Number(coded.slice(2, -1))
      if (code > 0x10ffff) this.#fail('there is no character with this number')
      this.#at += coded.length
      return value.literal(code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code))
    }
    const next = this.#text[this.#at + 1]
    if (next === undefined) this.#fail('a backslash is the last character; write two for a backslash')
    if (ALNUM.test(next)) {
      this.#at++
      value.backslashAt ??= this.#at - 1
      return value.literal('\\')
    }
    value.escapeAt ??= this.#at
    this.#at += 2
    value.literal(next)
  }
}

/** Collects a value character by character. */
class ValueBuilder {
  #text = ''
  #pattern = ''
  #hasWildcard = false
  /** Where a single backslash stands for itself. */
  backslashAt: number | null = null
  /** Where one makes a sign literal. */
  escapeAt: number | null = null

  literal(one: string): void {
    this.#text += one
    this.#pattern += one === '*' || one === '?' || one === '\\' ? `\\${one}` : one
  }

  wildcard(one: string): void {
    this.#text += one
    this.#pattern += one
    this.#hasWildcard = true
  }

  /** `C:\Windows\*` may mean a star, or all files of the folder; `\\web-1\share` may begin with one or two. */
  mustBeClear(): void {
    if (this.backslashAt === null || this.escapeAt === null) return
    const message = 'a backslash before a sign makes it literal, so write `\\\\` for each backslash of this value'
    throw new QueryMistake(message, this.escapeAt)
  }

  done(from: number, to: number, isQuoted: boolean): QueryValue {
    return { text: this.#text, pattern: this.#hasWildcard ? this.#pattern : null, isQuoted, from, to }
  }
}

const RANGE = /^([[{])\s*("(?:[^"\\]|\\.)*"|[^\s"]+)\s+to\s+("(?:[^"\\]|\\.)*"|[^\s"]*?)\s*([\]}])/i

function boundText(text: string): string {
  const plain = text.startsWith('"') ? text.slice(1, -1) : text
  return plain.replace(/\\([^\p{L}\p{N}])/gu, '$1')
}

function isBlank(one: string): boolean {
  return /\s/.test(one)
}

/** True where a name ends. In Lucene signs of comparison are text, unless a name stands before them. */
function isSign(text: string, at: number, isLucene: boolean): boolean {
  const one = text[at]
  if (one === ':') return true
  if (isLucene) return (one === '<' || one === '>') && /(?:^|[\s(])[\w.@]+$/.test(text.slice(Math.max(0, at - 200), at))
  return one === '=' || one === '<' || one === '>' || (one === '!' && text[at + 1] === '=')
}

function matchOf(name: QueryName | null, value: QueryValue): QueryLeaf {
  const place = { name, from: value.from, to: value.to }
  const isAny = value.pattern !== null && /^\*+$/.test(value.pattern) && !value.isQuoted
  return isAny ? { kind: 'has', ...place } : { kind: 'match', value, ...place }
}

function joinedBy(kind: 'and' | 'or', parts: readonly QueryNode[]): QueryNode {
  const [first] = parts
  if (parts.length === 1 && first !== undefined) return first
  return { kind, parts, from: first?.from ?? 0, to: parts.at(-1)?.to ?? 0 }
}

/** True for what has colons and is no condition: an address, a time, the path of a Windows disk. */
function isValue(token: string): boolean {
  if (!token.includes(':')) return false
  return (
    /^[a-z][a-z0-9+.-]*:\/\//i.test(token) ||
    /^(?:[A-Za-z]:\\[\p{L}\p{N}_\\]|[A-Z]:\/)/u.test(token) ||
    /^\d+:/.test(token) ||
    /^\d{4}-\d{2}-\d{2}T\d/.test(token) ||
    /^[0-9a-f]{2}(?::[0-9a-f]{2}){5,7}$/i.test(token) ||
    isAddress(token)
  )
}

/** True for an address of IPv6, with a zone or a length of its net. */
function isAddress(token: string): boolean {
  const plain = token.replace(/[%/].*$/s, '')
  if (plain.length > 45 || !/^[0-9a-f:]*(?:\d+\.\d+\.\d+\.\d+)?$/i.test(plain)) return false
  const groups = plain.split(':')
  const isShort = plain.includes('::')
  if (groups.length < 3 || groups.length > 9 || (!isShort && groups.length !== 8)) return false
  return groups.every((group) => group.length <= 4 || group.includes('.'))
}

/** True for the beginning of a long value, of which lists and facets show no more. */
export function isBeginning(pattern: string): boolean {
  return /^(?:[^*?\\]|\\.){200,}\*$/s.test(pattern)
}

/** True for `me` where it stands for who asks. */
export function isMe(name: QueryName | null, { text, isQuoted }: QueryValue): boolean {
  return (
    name !== null && !name.isQuoted && (name.text === 'assigned' || name.text === 'voter') && text === 'me' && !isQuoted
  )
}

/** A value that is read back as it is: as it is where it can be, else in quotes. */
export function valueText(text: string): string {
  if (/^[\p{L}\p{N}_.:/@%][\p{L}\p{N}_.:/@%+-]*$/u.test(text) && !/^(?:and|or|not|to)$/i.test(text)) return text
  return quotedText(text)
}

/** A value in quotes, as it is. */
export function quotedText(text: string): string {
  return `"${text.replace(/["\\*?]/g, '\\$&').replace(/[\0-\x1f\x7f\u2028\u2029]|\p{Cs}/gu, coded)}"`
}

function coded(one: string): string {
  return `\\#${one.charCodeAt(0)};`
}

/**
 * The condition on one of some values, each as `valueText` writes it, or a range. `name` is from `nameText`. Names and
 * values of the condition are read back as they are.
 */
export function conditionText(name: string, values: readonly string[]): string {
  const [first = '""', ...rest] = values
  if (values.some((value) => /^[[{]/.test(value)) && rest.length > 0) return `${name}:(${values.join(' OR ')})`
  const condition = `${name}:${values.join(',')}`
  return isValue(condition) ? `${name}:${[quotedText(first), ...rest].join(',')}` : condition
}

/** Columns of answers besides those with a short name. Without quotes they may be the service's field. */
export const columnNames: readonly string[] = [
  'event_id',
  'job_id',
  'job_title',
  'title',
  'severity',
  'storage_tag',
  'inference_status',
  'result',
  'result_label',
  'previous_result',
  'bucket_state',
  'knowledge_base_state',
  'bucket_id',
  'outlier_flag',
  'outlier_score',
  'confidence_score',
  'model.path',
  'model.timestamp',
  'last_compute_consensus_timestamp',
  'pipeline_status',
  'pipeline_stage',
  'voter',
  'voted',
  'note',
  'attention.low_confidence_score.attention_required',
  'attention.undecided_consensus.attention_required',
]

/** The name of a field as it is written in a query. `service`: the name of the service in fields. */
export function nameText(field: string, service: string): string {
  if (field.startsWith(`${service}.`)) {
    const own = field.slice(service.length + 1)
    const short = Object.keys(shortNames).find((name) => shortNames[name] === own)
    if (short !== undefined) return short
  }
  const isPlain =
    /^[\p{L}_@$][\p{L}\p{N}_.@$/-]*$/u.test(field) &&
    !Object.hasOwn(shortNames, field) &&
    !columnNames.includes(field) &&
    !/^(?:and|or|not|_exists_)$/i.test(field)
  return isPlain ? field : quotedText(field)
}
