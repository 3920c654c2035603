import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PacedAnswer } from '../../../../server/http/pieces/paced-answer.js'

/** A client that has read the pieces so far, or not. */
class Client {
  pieces: number[] = []
  reads: () => boolean = () => true
  isGone = false
  readonly answer = new PacedAnswer({ write: (piece) => this.#take(piece) }, () => this.isGone)

  #take(piece: string | Uint8Array): boolean {
    this.pieces.push(piece.length)
    return this.reads()
  }

  get taken(): number {
    return this.pieces.reduce((sum, bytes) => sum + bytes, 0)
  }
}

const MIB = 1024 * 1024

describe('an answer in step with its reader', () => {
  it('is sent in pieces, all of it and in order', async () => {
    const sent: Uint8Array[] = []
    const answer = new PacedAnswer({ write: (piece) => sent.push(Buffer.from(piece)) > 0 }, () => false)
    const content = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251))
    await answer.write(content)
    await answer.write('é')
    assert.ok(sent.length > 3)
    assert.ok(Buffer.concat(sent).equals(Buffer.concat([content, Buffer.from('é')])))
  })

  it('gives a client that does not read one piece and little more', async () => {
    const client = new Client()
    client.reads = () => false
    const written = client.answer.write(Buffer.alloc(MIB))
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.ok(client.pieces.length > 2)
    assert.ok(client.taken < MIB / 10, String(client.taken))
    client.reads = () => true
    await written
    assert.equal(client.taken, MIB)
  })

  it('begins later contents with few bytes, too, while a client does not read', async () => {
    const client = new Client()
    client.reads = () => false
    await client.answer.write(Buffer.alloc(10))
    for (let i = 0; i < 5; i++) await client.answer.write(Buffer.alloc(200))
    client.reads = () => client.pieces.length > 8
    await client.answer.write(Buffer.alloc(MIB))
    assert.ok(
      client.pieces.slice(1, 8).every((bytes) => bytes <= 256),
      client.pieces.join(),
    )
  })

  it('ends where its client goes', async () => {
    const client = new Client()
    client.reads = () => {
      client.isGone = true
      return false
    }
    await client.answer.write(Buffer.alloc(MIB))
    assert.equal(client.pieces.length, 1)
  })
})
