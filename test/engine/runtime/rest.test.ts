import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Rest } from '../../../engine/runtime/rest.js'
import { limits } from '../../../engine/limits.js'
import { afterwards } from '../../support/afterwards.js'

describe('an idle thread', () => {
  it('gives memory back once after it has worked, and not while it has messages', (test) => {
    const work = [
      { turns: 0, messages: 0 },
      { turns: 0, messages: 0 },
    ]
    const rested: number[] = []
    const rest = new Rest(
      {
        threads: 2,
        workOf: (thread) => work[thread]!,
        rest: (thread) => Promise.resolve(void rested.push(thread)),
      },
      (_, error) => assert.fail(String(error)),
    )
    afterwards(test, () => rest.close())
    const look = (times: number): number[] => {
      for (let i = 0; i < times; i++) rest.check()
      return rested.splice(0)
    }
    assert.deepEqual(look(10), [], 'it has not worked yet')
    work[1] = { turns: 5, messages: 3 }
    assert.deepEqual(look(10), [], 'it has messages')
    work[1] = { turns: 7, messages: 0 }
    assert.deepEqual(look(limits.restLooks), [])
    assert.deepEqual(look(10), [1], 'once')
    work[1] = { turns: 8, messages: 0 }
    assert.deepEqual(look(10), [1], 'again after work')
  })
})
