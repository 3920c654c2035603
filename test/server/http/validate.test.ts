import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { isRefusal, type Issue } from '../../../engine/errors.js'
import { limits } from '../../../engine/limits.js'
import { booleanOf, Checker, parseJson } from '../../../server/http/validate.js'

const checker = new Checker(
  Type.Object({
    name: Type.String({ maxLength: 5 }),
    flag: Type.Optional(Type.Boolean()),
    count: Type.Optional(Type.Integer()),
    kind: Type.Optional(Type.Enum(['a', 'b'])),
    order: Type.Optional(Type.String({ pattern: '^(asc|desc)$', description: 'asc or desc.' })),
  }),
  'body',
)

function issues(run: () => unknown): readonly Issue[] {
  try {
    run()
  } catch (error) {
    assert.ok(isRefusal(error, 'invalid_body'))
    return error.context.issues ?? []
  }
  return []
}

test('null means absent and unknown fields are ignored', () => {
  assert.deepEqual(checker.check({ name: 'x', flag: null, other: 1 }), { name: 'x', other: 1 })
})

test('every fault is told with its place', () => {
  assert.deepEqual(
    issues(() => checker.check({ flag: 'yes', kind: 'c' })).map(({ loc, type }) => [loc, type]),
    [
      [['body', 'name'], 'missing'],
      [['body', 'flag'], 'type'],
      [['body', 'kind'], 'enum'],
    ],
  )
  assert.deepEqual(issues(() => checker.check({ name: null }))[0], {
    loc: ['body', 'name'],
    msg: 'Field required',
    type: 'missing',
  })
  assert.deepEqual(issues(() => checker.check([]))[0]?.loc, ['body'])
  assert.deepEqual(issues(() => checker.check('x'))[0]?.loc, ['body'])
})

test('a text of another form is told what it should be, not the pattern', () => {
  assert.equal(issues(() => checker.check({ name: 'x', kind: 'c' }))[0]?.msg, 'must be one of: a, b')
  assert.equal(issues(() => checker.check({ name: 'x', order: 'up' }))[0]?.msg, 'must be as described: asc or desc.')
})

test('a value of several forms has one message: of the form that was meant, or with all forms', () => {
  const costs = Type.Array(Type.Number(), { minItems: 2, maxItems: 9 })
  const forms = new Checker(
    Type.Object({
      objective: Type.Union([Type.Enum(['a', 'b']), Type.Object({ costs }, { additionalProperties: false })]),
      ids: Type.Optional(Type.Union([Type.String({ maxLength: 3 }), Type.Array(Type.String())])),
    }),
    'body',
  )
  const told = (value: object): unknown =>
    issues(() => forms.check({ objective: 'a', ...value })).map(({ loc, msg }) => `${loc.slice(1).join('.')} ${msg}`)
  const all = 'must be one of: a, b, or an object with costs'
  assert.deepEqual(told({ objective: 'c' }), ['objective must be one of: a, b'])
  for (const objective of [5, [1], true]) assert.deepEqual(told({ objective }), [`objective ${all}`])
  assert.deepEqual(told({ objective: {} }), ['objective.costs Field required'])
  assert.deepEqual(told({ objective: { costs: [1, 2], cost: 1 } }), ['objective.cost is not known; use costs'])
  assert.deepEqual(told({ objective: { costs: [1, 'x'] } }), ['objective.costs.1 must be number'])
  const many = told({ objective: { costs: [...'too many'] } })
  assert.ok(
    (many as string[]).every((one) => /^objective\.costs\.\d must be number$/.test(one)),
    String(many),
  )
  assert.deepEqual(told({ ids: 5 }), ['ids must be one of: string, or a list of these: string'])
  assert.deepEqual(told({ ids: ['a', 7], objective: 'c' }), ['ids.1 must be string', 'objective must be one of: a, b'])
  assert.equal((told({ ids: 'long' }) as string[]).length, 1)
  const scalar = Type.Union([Type.String(), Type.Number()])
  const nested = new Checker(Type.Object({ value: Type.Union([scalar, Type.Array(scalar), Type.Null()]) }), 'body')
  const ofValue = (value: unknown): string[] =>
    issues(() => nested.check({ value })).map(({ loc, msg }) => `${loc.slice(1).join('.')} ${msg}`)
  assert.deepEqual(ofValue({}), [
    'value must be one of: string, or number, or a list of these: string, or number, or null',
  ])
  assert.deepEqual(
    ofValue([1, [1], true]),
    [1, 2].map((at) => `value.${at} must be one of: string, or number`),
  )
})

test('a query takes booleans and integers in any form', () => {
  assert.deepEqual(checker.checkQuery('name=a+b&flag=True&count=12'), { name: 'a b', flag: true, count: 12 })
  assert.deepEqual(checker.checkQuery('name=%C3%A4&flag=0'), { name: 'ä', flag: false })
  assert.deepEqual(issues(() => checker.checkQuery('name=a&flag=perhaps'))[0]?.loc, ['body', 'flag'])
  assert.equal(Object.getPrototypeOf(checker.checkQuery('name=a&__proto__=b')), Object.prototype)
})

test('booleans are read as clients write them', () => {
  for (const yes of [true, 'True', 'true', '1', 1, 'yes', 'ON']) assert.equal(booleanOf(yes), true)
  for (const no of [false, 'False', 'false', '0', 0, 'no', 'off']) assert.equal(booleanOf(no), false)
  assert.equal(booleanOf('perhaps'), undefined)
})

test('an empty body, or null, is an empty object, and what is not JSON is refused', () => {
  assert.deepEqual(parseJson(Buffer.from('')), {})
  assert.deepEqual(parseJson(Buffer.from(' \n')), {})
  assert.deepEqual(parseJson(Buffer.from('null')), {})
  assert.throws(
    () => parseJson(Buffer.from('{')),
    (error) => isRefusal(error, 'invalid_json'),
  )
})

test('a refusal does not quote the body', () => {
  try {
    parseJson(Buffer.from('{"secret": hunter2}'))
    assert.fail('it parsed')
  } catch (error) {
    assert.ok(!String(error).includes('hunter2'))
  }
})

test('a body with more values than its bound is refused before it is parsed, commas in texts are none', () => {
  assert.deepEqual(parseJson(Buffer.from('{"a":[1,{},"b,[{"]}'), 6), { a: [1, {}, 'b,[{'] })
  assert.equal(issues(() => parseJson(Buffer.from('{"a":[1,{},"b",0]}'), 6))[0]?.type, 'too_many_values')
  assert.equal(
    issues(() => parseJson(Buffer.from(`{"x":[${'[],'.repeat(100_000)}no JSON`)))[0]?.type,
    'too_many_values',
  )
})

test('a body with more different names than its bound is refused before it is parsed', () => {
  const body = (names: number): Buffer =>
    Buffer.from(`{${Array.from({ length: names }, (_, i) => `"name ${i}":1`).join(',')}}`)
  assert.equal(Object.keys(parseJson(body(limits.bodyNamesMax)) as object).length, limits.bodyNamesMax)
  for (const bytes of [body(limits.bodyNamesMax + 1), Buffer.concat([body(limits.bodyNamesMax + 1), body(1)])])
    assert.equal(issues(() => parseJson(bytes))[0]?.type, 'too_many_names')
  assert.ok(parseJson(body(limits.bodyNamesMax + 1), limits.bodyNamesMax + 2, limits.itemsNamesMax))
})

test('a body is nested as deep as its bound, and not deeper; brackets in texts do not count', () => {
  const nested = (levels: number): Buffer =>
    Buffer.from(`{"a\\"{[":"[\\\\","b":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)},"c":{}}`)
  assert.ok(parseJson(nested(limits.bodyDepthMax)))
  for (const levels of [limits.bodyDepthMax + 1, 100_000])
    assert.equal(issues(() => parseJson(nested(levels)))[0]?.type, 'too_deep')
})
