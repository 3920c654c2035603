/** Sessions that outlive their process. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SessionTable } from '../../../../engine/services/sessions/session-table.js'
import { SEALING_KEY_BYTES, Sealer } from '../../../../engine/resource/access/sealing.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'

const owner = { secret: 'token-value-1', name: 'user ann', tokenId: 't1' }
const HOUR = 3_600e6
const sealer = new Sealer(new Uint8Array(SEALING_KEY_BYTES), new SeededRandom(1))

function opened(environment = new MemoryEnvironment(['meta'])) {
  const clock = { micros: 1e15 }
  const table = () => new SessionTable(environment, { nowMicros: () => clock.micros }, sealer)
  return { clock, environment, table }
}

const textOf = (environment: MemoryEnvironment): string =>
  [...environment.range('meta', {})].map(({ key, value }) => `${Buffer.from(key)}${Buffer.from(value)}`).join()

describe('a kept session', () => {
  it('is found by the next process, with its age and the time since its last use', () => {
    const { clock, table } = opened()
    const first = table()
    first.keep('cookie-a', owner, null)
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
    first.keep('cookie-a', owner, null)
    first.end(first.idOf('cookie-a'))
    first.touch('cookie-a')
    first.close()
    assert.equal(table().find('cookie-a'), null)
  })

  it('shows nobody its key, its owner or its cookie who does not have the cookie', () => {
    const { environment, table } = opened()
    table().keep('cookie-a', owner, null)
    assert.doesNotMatch(textOf(environment), /token-value-1|ann|cookie-a/)
  })

  it('has what it follows from elsewhere, sealed, for a process that does not have the cookie', () => {
    const { environment, table } = opened()
    const first = table()
    first.keep('cookie-a', owner, 'refresh-token-1')
    first.keep('cookie-b', owner, null)
    const id = first.idOf('cookie-a')
    first.setOrigin(id, 'refresh-token-2')
    first.setOrigin('session:another', 'x')
    assert.doesNotMatch(textOf(environment), /refresh-token/)
    const second = table()
    assert.deepEqual([...second.origins()], [[id, 'refresh-token-2']])
    assert.deepEqual([second.agesOf(id), second.agesOf('session:another')], [{ ageMs: 0, unusedMs: 0 }, null])
    second.end(id)
    assert.deepEqual([second.find('cookie-a'), table().origins().size], [null, 0])
  })

  it('goes when it is older than any session may be', () => {
    const { clock, environment, table } = opened()
    const sessions = table()
    sessions.keep('cookie-a', owner, null)
    clock.micros += 25 * HOUR
    sessions.keep('cookie-b', owner, null)
    assert.equal(sessions.find('cookie-a'), null)
    assert.equal([...environment.range('meta', {})].length, 1)
  })
})
