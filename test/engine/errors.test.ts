import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../engine/errors.js'

test('a refusal carries its sentence and no stack, and leaves those of bugs as they are', () => {
  const { stackTraceLimit } = Error
  const refusal = new Refusal('job_not_found', 'job not found')
  assert.deepEqual([refusal.message, refusal.code], ['job not found', 'job_not_found'])
  assert.doesNotMatch(refusal.stack ?? '', /\n {4}at /)
  assert.equal(Error.stackTraceLimit, stackTraceLimit)
  assert.match(new Error('a bug').stack ?? '', /\n {4}at /)
})
