/** What a search engine adds to an event: fields of documents, read as those of events are. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { boundedFields } from '../../../../engine/integration/enrichment/enrichment-fields.js'
import { searchEngine } from '../../../../engine/integration/search-engine/search-engine.js'
import { never, toolsFor, withDefaults } from '../../../support/outgoing.js'
import { FURTHER } from '../../../support/servers/receiver.js'
import { SearchServer } from '../../../support/servers/search-server.js'

let server: SearchServer

before(async () => void (server = await SearchServer.open()))
after(() => server.close())

for (const [name, documents, size, fields] of [
  ['keys with dots', ['"owner.team":"web","owner":{"name":"ann"}'], 1, { owner: { team: 'web', name: 'ann' } }],
  ['a field below a field with a value', ['"a":1,"a.b":2'], 1, { a: 1, 'a.b': 2 }],
  ['names and values', ['"tags":[{"key":"env","value":"prod"}]'], 1, { tags: { env: 'prod' } }],
  ['long numbers', ['"n":9007199254740993,"m":1.0'], 1, { n: '9007199254740993', m: 1 }],
  ['a number beyond the largest double', ['"n":[1,1e999],"m":2,"o":-1e999'], 1, { n: [1], m: 2 }],
  ['what holds nothing', ['"n":null,"m":[{}],"o":[[]],"p":0'], 1, { p: 0 }],
  ['one of several documents', ['"a":"x"'], 3, { a: ['x'] }],
  ['several documents', ['"a":"x","b.c":1', '"a":"y","b":{"c":1}', '"a":"x"'], 3, { a: ['x', 'y'], b: { c: [1] } }],
] as const)
  test(`an enrichment reads ${name}`, async () => {
    server.documents.clear()
    for (const [at, further] of documents.entries()) server.put('i', `d${at}`, { ip: '192.0.2.1', [FURTHER]: further })
    const source = searchEngine.openEnrichment!(
      withDefaults(searchEngine, server.connection),
      { index_pattern: 'i', event_field: 'ip', document_field: 'ip', size },
      toolsFor(),
    )
    const subject = source.subjectOf({ ip: '192.0.2.1' })!
    const [known] = await source.find([subject], never)
    await source.close()
    const { ip, count, ...found } = boundedFields(known as Record<string, unknown>)
    assert.deepEqual([ip, count], [size === 1 ? '192.0.2.1' : ['192.0.2.1'], documents.length])
    const plain: Record<string, unknown> = JSON.parse(JSON.stringify(found))
    // Without a date, documents come in any order.
    for (const value of Object.values(plain)) if (Array.isArray(value)) value.sort()
    assert.deepEqual(plain, fields)
  })
