import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WORD_BYTES_MAX, WORDS_MAX } from '../../../../engine/domain/event/body-format.js'
import { hashBytes, viewOfBytes } from '../../../../engine/domain/event/byte-table.js'
import { Words } from '../../../../engine/domain/event/words.js'

function see(words: Words, text: string): number {
  const bytes = viewOfBytes(Buffer.from(text, 'utf8'))
  return words.see(bytes, 0, bytes.byteLength, hashBytes(bytes, 0, bytes.byteLength))
}

describe('words', () => {
  it('a text becomes a word when it is seen for the fourth time, and stays that word', () => {
    const words = new Words()
    assert.deepEqual(
      [1, 2, 3, 4, 5].map(() => see(words, 'web-1')),
      [-1, -1, -1, 0, 0],
    )
    assert.deepEqual(
      [1, 2, 3, 4].map(() => see(words, 'ünï')),
      [-1, -1, -1, 1],
    )
    assert.equal(words.text(0), 'web-1')
    assert.equal(words.text(1), 'ünï')
    assert.equal(see(words, 'web-1'), 0)
  })

  it('texts that never come again become no words and push no word out', () => {
    const words = new Words()
    for (let i = 0; i < 4; i++) see(words, 'often')
    for (let i = 0; i < 200_000; i++) see(words, `id ${i}`)
    assert.equal(see(words, 'often'), 0)
    assert.ok(words.size < 10)
  })

  it('a full table keeps its words and takes no more', () => {
    const words = new Words()
    for (let i = 0; i < WORDS_MAX + 10; i++) {
      const bytes = viewOfBytes(Buffer.from(`word ${i}`))
      assert.equal(words.add(bytes, 0, bytes.byteLength, hashBytes(bytes, 0, bytes.byteLength)), i < WORDS_MAX ? i : -1)
    }
    assert.equal(see(words, 'word 0'), 0)
    assert.equal(words.text(WORDS_MAX - 1), `word ${WORDS_MAX - 1}`)
    for (let i = 0; i < 8; i++) assert.equal(see(words, 'one more'), -1)
  })

  it('texts with the same hash are different words, and too many of them are left out', () => {
    const words = new Words()
    const bytes = Array.from({ length: 40 }, (_, i) => viewOfBytes(Buffer.from(`t${i}`)))
    const seen = bytes.map((each) => {
      for (let i = 0; i < 8; i++) words.see(each, 0, each.byteLength, 7)
      return words.see(each, 0, each.byteLength, 7)
    })
    assert.deepEqual(
      seen.slice(0, 16),
      Array.from({ length: 16 }, (_, i) => i),
    )
    assert.ok(seen.slice(16).every((word) => word === -1))
    assert.equal(words.text(3), 't3')
  })

  it('a long text is never a word', () => {
    const bytes = viewOfBytes(Buffer.alloc(WORD_BYTES_MAX + 1, 97))
    assert.equal(new Words().add(bytes, 0, bytes.byteLength, 1), -1)
  })
})
