/** The port of a node whose engine begins to serve while requests wait. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { Door } from '../../../server/cluster/door.js'
import { replyError } from '../../../server/http/error-reply.js'
import { replyJson } from '../../../server/http/reply.js'
import { afterwards } from '../../support/afterwards.js'
import { until } from '../../support/until.js'

/** A door whose requests wait until `settle` is called. They are answered with who served them. */
async function waitingDoor(test: TestContext) {
  const waiting: ((lagMs: number | null) => void)[] = []
  const door = await Door.open({
    host: '127.0.0.1',
    port: 0,
    failed: (error) => assert.fail(String(error)),
    elsewhere: (exchange, waited) => replyJson(exchange, 200, { by: 'others', waited }),
    waitsFor: () => new Promise((resolve) => waiting.push(resolve)),
    ownerWaitsFor: () => null,
  })
  afterwards(test, () => door.close())
  const ask = async (): Promise<unknown> => (await fetch(`http://127.0.0.1:${door.port}/`)).json()
  const begin = (): void => {
    door.serve({
      handle: (exchange) => replyJson(exchange, 200, { by: 'engine' }),
      fault: replyError,
      failed: (_exchange, error) => assert.fail(String(error)),
      over: () => {},
    })
  }
  const settle = async (lagMs: number | null): Promise<void> => {
    await until(() => waiting.length > 0)
    waiting.shift()?.(lagMs)
  }
  return { ask, begin, settle, whenAsked: () => until(() => waiting.length > 0) }
}

describe('a request that came before the engine served', () => {
  it('is forwarded where the copies were behind, because the engine has the same ones', async (test) => {
    const { ask, begin, settle, whenAsked } = await waitingDoor(test)
    const answer = ask()
    await whenAsked()
    begin()
    await settle(null)
    assert.deepEqual(await answer, { by: 'others', waited: null })
    assert.deepEqual(await ask(), { by: 'engine' })
  })

  it('is served by the engine where they were not', async (test) => {
    const { ask, begin, settle, whenAsked } = await waitingDoor(test)
    const answer = ask()
    await whenAsked()
    begin()
    await settle(0)
    assert.deepEqual(await answer, { by: 'engine' })
  })
})
