import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseJson, WrittenNumber, writeJson } from '../../../../engine/domain/event/json.js'
import { isNothing, Path, valueAt, valuesAt } from '../../../../engine/domain/event/path.js'

/** Path, event, and the JSON of what the path leads to; '' for nothing. */
type Case = readonly [path: string, event: string, found: string]

const cases: Readonly<Record<string, readonly Case[]>> = {
  'goes down by name, and keys may have dots at any depth': [
    ['a', '{"a":1}', '1'],
    ['a.b.c', '{"a":{"b":{"c":1}}}', '1'],
    ['a.b.c', '{"a.b.c":1}', '1'],
    ['a.b.c', '{"a.b":{"c":1}}', '1'],
    ['a.b.c', '{"a":{"b.c":1}}', '1'],
    ['a.b.c.d', '{"a":{"b.c":{"d":1}}}', '1'],
    ['output_fields.k8s.ns.name', '{"output_fields":{"k8s.ns.name":"shop"}}', '"shop"'],
    ['alert.rule.parameters.severity', '{"alert.rule.parameters":{"severity":"high"}}', '"high"'],
    ['kubernetes.labels.app.kubernetes.io/name', '{"kubernetes":{"labels":{"app.kubernetes.io/name":"a"}}}', '"a"'],
    ['a.b', '{"a":{"x":1}}', ''],
    ['a.b', '{"a":"b"}', ''],
    ['a..b', '{"a":{"":{"b":1}}}', '1'],
    ['.a', '{".a":1}', '1'],
  ],
  'takes the longest key first, and goes on where a key leads to no value': [
    ['a.b', '{"a":{"b":"nested"},"a.b":"flat"}', '"flat"'],
    ['a.b.c', '{"a":{"b.c":1},"a.b":{"c":2}}', '2'],
    ['a.b.c', '{"a":{"b":{"c":1},"b.c":2}}', '2'],
    ...['null', '{}', '[]', '[null]', '{"x":{"y":[{}]}}', '[[],[{}]]'].map(
      (nothing): Case => ['a.b', `{"a.b":${nothing},"a":{"b":1}}`, '1'],
    ),
    ['a.b', '{"a.b":"","a":{"b":1}}', '""'],
    ['a.b', '{"a.b":0,"a":{"b":1}}', '0'],
    ['a.b.c', '{"a.b":{"x":1},"a":{"b":{"c":2}}}', '2'],
    ['a.b', '{"a":{"b":[null]}}', ''],
  ],
  'takes the rest of the path from each item of an array': [
    ['a.b', '{"a":[{"b":1},{"b":2},3,{"b":null}]}', '[1,2]'],
    ['a.b.c', '{"a":[{"b.c":1},{"b":{"c":2}},[{"b":{"c":3}}]]}', '[1,2,3]'],
    ['a', '{"a":[1,2]}', '[1,2]'],
    ['a.0', '{"a":["zero"]}', ''],
  ],
  'addresses lists of names and values by name': [
    ['E.D.Target', '{"E":{"D":[{"@Name":"Subject","#text":"svc"},{"@Name":"Target","#text":"ann"}]}}', '"ann"'],
    ['E.D.Target', '{"E":{"D":{"@Name":"Target","#text":"ann"}}}', '"ann"'],
    ...[
      ['Name', 'Value'],
      ['name', 'value'],
      ['key', 'value'],
      ['Key', 'Value'],
      ['label', 'value'],
      ['key', 'stringValue'],
      ['name', '#text'],
    ].map(
      ([name, value]): Case => [
        'tags.env',
        `{"tags":[{"${name}":"x","${value}":1},{"${name}":"env","${value}":"p"}]}`,
        '"p"',
      ],
    ),
    ['r.host.name', '{"r":[{"key":"host.name","value":{"stringValue":"web-1"}}]}', '"web-1"'],
    ['r.port', '{"r":[{"key":"port","value":{"intValue":"443"}}]}', '"443"'],
    ['r.up', '{"r":[{"key":"up","value":{"boolValue":true}}]}', 'true'],
    [
      'r.ips',
      '{"r":[{"key":"ips","value":{"arrayValue":{"values":[{"stringValue":"a"},{"stringValue":"b"}]}}}]}',
      '["a","b"]',
    ],
    [
      'r.m.x',
      '{"r":[{"key":"m","value":{"kvlistValue":{"values":[{"key":"x","value":{"doubleValue":1.5}}]}}}]}',
      '1.5',
    ],
    ['r.host.name.stringValue', '{"r":[{"key":"host.name","value":{"stringValue":"web-1"}}]}', '"web-1"'],
    ['t.env.deep', '{"t":[{"name":"env","value":{"deep":[{"name":"x"}]}}]}', '[{"name":"x"}]'],
    ['t.a', '{"t":[{"name":"a","value":1},{"name":"b","value":2},{"name":"a","value":3}]}', '[1,3]'],
    ['t.name', '{"t":[{"name":"a","value":1},{"name":"name","value":2}]}', '["a","name"]'],
    ['t.env', '{"t":[{"name":"env","value":null}]}', ''],
    ['t.en', '{"t":[{"name":"env","value":1}]}', ''],
    ['rule', '{"name":"rule","value":1}', ''],
  ],
  'finds no names that every object inherits': [
    ['constructor', '{"a":1}', ''],
    ['a.length', '{"a":"x"}', ''],
    ['a.__proto__', '{"a":{"__proto__":1}}', ''],
    ['toString', '{"toString":1}', '1'],
    ['n.text', '{"n":1.0}', ''],
  ],
}

describe('a path', () => {
  for (const [what, table] of Object.entries(cases)) {
    it(what, () => {
      for (const [path, event, found] of table) {
        const value = valueAt(parseJson(event), path)
        assert.equal(value === undefined ? '' : writeJson(value), found, `${path} in ${event}`)
      }
    })
  }

  it('of very many names is read like a short one', () => {
    const names = Array.from({ length: 40 }, (_, i) => `n${i}`)
    const path = new Path(names.join('.'))
    const deep = names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), 'end')
    assert.deepEqual(valuesAt(deep, path), ['end'])
    assert.deepEqual(valuesAt({ [names.join('.')]: 'flat' }, path), ['flat'])
    assert.deepEqual(valuesAt({ [names.slice(0, 20).join('.')]: { [names.slice(20).join('.')]: 'half' } }, path), [
      'half',
    ])
  })

  it('gives an empty list only to who asks for what is there', () => {
    assert.deepEqual(valuesAt({ a: { b: [] } }, new Path('a.b')), [])
    assert.deepEqual(valuesAt({ a: { b: [] } }, new Path('a.b'), true), [[]])
    assert.deepEqual(valuesAt({ a: {} }, new Path('a.b'), true), [])
  })
})

it('null and what holds nothing else is nothing; an empty text, false and 0 are something', () => {
  for (const nothing of [undefined, null, {}, [], [null], [[], {}], { a: { b: [null] } }]) assert.ok(isNothing(nothing))
  for (const value of ['', 0, false, [0], { a: '' }, new WrittenNumber('1.0')]) assert.ok(!isNothing(value))
})
