import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvCell, csvLine, withoutGuard } from '../../../../../engine/domain/event/input/csv-cell.js'

test('a text that a spreadsheet takes for a formula begins with an apostrophe, whatever stands before its sign', () => {
  const before = [
    '',
    ' ',
    '\u00a0',
    '\ufeff',
    '\u200b',
    '\u2060',
    '\t',
    '\r',
    '\n',
    '\u3000',
    '\0',
    '\u00ad',
    ' \ufeff\t ',
  ]
  const signs = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫']
  for (const blank of before)
    for (const sign of signs) {
      const text = `${blank}${sign}HYPERLINK(1)`
      assert.match(csvCell(text), /^"?'/, JSON.stringify(text))
    }
  for (const text of ['\tx', '\rx', '-Infinity', '-0x1', '+49 30 1', '-1-1', '@a'])
    assert.match(csvCell(text), /^"?'/, text)
})

test('numbers and other texts are as they are', () => {
  for (const value of ['-5', '+5', '-1.5e-3', '-.5', 'a=b', 'x - y', ' plain', '–5', "'a", '100 %'])
    assert.equal(csvCell(value), value)
  assert.deepEqual([-5, 0, true, null, undefined, ''].map(csvCell), ['-5', '0', 'true', '', '', ''])
  assert.equal(csvCell({ a: ['=1'] }), '"{""a"":[""=1""]}"')
})

test('separators, quotes and line breaks are inside of quotes', () => {
  assert.equal(
    csvLine(['a,b', 'say "no"', 'x;y', 'l1\nl2', 'plain', '=1,2']),
    '"a,b","say ""no""","x;y","l1\nl2",plain,"\'=1,2"\r\n',
  )
})

test('a cell gives back the text that it was made of', () => {
  for (const text of ['=1', "'=1", "''=1", "'-5", '-5', "'", "'a", ' =x', '\ufeff@a', 'plain', '＝1'])
    assert.equal(withoutGuard(csvCell(text)), text)
})
