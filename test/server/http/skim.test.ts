import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skimJobId } from '../../../server/http/skim.js'

function skim(text: string): number {
  return skimJobId(Buffer.from(text))
}

test('a job id is found first, last, in the middle, with space around it', () => {
  assert.equal(skim('{"job_id":7,"raw_body":{}}'), 7)
  assert.equal(skim('{"raw_body":{"a":[1,{"b":"}"}]},"job_id":12}'), 12)
  assert.equal(skim('{"a":1,"b":true,"c":null,"job_id":3,"d":-1.5e3}'), 3)
  assert.equal(skim(' \n\t{ "job_id" \r\n:\t42 , "raw_body" : {} }'), 42)
})

test('a numeric string is a job id', () => {
  assert.equal(skim('{"job_id":"15"}'), 15)
})

test('a job id inside a nested object or a string is not the one', () => {
  assert.equal(skim('{"raw_body":{"job_id":9},"job_id":1}'), 1)
  assert.equal(skim('{"raw_body":{"job_id":9}}'), 0)
  assert.equal(skim('{"a":"\\",\\"job_id\\":9,","job_id":2}'), 2)
  assert.equal(skim('{"a":[{"job_id":9},"]"],"job_id":4}'), 4)
  assert.equal(skim('[{"job_id":9}]'), 0)
  assert.equal(skim('{"xjob_id":9,"job_idx":8,"job_id":5}'), 5)
})

test('the first of two job ids counts', () => {
  assert.equal(skim('{"job_id":1,"job_id":2}'), 1)
})

test('whatever is not a plain positive integer is left to the parser', () => {
  for (const value of [
    '0',
    '-1',
    '1.5',
    '1e3',
    '01',
    '""',
    '"a"',
    '"1a"',
    'null',
    '{}',
    '[1]',
    '1234567890123456',
    'true',
  ]) {
    assert.equal(skim(`{"job_id":${value}}`), 0, value)
  }
})

test('a key with an escape is left to the parser', () => {
  assert.equal(skim('{"\\u006aob_id":1}'), 0)
  assert.equal(skim('{"a\\"":1,"job_id":1}'), 0)
})

test('bytes that end anywhere are survived', () => {
  const whole = '{"a":{"b":["x\\"y",1]},"c":"z","job_id":"77","raw_body":{}}'
  for (let length = 0; length < whole.length; length++) {
    const found = skim(whole.slice(0, length))
    assert.ok(found === 0 || found === 77, `${length}: ${found}`)
  }
})

test('garbage is survived', () => {
  for (const text of [
    '',
    ' ',
    '{',
    '}',
    '{"',
    '{"a',
    '{"a"',
    '{"a":',
    '{"job_id"',
    '{"job_id":',
    '{,}',
    '{"a" 1}',
    '\\',
    '"',
    '{"a":}',
  ]) {
    assert.equal(skim(text), 0, text)
  }
})

/** A small generator with a seed, so that a failure can be seen again. */
function makeRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function randomValue(random: () => number, depth: number): unknown {
  const kind = Math.floor(random() * (depth > 3 ? 5 : 7))
  if (kind === 0) return Math.floor(random() * 1e6)
  if (kind === 1) return random() < 0.5
  if (kind === 2) return null
  if (kind === 3)
    return ['plain', 'a "quoted" one', 'back\\slash', '}{][,:', '"job_id":5', 'ü\u2028😀\n'][Math.floor(random() * 6)]
  if (kind === 4) return random() * 1e-3
  if (kind === 5) return Array.from({ length: Math.floor(random() * 4) }, () => randomValue(random, depth + 1))
  return Object.fromEntries(
    Array.from({ length: Math.floor(random() * 4) }, () => [
      ['a', 'job_id', 'key', 'raw_body'][Math.floor(random() * 4)]!,
      randomValue(random, depth + 1),
    ]),
  )
}

test('on any document the skimmer finds what the parser finds, or gives up', () => {
  for (let seed = 1; seed <= 3_000; seed++) {
    const random = makeRandom(seed)
    const fields: [string, unknown][] = Array.from({ length: Math.floor(random() * 5) }, (_, i) => [
      `f${i}`,
      randomValue(random, 0),
    ])
    const id = 1 + Math.floor(random() * 1e9)
    fields.splice(Math.floor(random() * (fields.length + 1)), 0, ['job_id', random() < 0.3 ? String(id) : id])
    const text = JSON.stringify(Object.fromEntries(fields), null, random() < 0.5 ? 2 : 0)
    assert.equal(skim(text), id, `seed ${seed}`)
  }
})
