import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cutText, cutUtf8 } from '../../../../../engine/domain/event/input/cut-text.js'

const family = '👩‍👩‍👧‍👦'
const flag = '🇩🇪'
const thumb = '👍🏽'

describe('a cut text', () => {
  for (const [what, text, max, cut] of [
    ['that fits stays', 'abc', 3, 'abc'],
    ['has a sign where it was cut', 'abcdef', 4, 'abc…'],
    ['has no half surrogate pair', 'ab😀cd', 4, 'ab…'],
    ['has no half family of emoji', `ab${family}c`, 8, 'ab…'],
    ['has no flag of another country', `a${flag}${flag}b`, 8, `a${flag}…`],
    ['has no thumb without its colour', `a${thumb}b`, 4, 'a…'],
    ['has no letter without its accent', 'cafe\u0301 au lait', 5, 'caf…'],
    ['has no half entity', 'Tom &amp; Jerry', 8, 'Tom …'],
    ['has no half numeric entity', 'a&#x1F600;b', 6, 'a…'],
    ['keeps an ampersand that is none', 'AT&T and others', 5, 'AT&T…'],
    ['keeps a whole entity', 'a&lt;b and more', 6, 'a&lt;…'],
    ['has no half line break', 'ab\r\ncd', 4, 'ab…'],
    ['is well formed, whatever came', 'a\ud800b', 9, 'a\ufffdb'],
    ['is well formed where it was cut, too', 'a\udc00bcdef', 4, 'a\ufffdb…'],
    ['has at least nothing', 'abc', 0, ''],
    ['has no sign where there is no room for it', 'abc', 1, 'a'],
  ] as const)
    it(what, () => assert.equal(cutText(text, max), cut))

  it('is cut between code points where a character is endless', () => {
    const zalgo = `e${'\u0301'.repeat(500)}`
    assert.equal(cutText(zalgo, 100).length, 100)
    assert.equal(cutText('\u{1F600}\u200d'.repeat(300), 101).isWellFormed(), true)
  })

  it('never has more than its room, and is the beginning of what it was', () => {
    const text = `&amp;x${family}é${flag}${thumb}\r\n&lt;ü漢字e\u0301`.repeat(3)
    for (let max = 0; max <= text.length; max++) {
      const cut = cutText(text, max)
      assert.ok(cut.length <= max && cut.isWellFormed(), String(max))
      assert.ok(text.startsWith(cut.replace(/…$/, '')), String(max))
      const bytes = cutUtf8(text, max)
      assert.ok(Buffer.byteLength(bytes) <= max && bytes.isWellFormed(), String(max))
      assert.ok(text.startsWith(bytes.replace(/…$/, '')), String(max))
    }
  })

  it('is cut by bytes where its room is bytes', () => {
    assert.equal(cutUtf8('aé漢😀', 10), 'aé漢😀')
    assert.equal(cutUtf8('aé漢😀', 9), 'aé漢…')
    assert.equal(cutUtf8('aé漢😀', 8), 'aé…')
    assert.equal(cutUtf8('aé漢😀', 5, ''), 'aé')
    assert.equal(cutUtf8('\ud800\ud800', 3, ''), '\ufffd')
  })
})
