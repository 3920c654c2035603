/** Refusals in tests. */
import assert from 'node:assert/strict'
import { Refusal, type RefusalCode } from '../../../engine/errors.js'

/** Asserts that `act` is refused with that code. */
export function assertRefused(code: RefusalCode, act: () => unknown): Refusal {
  try {
    act()
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error))
    assert.equal(error.code, code, error.message)
    return error
  }
  assert.fail(`nothing was refused; ${code} was expected`)
}

/** For assert.rejects: true for a refusal with that code. */
export function refusedWith(code: RefusalCode): (error: unknown) => boolean {
  return (error) => error instanceof Refusal && error.code === code
}
