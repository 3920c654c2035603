import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asksForProblem } from '../../../server/http/accept.js'

test('whoever names problem+json gets it', () => {
  for (const accept of [
    'application/problem+json',
    'Application/Problem+JSON',
    'application/problem+json; charset=utf-8',
    'application/json, application/problem+json',
    'application/problem+json;q=0.1',
    'text/html, application/problem+json;q=0.8, */*;q=0.1',
    'application/json;q=0.5,application/problem+json;q=0.5',
    ' application/problem+json ; q=1.0 ',
  ])
    assert.equal(asksForProblem(accept), true, accept)
})

test('whoever names another form first, or none, gets ours', () => {
  for (const accept of [
    '',
    '*/*',
    'application/*',
    'application/json',
    'text/html',
    'application/problem+json;q=0',
    'application/problem+json; Q=0.000',
    'application/json, application/problem+json;q=0.9',
    'application/problem+json;q=0.5, */*',
    'application/*;q=0.6, application/problem+json;q=0.5',
    'application/problem+xml',
    'application/problem+jsonp',
    'text/plain; note=application/problem+json',
  ])
    assert.equal(asksForProblem(accept), false, accept)
})

test('the narrowest range tells what JSON weighs', () => {
  assert.equal(asksForProblem('*/*, application/json;q=0.2, application/problem+json;q=0.5'), true)
  assert.equal(asksForProblem('*/*;q=0.1, application/*;q=0.7, application/problem+json;q=0.5'), false)
})
