import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteRing, ringMemory } from '../../../server/threads/byte-ring.js'

const BYTES = 256

function pair(): [ByteRing, ByteRing] {
  const memory = ringMemory(BYTES)
  return [new ByteRing(memory), new ByteRing(memory)]
}

function write(ring: ByteRing, text: string): boolean {
  const at = ring.reserve(text.length)
  if (at < 0) return false
  ring.bytes.write(text, at, 'latin1')
  ring.commit()
  ring.ring()
  return true
}

function read(ring: ByteRing): string | null {
  const at = ring.peek()
  if (at < 0) return null
  const text = ring.bytes.toString('latin1', at, at + ring.length)
  ring.release()
  return text
}

test('records of any length come out whole and in order, around the end of the memory', () => {
  const [writer, reader] = pair()
  const written: string[] = []
  let seen = 0
  for (let i = 0; i < 5_000; i++) {
    const text = `${i}:`.padEnd(1 + ((i * 37) % writer.recordBytesMax), 'x')
    while (!write(writer, text)) {
      const next = read(reader)
      assert.equal(next, written[seen++], 'a ring without room has records')
    }
    written.push(text)
  }
  for (let next = read(reader); next !== null; next = read(reader)) assert.equal(next, written[seen++])
  assert.equal(seen, written.length)
})

test('a full ring takes nothing, and the record that did not fit does not show', () => {
  const [writer, reader] = pair()
  let count = 0
  while (write(writer, 'x'.repeat(20))) count++
  assert.ok(count > 5)
  assert.equal(writer.reserve(20), -1)
  let found = 0
  while (read(reader) !== null) found++
  assert.equal(found, count)
})

test('the longest record fits wherever the ring stands', () => {
  const [writer, reader] = pair()
  for (let i = 0; i < 100; i++) {
    assert.ok(write(writer, 'y'.repeat(writer.recordBytesMax)))
    assert.equal(read(reader)?.length, writer.recordBytesMax)
    assert.ok(write(writer, 'z'))
    assert.equal(read(reader), 'z')
  }
})

test('a reader is rung once until it looks', () => {
  const [writer, reader] = pair()
  assert.deepEqual([writer.ring(), writer.ring()], [true, false])
  reader.woken()
  assert.deepEqual([writer.ring(), writer.ring()], [true, false])
})
