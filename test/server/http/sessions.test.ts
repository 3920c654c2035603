import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keeperIn } from '../../support/sso/session-keeper.js'
import { sessionBounds, Sessions, type SessionOwner } from '../../../server/http/sessions.js'

const MINUTE = 60_000

function opened() {
  const clock = { ms: 0 }
  const ended: SessionOwner[] = []
  const sessions = new Sessions({ idleMs: 10 * MINUTE, now: () => clock.ms, ended: (owner) => void ended.push(owner) })
  const open = (name = 'user ann', tokenId: string | null = null) =>
    sessions.open({ secret: `secret of ${name}`, name, tokenId })
  return { clock, ended, sessions, open }
}

test('a session ends some time after its last request, and twelve hours after its first in any case', () => {
  const { clock, ended, sessions, open } = opened()
  const value = open()
  assert.match(value, /^[\w-]{43}$/)
  for (let at = 0; at < sessionBounds.secondsMax * 1000; at += 9 * MINUTE) {
    clock.ms = at
    assert.equal(sessions.secretOf(value), 'secret of user ann')
  }
  clock.ms = sessionBounds.secondsMax * 1000
  assert.equal(sessions.secretOf(value), '')
  const other = open()
  clock.ms += 10 * MINUTE
  assert.equal(sessions.secretOf(other), '')
  assert.equal(ended.length, 2)
  assert.equal(sessions.size, 0)
})

test('one session more than an owner may have ends the one with the oldest use', () => {
  const { ended, sessions, open } = opened()
  const [first, second] = [open(), open('user bob')]
  const third = open('user ann', 'token-3')
  sessions.secretOf(first)
  for (let n = 2; n < sessionBounds.perOwnerMax; n++) open()
  open()
  assert.deepEqual(
    ended.map(({ tokenId }) => tokenId),
    ['token-3'],
  )
  assert.equal(sessions.secretOf(third), '')
  assert.equal(sessions.secretOf(first), 'secret of user ann')
  assert.equal(sessions.secretOf(second), 'secret of user bob')
})

test('a session that nobody uses any more is gone when the next one begins', () => {
  const { clock, ended, sessions, open } = opened()
  open()
  clock.ms = 11 * MINUTE
  open('user bob')
  assert.equal(sessions.size, 1)
  assert.equal(ended.length, 1)
})

test('a session that is kept goes on in another process, is not longer for it, and ends in both', () => {
  const { clock, ended, sessions, keeper, open } = kept()
  const value = open()
  clock.ms = 4 * MINUTE
  const next = sessions()
  assert.equal(next.secretOf(value), 'secret of user ann')
  next.end(value)
  assert.equal(ended.length, 1)
  assert.equal(sessions().secretOf(value), '')
  const idle = open()
  clock.ms += 11 * MINUTE
  assert.equal(sessions().secretOf(idle), '')
  assert.equal(keeper.size, 0)
})

test('a session is known by its id before its cookie comes, and ends by it', () => {
  const { clock, ended, sessions, keeper } = kept()
  const value = sessions().open({ secret: 's', name: 'user ann', tokenId: null }, 'from elsewhere')
  const next = sessions()
  const id = next.idOf(value)
  assert.notEqual(id, value)
  assert.deepEqual([...next.origins()], [[id, 'from elsewhere']])
  clock.ms = 9 * MINUTE
  assert.equal(next.has(id), true)
  next.secretOf(value)
  clock.ms = 12 * MINUTE
  assert.equal(next.has(id), true, 'it was used')
  assert.equal(sessions().has(id), true, 'its use is kept')
  clock.ms = 22 * MINUTE
  assert.deepEqual([next.has(id), sessions().has(id)], [false, false])
  sessions().endById(id)
  assert.deepEqual([keeper.size, ended.length], [0, 0])
  next.endById(id)
  assert.equal(ended.length, 1, 'the process that had the cookie tells of it')
})

/** Processes, one after the other, that share what is kept. */
function kept() {
  const clock = { ms: 0 }
  const ended: SessionOwner[] = []
  const { keeper, rows } = keeperIn(() => clock.ms)
  const sessions = () =>
    new Sessions({ idleMs: 10 * MINUTE, now: () => clock.ms, keeper, ended: (owner) => void ended.push(owner) })
  const open = () => sessions().open({ secret: 'secret of user ann', name: 'user ann', tokenId: null })
  return { clock, ended, sessions, keeper: rows, open }
}
