import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Gatherer } from '../../../server/http/gatherer.js'
import { HeldBytes } from '../../../server/http/held-bytes.js'

test('pieces come out as one, whatever becomes of their memory', () => {
  const gatherer = new Gatherer()
  for (let i = 0; i < 20_000; i++) {
    const piece = Buffer.from([i % 251])
    gatherer.add(piece)
    piece.fill(0)
  }
  assert.equal(gatherer.length, 20_000)
  const bytes = gatherer.take()
  assert.equal(bytes.length, 20_000)
  assert.ok(bytes.every((byte, i) => byte === i % 251))
})

test('gatherers share a room: what does not fit is not taken, and what is taken or cleared makes room', () => {
  const room = new HeldBytes(10_000)
  const [one, other] = [new Gatherer(room), new Gatherer(room)]
  assert.ok(one.add(Buffer.alloc(8_000)))
  assert.ok(!other.add(Buffer.from('more')))
  assert.equal(other.length, 0)
  assert.equal(one.take().length, 8_000)
  assert.ok(other.add(Buffer.alloc(10_000)))
  assert.ok(!other.add(Buffer.from('more')))
  assert.equal(other.length, 10_000)
  other.clear()
  assert.ok(one.add(Buffer.alloc(9_000)))
})

test('what was taken is left alone', () => {
  const gatherer = new Gatherer()
  gatherer.add(Buffer.from('first'))
  const first = gatherer.take()
  gatherer.add(Buffer.from('other'))
  assert.equal(first.toString(), 'first')
  assert.equal(gatherer.take().toString(), 'other')
  assert.equal(gatherer.length, 0)
})
