import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { itemsOf } from '../../../../engine/domain/event/json-items.js'

describe('the items of a list', () => {
  const texts: [text: string, items: string[]][] = [
    ['{"events":[]}', []],
    ['{}', []],
    ['{"events": [ {"a": 1} , 2,"x" ]}', ['{"a": 1}', '2', '"x"']],
    ['{"count":2,"events":[{"a":[1,{"b":[2]}]},[3,4]],"more":[5]}', ['{"a":[1,{"b":[2]}]}', '[3,4]']],
    ['{"more":{"events":[1]},"events":[2]}', ['2']],
    ['{"events":[1],"events":[2,3]}', ['2', '3']],
    ['{"ev\\u0065nts":["]\\"},{"]}', ['"]\\"},{"']],
    ['{"x":"events","y":[1],"events":[-0,1e400,9007199254740993]}', ['-0', '1e400', '9007199254740993']],
    ['{"events":{"events":[1]}}', []],
  ]
  for (const [text, items] of texts)
    it(`are found as they are spelled in ${text}`, () => assert.deepEqual(itemsOf(text, 'events'), items))
})
