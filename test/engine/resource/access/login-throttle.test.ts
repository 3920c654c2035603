import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../../engine/clock.js'
import { limits } from '../../../../engine/limits.js'
import { LoginThrottle } from '../../../../engine/resource/access/login-throttle.js'
import { assertRefused } from '../../../support/engine/refusal.js'

test('wrong guesses at one name are slowed down, wherever they come from', () => {
  const clock = new ManualClock()
  const guard = new LoginThrottle(clock)
  for (let i = 0; i < limits.loginAttemptsPerUserMax; i++) guard.take('ann', `192.0.2.${i}`)
  const refusal = assertRefused('too_many_attempts', () => guard.take('ann', '198.51.100.1'))
  assert.equal(refusal.context.retryAfterSeconds, limits.loginAttemptPerUserMs / 1000)
  guard.take('bob', '198.51.100.1')
  clock.advanceMs(limits.loginAttemptPerUserMs)
  guard.take('ann', '198.51.100.1')
  assertRefused('too_many_attempts', () => guard.take('ann', '198.51.100.1'))
})

test('wrong guesses from one address are slowed down, whatever the name', () => {
  const clock = new ManualClock()
  const guard = new LoginThrottle(clock)
  for (let i = 0; i < limits.loginAttemptsPerAddressMax; i++) guard.take(`user ${i}`, '192.0.2.1')
  assertRefused('too_many_attempts', () => guard.take('somebody else', '192.0.2.1'))
  guard.take('somebody else', '192.0.2.2')
  clock.advanceMs(limits.loginAttemptPerAddressMs)
  guard.take('somebody else', '192.0.2.1')
})

test('requests that are refused make nobody else forgotten', () => {
  const guard = new LoginThrottle(new ManualClock())
  for (let i = 0; i < limits.loginAttemptsPerUserMax; i++) guard.take('ann', '192.0.2.2')
  for (let i = 0; i < limits.loginAttemptsPerAddressMax; i++) guard.take(`user ${i}`, '192.0.2.1')
  for (let i = 0; i <= limits.loginThrottleEntriesMax; i++)
    assertRefused('too_many_attempts', () => guard.take(`other ${i}`, '192.0.2.1'))
  assertRefused('too_many_attempts', () => guard.take('ann', '192.0.2.3'))
})

test('who guessed last is forgotten last', () => {
  const guard = new LoginThrottle(new ManualClock())
  for (let i = 0; i < limits.loginAttemptsPerUserMax; i++) {
    guard.take('ann', `192.0.2.${i}`)
    // Twice as many others as it takes to push out whoever guessed first.
    if (i < limits.loginAttemptsPerUserMax - 2) continue
    for (let other = 0; other < limits.loginThrottleEntriesMax / 2 - 1; other++)
      guard.take(`other ${i} ${other}`, `198.51.100.${i} ${other}`)
  }
  assertRefused('too_many_attempts', () => guard.take('ann', '192.0.2.100'))
})

test('right ones cost nothing', () => {
  const guard = new LoginThrottle(new ManualClock())
  for (let i = 0; i < 1_000; i++) guard.take('ann', '192.0.2.1').succeed()
  for (let i = 0; i < 1_000; i++) guard.take('ann', '192.0.2.1').cancel()
})

test('who was right somewhere is not locked out there by others', () => {
  const guard = new LoginThrottle(new ManualClock())
  guard.take('ann', '192.0.2.1').succeed()
  for (let i = 0; i < limits.loginAttemptsPerUserMax; i++) guard.take('ann', '198.51.100.1')
  assertRefused('too_many_attempts', () => guard.take('ann', '198.51.100.2'))
  for (let i = 0; i < limits.loginAttemptsPerUserMax; i++) guard.take('ann', '192.0.2.1')
  assertRefused('too_many_attempts', () => guard.take('ann', '192.0.2.1'))
})
