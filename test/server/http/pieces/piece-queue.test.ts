import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HeldBytes } from '../../../../server/http/held-bytes.js'
import { PieceQueue } from '../../../../server/http/pieces/piece-queue.js'

const KIB = 1024

/** Takes all that waits. */
function drain(queue: PieceQueue): string {
  let text = ''
  for (let head = queue.head; head !== null; head = queue.head) {
    text += head.toString('latin1', queue.at)
    queue.shift()
  }
  queue.release()
  return text
}

describe('a queue of pieces', () => {
  it('gives bytes back in order, whatever became of the memory that brought them', () => {
    const queue = new PieceQueue(new HeldBytes(1024 * KIB))
    let wanted = ''
    for (let i = 0; i < 200; i++) {
      const bytes = Buffer.from(`${i} `.repeat(i))
      wanted += bytes.toString()
      if (i % 2 === 0) queue.feed(bytes)
      else assert.ok(queue.append(bytes))
      assert.ok(queue.keep())
      bytes.fill(0x58)
    }
    assert.equal(queue.length, wanted.length)
    assert.equal(drain(queue), wanted)
  })

  it('holds small pieces in little memory', () => {
    const room = new HeldBytes(1024 * KIB)
    const queue = new PieceQueue(room)
    for (let i = 0; i < 20_000; i++) assert.ok(queue.append(Buffer.from('ab')))
    assert.ok(room.held <= 128 * KIB, `${room.held}`)
    assert.equal(drain(queue), 'ab'.repeat(20_000))
    assert.equal(room.held, 0)
  })

  it('does not move bytes that are in use when others come behind them', () => {
    const queue = new PieceQueue(new HeldBytes(1024 * KIB))
    queue.append(Buffer.from('first'))
    const first = queue.head!.subarray(0, 5)
    queue.at = 5
    for (let i = 0; i < 100; i++) queue.append(Buffer.alloc(KIB, 0x61))
    assert.equal(first.toString(), 'first')
    assert.equal(queue.length, 100 * KIB)
    assert.equal(drain(queue), 'a'.repeat(100 * KIB))
  })

  it('says when there is no room, and holds no more than that', () => {
    const room = new HeldBytes(64 * KIB)
    const queue = new PieceQueue(room)
    assert.ok(queue.append(Buffer.alloc(60 * KIB)))
    assert.ok(!queue.append(Buffer.alloc(60 * KIB)))
    queue.feed(Buffer.alloc(60 * KIB))
    assert.ok(!queue.keep())
    assert.ok(room.held <= 64 * KIB)
    queue.clear()
    assert.equal(room.held, 0)
    assert.equal(queue.head, null)
  })

  it('keeps what is left of a borrowed piece', () => {
    const queue = new PieceQueue(new HeldBytes(64 * KIB))
    queue.feed(Buffer.from('taken and left'))
    queue.at = 10
    assert.ok(queue.keep())
    assert.equal(queue.length, 4)
    assert.equal(drain(queue), 'left')
  })
})
