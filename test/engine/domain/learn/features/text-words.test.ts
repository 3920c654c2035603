import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../../../engine/limits.js'
import { spacedParts, TextWords, textWordsMax } from '../../../../../engine/domain/learn/features/text-words.js'

function wordsOf(...texts: readonly unknown[]): number[] {
  const words = new TextWords()
  for (const text of texts) words.add(text as string)
  return [...words.hashes.subarray(0, words.count)]
}

test('a word is the same wherever it stands, and in capitals', () => {
  const [printer, jammed] = wordsOf('printer jammed') as [number, number]
  assert.notEqual(printer, jammed)
  assert.deepEqual(wordsOf('It is JAMMED, the Printer!').slice(2), [jammed, wordsOf('the')[0], printer])
  assert.deepEqual(wordsOf('printer', 'jammed'), [printer, jammed])
})

test('identifiers are one word, short numbers are not', () => {
  assert.deepEqual(wordsOf('INC004711'), wordsOf('srv-ab12345').slice(1))
  assert.notDeepEqual(wordsOf('404'), wordsOf('500'))
})

test('what is no text has no words, and no text has more than there may be', () => {
  assert.deepEqual(wordsOf(null, 7, true, ['a', 'b'], '', ' .,;'), [])
  assert.equal(wordsOf('a b '.repeat(1_000), 'c').length, textWordsMax)
  assert.deepEqual(wordsOf(`${'-'.repeat(limits.pointValueCharsMax)}beyond`), [])
})

test('parts of a text are what spaces part', () => {
  assert.deepEqual(['', ' ', 'one', ' one  two\tthree ', 'R02-M1-N0'].map(spacedParts), [0, 0, 1, 3, 1])
})
