/** The events of a webhook, and what is told of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InboundEvents } from '../../../../engine/api/integrations-service.js'
import { documentsOf } from '../../../../engine/services/inbound/documents.js'
import { InboundReader, noSettings } from '../../../../engine/services/inbound/event-reader.js'

type Read = (body: string) => InboundEvents

const reader = (): InboundReader => new InboundReader(noSettings, () => '')

/** The documents of a body, and those of a text in a field of a document, as messages of SNS have it. */
const ways: Readonly<Record<string, Read>> = {
  'a body'(body) {
    const { documents, broken, oddPlace } = documentsOf(Buffer.from(body))
    const found = reader()
    for (const document of documents) found.take(document)
    return found.end(broken, oddPlace)
  },
  'a text in a document'(body) {
    const found = reader()
    found.takeContent({ place: 0, value: { Message: body }, exact: null }, body)
    return found.end([], null)
  },
}

for (const [way, read] of Object.entries(ways))
  for (const [name, body, events, told] of [
    ['in an object', '{"a":{"b":1,"b":2}}', 1, ['a.b: 1, 2']],
    ['in the second document', '{"a":1}{"a":1,"a":"2"}', 2, ['a: 1, "2"']],
    ['in the item of a list', '[{"a":1},{"a":1,"a":2}]', 2, ['a: 1, 2']],
    ['in lines among lines of text', 'begin\n{"a":1,"a":2}\n{"a":3,"a":4}', 3, ['a: 1, 2', 'a: 3, 4']],
    ['with the same value', '{"a":1,"a":1}\n{"a":[],"a":[]}', 2, []],
  ] as const)
    test(`a key is told that is given twice in ${way}, ${name}`, () => {
      const found = read(body)
      assert.equal(found.events.length, events)
      assert.deepEqual(
        found.findings.map(({ kind, field, count, example }) => [kind, `${field}: ${example}`, count]),
        told.map((text) => ['repeated_key', text, 1]),
      )
    })

test('a key is told that the document around a text has twice', () => {
  const [document] = documentsOf(Buffer.from('{"Message":"{}","Message":"{\\"a\\":1}"}')).documents
  const found = reader()
  found.takeContent(document!, '{"a":1}')
  assert.deepEqual(
    found.end([], null).findings.map(({ kind, field }) => [kind, field]),
    [['repeated_key', 'Message']],
  )
})
