import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePosition, positionText } from '../../../../engine/services/stream/stream-position.js'

test('a position survives its text', () => {
  const position = {
    began: 1_767_225_600_000_001,
    audit: 12_345_678_901,
    jobs: new Map([
      [7, { event: 1_767_225_600_000_002, change: 1_767_225_600_000_003, changeEvent: 5, told: 1 }],
      [4_000_000_000, { event: 1, change: 0, changeEvent: 0, told: 0 }],
    ]),
  }
  assert.deepEqual(parsePosition(positionText(position)), position)
})

test('a text that is none is refused, whatever it is', () => {
  const good = positionText({ began: 1, audit: 1, jobs: new Map() })
  for (const text of ['', 'x', 'no place', good.slice(1), `${good}AAAA`, 'A'.repeat(5_000), `_${good.slice(1)}`])
    assert.equal(parsePosition(text), null, text)
})
