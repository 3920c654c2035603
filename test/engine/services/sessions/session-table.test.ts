/** Sessions that outlive their process. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SessionTable } from '../../../../engine/services/sessions/session-table.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'

const owner = { secret: 'token-value-1', name: 'user ann', tokenId: 't1' }
const HOUR = 3_600e6

function opened(environment = new MemoryEnvironment(['meta'])) {
  const clock = { micros: 1e15 }
  const table = () => new SessionTable(environment, { nowMicros: () => clock.micros })
  return { clock, environment, table }
}

const textOf = (environment: MemoryEnvironment): string =>
  [...environment.range('meta', {})].map(({ key, value }) => `${Buffer.from(key)}${Buffer.from(value)}`).join()

describe('a kept session', () => {
  it('is found by the next process, with its age and the time since its last use', () => {
    const { clock, table } = opened()
    const first = table()
    first.keep('cookie-a', owner)
    clock.micros += HOUR
    first.touch('cookie-a')
    first.close()
    clock.micros += HOUR
    assert.deepEqual(table().find('cookie-a'), { owner, ageMs: 2 * 3_600_000, unusedMs: 3_600_000 })
    assert.equal(table().find('cookie-b'), null)
  })

  it('ends for every later process', () => {
    const { table } = opened()
    const first = table()
    first.keep('cookie-a', owner)
    first.end('cookie-a')
    first.touch('cookie-a')
    first.close()
    assert.equal(table().find('cookie-a'), null)
  })

  it('shows nobody its key, its owner or its cookie who does not have the cookie', () => {
    const { environment, table } = opened()
    table().keep('cookie-a', owner)
    assert.doesNotMatch(textOf(environment), /token-value-1|ann|cookie-a/)
  })

  it('goes when it is older than any session may be', () => {
    const { clock, environment, table } = opened()
    const sessions = table()
    sessions.keep('cookie-a', owner)
    clock.micros += 25 * HOUR
    sessions.keep('cookie-b', owner)
    assert.equal(sessions.find('cookie-a'), null)
    assert.equal([...environment.range('meta', {})].length, 1)
  })
})
