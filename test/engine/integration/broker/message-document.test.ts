import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentsOf } from '../../../../engine/integration/broker/message-document.js'

function read(body: string | Uint8Array, given: string | Uint8Array = 'x') {
  const { documents, findings } = documentsOf('place', given, Buffer.from(body as string))
  return {
    events: documents.flatMap((one) => (one.unfit === undefined ? [JSON.parse(Buffer.from(one.body).toString())] : [])),
    unfit: documents.flatMap((one) => one.unfit ?? []),
    ids: documents.map(({ id }) => id),
    findings: findings.map(({ kind, count }) => [kind, count]),
  }
}

const [a, b] = [{ a: 1 }, { b: 2 }]

for (const [name, body, events, findings = []] of [
  ['an object', '{"a":1}', [a]],
  ['a byte order mark', '\ufeff{"a":1}', [a]],
  ['UTF-16', Buffer.from('\ufeff{"a":1}', 'utf16le'), [a]],
  ['several lines', '{\n "a": 1\r\n}\n', [a]],
  ['two documents', '{"a":1}{"b":2}', [a, b]],
  ['NUL and marks between', '{"a":1}\0\ufeff{"b":2}\0', [a, b]],
  ['a list', '[{"a":1},\n{"b":2}]', [a, b]],
  ['a list of one', '[{"a":1}]', [a]],
  ['what is no object', '[{"a":1},7,null]', [a, { message: 7 }, { message: null }], [['odd_item', 2]]],
  ['a text', '"down"', [{ message: 'down' }], [['odd_item', 1]]],
  [
    'a byte that is not UTF-8',
    Buffer.from('{"a":1}{"u":"M\xfcller"}', 'latin1'),
    [a, { u: 'M\ufffdller' }],
    [['invalid_utf8', 1]],
  ],
  ['a key that is given twice', '{"a":0,"a":1}{"b":2}', [a, b], [['repeated_key', 1]]],
  ['a key that is given twice in a list', '[{"a":1},{"b":0,"b":2}]', [a, b], [['repeated_key', 1]]],
  ['a key that is given twice, in UTF-16', Buffer.from('\ufeff{"a":0,"a":1}', 'utf16le'), [a], [['repeated_key', 1]]],
] as const)
  test(`a message with ${name} is read`, () => {
    const found = read(body)
    assert.deepEqual([found.events, found.unfit, found.findings], [events, [], findings])
  })

test('a byte that is not UTF-8 in a single object is left to the engine, which counts it', () => {
  const body = Buffer.from('{"u":"M\xfcller"}', 'latin1')
  assert.deepEqual(documentsOf('p', '', body), { documents: [{ id: 'p', body }], findings: [] })
})

test('what is broken does not fit, and the others are taken', () => {
  const found = read('{"a":1}\n{"b":}\n{"b":2}')
  assert.deepEqual(found.events, [a, b])
  assert.match(found.ids.join(), /^x-1~\w{10},x-3~\w{10},x-2~\w{10}$/)
  assert.match(found.unfit.join(), /^document 2 of the message: it is not JSON/)
  for (const body of ['', '  ', 'plain text', '{"rule":', '{"v": 1e999}'])
    assert.deepEqual([read(body).events, read(body).unfit.length, read(body).ids], [[], 1, ['x']], body)
})

test('ids of different headers and documents are different', () => {
  const bytes = [0x80, 0x90, 0xa0].map(
    (first) =>
      read(
        '{}',
        Uint8Array.from({ length: 16 }, (_, at) => first + at),
      ).ids[0],
  )
  assert.equal(new Set(bytes).size, 3)
  assert.deepEqual(read('{}', Buffer.from('zwölf')).ids, ['zwölf'])
  for (const none of ['', ' ', 'M\ufffdller', new Uint8Array(0)]) assert.deepEqual(read('{}', none).ids, ['place'])
  const all = [...read('{}{}{}', 'a-1').ids, ...read('{}{}', 'a').ids, ...read('{}', 'a-1-1').ids]
  assert.equal(new Set(all).size, all.length, all.join())
  assert.deepEqual(read('{}{}', 'a').ids, read('{}{}', 'a').ids)
})
