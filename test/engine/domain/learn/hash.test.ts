import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashEnd, hashNumber, hashPair, hashStart, hashStep, hashText } from '../../../../engine/domain/learn/hash.js'

test('hashes stay what they are, for stored models name their features by them', () => {
  assert.deepEqual(
    [hashText(0, ''), hashText(0, 'rule.name'), hashText(7, 'rule.name'), hashNumber(0, 443), hashPair(1, 2)],
    [-1421968373, -852847686, -1731531540, 2004309190, 895379344],
  )
})

test('a running hash and the hash of the whole are one', () => {
  let running = hashStart(5)
  for (const char of 'port scan') running = hashStep(running, char.charCodeAt(0))
  assert.equal(hashEnd(running), hashText(5, 'port scan'))
})

test('no hash is 0', () => {
  assert.notEqual(hashEnd(0), 0)
})

test('zero and minus zero are one number, and so are all NaN', () => {
  assert.equal(hashNumber(1, 0), hashNumber(1, -0))
  assert.equal(hashNumber(1, NaN), hashNumber(1, 0 / 0))
  assert.notEqual(hashNumber(1, 1), hashNumber(1, -1))
})

test('a pair knows which came first', () => {
  assert.notEqual(hashPair(11, 22), hashPair(22, 11))
})

test('a hundred thousand texts, and their low bits, collide about as often as chance has it', () => {
  const whole = new Set<number>()
  const low = new Uint32Array(1024)
  for (let i = 0; i < 100_000; i++) {
    const hash = hashText(3, `host-${i}`)
    whole.add(hash)
    const slot = hash & 1023
    low[slot] = (low[slot] as number) + 1
  }
  assert.ok(whole.size > 99_990)
  assert.ok(Math.max(...low) < 160 && Math.min(...low) > 50)
})
