import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOneObject as isOneObjectIn } from '../../../../server/cli/input/one-object.js'

function isOneObject(text: string): boolean {
  const bytes = Buffer.from(`x${text}x`)
  return isOneObjectIn(bytes, 1, bytes.length - 1)
}

test('an object is one, whatever is in its strings', () => {
  for (const value of [{}, { a: 1 }, { a: { b: [{}, ']', '}', '"', '\\', '\\"}'] }, '{"': 2 }, { ü: '\u2028' }])
    assert.ok(isOneObject(JSON.stringify(value)), JSON.stringify(value))
})

test('no text that is accepted reaches out of the place that it is put in', () => {
  const parts = ['{', '}', '[', ']', '"', '\\', ',', ':', '"a"', '{}', '1', ' ', '"b":2', '\\"']
  let seed = 1
  const next = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return (seed >>> 8) % below
  }
  let accepted = 0
  for (let round = 0; round < 200_000; round++) {
    let text = '{'
    for (let n = next(8); n > 0; n--) text += parts[next(parts.length)]
    text += '}'
    if (!isOneObject(text)) continue
    let whole: unknown
    try {
      whole = JSON.parse(`{"x":0,"raw_body":${text},"y":0}`)
    } catch {
      continue
    }
    accepted++
    assert.deepEqual(whole, { x: 0, raw_body: JSON.parse(text), y: 0 }, text)
  }
  assert.ok(accepted > 100)
  for (const text of ['{},"job_id":{}', '{}}', '{"a":1', '', '{', '[1]', '{"a":"}', '{]}'])
    assert.ok(!isOneObject(text), text)
})
