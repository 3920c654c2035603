import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeededRandom } from '../../../../engine/rng.js'
import { limits } from '../../../../engine/limits.js'
import {
  conditionText,
  valueText,
  nameText,
  parseQuery,
  QueryMistake,
  serviceDialect,
  shortNames,
  type Dialect,
  type QueryNode,
} from '../../../../engine/domain/query/query-text.js'

const lucene: Dialect = { ...serviceDialect, joined: 'or', isLucene: true }

/** A tree on a line: `[a & [b | !c]]`; `"name"=value` is a quoted name, `~` a pattern. */
function shown(node: QueryNode): string {
  if (node.kind === 'not') return `!${shown(node.part)}`
  if ('parts' in node) return `[${node.parts.map(shown).join(node.kind === 'and' ? ' & ' : ' | ')}]`
  const name = node.name === null ? '' : node.name.isQuoted ? `"${node.name.text}"` : node.name.text
  if (node.kind === 'has') return `${name}=*`
  if (node.kind === 'match')
    return `${name}=${node.value.pattern === null ? '' : '~'}${node.value.pattern ?? node.value.text}`
  const low = node.lower === null ? '' : `${node.lower.isIncluded ? '>=' : '>'}${node.lower.value.text}`
  const high = node.upper === null ? '' : `${node.upper.isIncluded ? '<=' : '<'}${node.upper.value.text}`
  return `${name}${low}${high}`
}

test('operators have the usual precedence, in any case of letters and as signs', () => {
  for (const [text, tree, inLucene = tree] of [
    ['a b', '[=a & =b]', '[=a | =b]'],
    ['a OR b AND c', '[=a | [=b & =c]]'],
    ['a b OR c', '[[=a & =b] | =c]', '[[=a | =b] | =c]'],
    ['a -b OR c', '[[=a & !=b] | =c]'],
    ['not host:web-1', '!host=web-1'],
    ['NOT a b', '[!=a & =b]', '[=b & !=a]'],
    ['host:web-1 and path:*cmd.exe', '[host=web-1 & path=~*cmd.exe]'],
    ['a or Not b', '[=a | !=b]'],
    ['a | b', '[=a | =b]'],
    ['a || b', '[=a | =b]'],
    ['a & b', '[=a & =b]'],
    ['a && ! b', '[=a & !=b]'],
    ['a !b', '[=a & !=b]'],
    ['NOT NOT a', '=a'],
    ['-(a OR b)', '![=a | =b]'],
    ['(a OR b) c', '[[=a | =b] & =c]', '[[=a | =b] | =c]'],
    ['+a b', '[=a & =b]', '=a'],
    ['host:(a OR b)', '[host=a | host=b]'],
    ['host:(a OR NOT *)', '[host=a | !host=*]'],
    ['n:(>5 AND <=10)', '[n>5 & n<=10]'],
  ] as const) {
    assert.equal(shown(parseQuery(text)), tree, text)
    assert.equal(shown(parseQuery(text, lucene)), inLucene, text)
  }
})

test('a value goes on to the next blank, whatever colons it has', () => {
  for (const [text, tree] of [
    ['ip:2001:db8::1', 'ip=2001:db8::1'],
    ['2001:db8::1', '=2001:db8::1'],
    ['::1', '=::1'],
    ['fe80::1%eth0/64', '=fe80::1%eth0/64'],
    ['-2001:db8::1', '!=2001:db8::1'],
    ['00:1a:2b:3c:4d:5e', '=00:1a:2b:3c:4d:5e'],
    ['10:00:00', '=10:00:00'],
    ['2026-01-31T10:00:00Z', '=2026-01-31T10:00:00Z'],
    ['at:10:00:00', 'at=10:00:00'],
    ['url:http://a.example/b', 'url=http://a.example/b'],
    ['http://a.example/b', '=http://a.example/b'],
    ['host:name:web-1', 'host=name:web-1'],
    ['a:b:c', 'a=b:c'],
    ['C:\\Windows', '=C:\\Windows'],
    ['path:C:\\Windows\\cmd.exe', 'path=C:\\Windows\\cmd.exe'],
    ['path:C\\:\\\\Windows\\\\*\\\\cmd.exe', 'path=~C:\\\\Windows\\\\*\\\\cmd.exe'],
    ['a:x\\\\*', 'a=~x\\\\*'],
    ['a:x\\*', 'a=x*'],
    ['n:-5', 'n=-5'],
    ['a:"b c"', 'a=b c'],
    ['a:"b \\"c\\""', 'a=b "c"'],
    ['n:[1 TO 5}', 'n>=1<5'],
    ['n:[* to "b c"]', 'n<=b c'],
    ['n:>=5', 'n>=5'],
    ['tag:*', 'tag=*'],
    ['_exists_:tag', 'tag=*'],
  ] as const) {
    assert.equal(shown(parseQuery(text)), tree, text)
    assert.equal(shown(parseQuery(text, lucene)), tree, text)
  }
})

test('the language of the service has wildcards in quotes, lists, comparisons and names in quotes', () => {
  for (const [text, tree] of [
    ['', '[]'],
    ['  ', '[]'],
    ['title:"Rule 003*"', 'title=~Rule 003*'],
    ['title:"Rule 003"*', 'title=~Rule 003*'],
    ['title:"Rule 003\\*"', 'title=Rule 003*'],
    ['id:1,2,"3,4"', '[id=1 | id=2 | id=3,4]'],
    ['c<80', 'c<80'],
    ['c>=80', 'c>=80'],
    ['c=80', 'c=80'],
    ['c!=80', '!c=80'],
    ['"state":firing', '"state"=firing'],
    ['"a b":c', '"a b"=c'],
    ['path:/etc/passwd', 'path=/etc/passwd'],
    ['process:[kworker/0:1]', 'process=[kworker/0:1]'],
    ['C:\\PROGRA~1', '=C:\\PROGRA~1'],
    ['url:http://x/?a=1&b=2', 'url=~http://x/?a=1&b=2'],
    ['a:"b\\#10;c"', 'a=b\nc'],
    ['*:x', '*=x'],
    ['hello,world', '=hello,world'],
    ['$x:1', '$x=1'],
  ] as const)
    assert.equal(shown(parseQuery(text)), tree, text)
})

test('what could mean the opposite, and what cannot be read, is refused with its column', () => {
  for (const [text, column, isOfLucene = true] of [
    ['host:!web', 6],
    ['host:-web', 6],
    ['host:NOT web', 6],
    ['host:not', 6],
    ['n:(-5 OR 3)', 4],
    ['a - b', 3],
    ['a + b', 3],
    ['a|b', 2],
    ['a&b', 2],
    ['-host:a|b', 8],
    ['–host:web', 1],
    ['“too many”', 1],
    ['(a', 1],
    ['a)', 2],
    ['a ()', 4],
    ['host:', 6],
    ['host: web', 6],
    ['host :web', 6],
    ['OR a', 1],
    ['a AND', 6],
    ['a OR', 5],
    ['a AND OR b', 7],
    ['NOT', 4],
    ['"open', 1],
    ['foo(bar)', 4],
    ['a*:x', 1],
    ['path:C:\\Windows\\*', 16],
    ['path:\\\\srv\\share', 6],
    ['a\\', 2],
    ['n:[1 2]', 3],
    ['<script>', 1],
    ['host==web', 6, false],
    ['host=~web', 5, false],
    ['c<>5', 2, false],
    ['c=>5', 2, false],
    ['x->y', 3, false],
    ['host:(a b)', 9, false],
    ['id:1,', 6, false],
    ['id:,1', 4, false],
    ['c<*', 3, false],
  ] as const)
    for (const dialect of isOfLucene ? [serviceDialect, lucene] : [serviceDialect])
      assert.throws(
        () => parseQuery(text, dialect),
        (error) => error instanceof QueryMistake && error.shown(text).startsWith(`column ${column}: `),
        `${text} ${dialect.isLucene}`,
      )
})

test('columns count characters, not units of UTF-16', () => {
  assert.throws(
    () => parseQuery('"😀" )'),
    (error) => error instanceof QueryMistake && error.shown('"😀" )').startsWith('column 5:'),
  )
})

test('any value that is written is read back as itself', () => {
  const random = new SeededRandom(7)
  const pieces = [
    'a',
    'é',
    ' ',
    '"',
    '\\',
    '*',
    '?',
    ':',
    '(',
    ')',
    '-',
    '!',
    ',',
    '&',
    '|',
    '[',
    ']',
    '{',
    '<',
    '=',
    '~',
    '^',
    '/',
    '.',
    '#10;',
    '\n',
    '\t',
    '\0',
    '\u2028',
    '\ud800',
    '😀',
    'OR',
    'me',
    '0',
    '\u00a0',
    '\ufeff',
    'C:\\',
    '::1',
    'http://',
    '_',
    '%',
    '@',
    '+',
    '–',
    '“',
  ] // prettier-ignore
  const textOf = (): string => Array.from({ length: random.below(6) }, () => random.pick(pieces)).join('')
  const names = [
    ...pieces.map((piece) => `f${piece}`),
    ...Object.keys(shortNames),
    'and',
    'a',
    'ab',
    'C',
    '1',
    'k8s.io/name',
    'service.result',
    '*',
    'a*',
  ]
  for (let i = 0; i < 20_000; i++) {
    const [name, value] = [random.pick(names), textOf()]
    const written = conditionText(nameText(name, 'service'), [valueText(value)])
    const node = parseQuery(`x ${written} y`)
    const condition = 'parts' in node ? node.parts[1] : undefined
    assert.ok(condition?.kind === 'match' && condition.value.pattern === null, written)
    assert.equal(condition.value.text, value, written)
    assert.equal(condition.name?.text, name, written)
    assert.ok(condition.name.isQuoted || !Object.hasOwn(shortNames, name), written)
  }
  assert.equal(nameText('service.result_label', 'service'), 'label')
  assert.equal(nameText('result_label', 'service'), '"result_label"')
  assert.equal(nameText('label', 'service'), '"label"')
})

test('any text is read in time that grows with its length, or refused', () => {
  const random = new SeededRandom(11)
  const pieces = [
    'a',
    ':',
    '"',
    '\\',
    '(',
    ')',
    ' OR ',
    ' AND ',
    'not ',
    '-',
    '!',
    '*',
    '[',
    ' TO ',
    ']',
    '>',
    '=',
    '~',
    '^2',
    ',',
    '|',
    '&',
    '/',
    '::',
    ' ',
  ]
  const texts = [
    ...Array.from({ length: 3_000 }, () =>
      Array.from({ length: random.below(14) }, () => random.pick(pieces)).join(''),
    ),
    ...['-', '(', 'NOT ', '"', '\\', '[a TO ', 'a~1', '^', '<', ':', 'a:(', 'a OR '].map((one) => one.repeat(20_000)),
  ]
  for (const text of texts)
    for (const dialect of [serviceDialect, lucene]) {
      try {
        parseQuery(text, dialect)
      } catch (error) {
        assert.ok(error instanceof QueryMistake, `${text.slice(0, 80)}: ${String(error)}`)
        assert.ok(error.at <= text.length)
      }
    }
})

test('browsers have the bounds of the service', () => {
  assert.equal(serviceDialect.clausesMax, limits.queryClausesMax)
  assert.equal(serviceDialect.depthMax, limits.queryDepthMax)
})
