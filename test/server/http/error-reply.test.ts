import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal, refusals, type RefusalCode } from '../../../engine/errors.js'
import { errorDocument, problemDocument, replyRefusal, statusOf } from '../../../server/http/error-reply.js'
import type { Exchange } from '../../../server/http/exchange.js'

test('every refusal has a status of its own class', () => {
  for (const code of Object.keys(refusals) as RefusalCode[]) {
    assert.ok(statusOf[code] >= 400 && statusOf[code] < 600, code)
    if (refusals[code].retryable) assert.ok([429, 503, 507].includes(statusOf[code]), code)
  }
})

test('what breaks a schema is 422 with places that are arrays of strings', () => {
  const issues = [{ loc: ['body', 'events', 3], msg: 'Field required', type: 'missing' }]
  assert.deepEqual(errorDocument(new Refusal('invalid_body', 'no', { issues })), {
    detail: [{ loc: ['body', 'events', '3'], msg: 'Field required', type: 'missing' }],
  })
  assert.deepEqual(errorDocument(new Refusal('forbidden_field', 'no')), {
    detail: [{ loc: ['body', 'raw_body'], msg: 'no', type: 'forbidden_field' }],
  })
})

test('a fault without a place of its own is in the body', () => {
  assert.deepEqual(errorDocument(new Refusal('dependency_cycle', 'a needs b needs a')), {
    detail: [{ loc: ['body'], msg: 'a needs b needs a', type: 'dependency_cycle' }],
  })
})

test('every other refusal is an error, with details where there are any', () => {
  assert.deepEqual(errorDocument(new Refusal('job_not_found', 'job not found')), { error: 'job not found' })
  assert.deepEqual(errorDocument(new Refusal('not_enough_feedback', 'no', { details: 'Drop: 0' })), {
    error: 'no',
    details: 'Drop: 0',
  })
})

test('a problem has the members of RFC 9457', () => {
  assert.deepEqual(
    problemDocument(new Refusal('invalid_body', 'no', { issues: [{ loc: ['query', 'a'], msg: 'm', type: 't' }] })),
    {
      type: 'about:blank',
      title: 'Unprocessable Entity',
      status: 422,
      detail: 'no',
      code: 'invalid_body',
      errors: [{ loc: ['query', 'a'], msg: 'm', type: 't' }],
    },
  )
  assert.deepEqual(problemDocument(new Refusal('event_not_found', 'event not found')), {
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    detail: 'event not found',
    code: 'event_not_found',
  })
})

test('a sender that gives up after 429 is told 503 for all that a retry can mend, and when to try again', () => {
  for (const code of Object.keys(refusals) as RefusalCode[]) {
    let told: readonly [string, boolean] = ['', false]
    const reply = (status: string, _type: string, _body: string, headers: readonly (readonly string[])[]): void => {
      told = [status, headers.some(([name, value]) => name === 'Retry-After' && Number(value) > 0)]
    }
    replyRefusal({ busyIs503: true, reply } as unknown as Exchange, new Refusal(code, 'no'))
    const { retryable } = refusals[code]
    if (retryable) assert.deepEqual(told, ['503 Service Unavailable', true], code)
    else assert.ok(told[0].startsWith(String(statusOf[code])), code)
  }
})
