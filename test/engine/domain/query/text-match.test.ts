import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TextBudget } from '../../../../engine/domain/query/text-budget.js'
import { holdsPhrase, patternTest, wordsOf } from '../../../../engine/domain/query/text-match.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { assertRefused } from '../../../support/engine/refusal.js'

const textBudget = new TextBudget(() => {})

describe('texts', () => {
  it('are split into words where Unicode says so', () => {
    assert.deepEqual(wordsOf('Failed LOGIN for root@web-1.'), ['failed', 'login', 'for', 'root', 'web', '1'])
    assert.deepEqual(wordsOf("10.0.0.7, example.com; can't 1,000 C:\\temp\\x_y"), [
      '10.0.0.7',
      'example.com',
      "can't",
      '1,000',
      'c',
      'temp',
      'x_y',
    ])
    assert.deepEqual(wordsOf('Übung macht ÜBUNG'), ['übung', 'macht', 'übung'])
    assert.deepEqual(wordsOf(' -- '), [])
  })

  it('hold phrases in one piece, and beginnings of a last word', () => {
    const words = wordsOf('the quick brown fox jumps')
    assert.ok(holdsPhrase(words, ['quick', 'brown'], false) && holdsPhrase(words, ['jumps'], false))
    assert.ok(!holdsPhrase(words, ['quick', 'fox'], false) && !holdsPhrase(words, ['fo'], false))
    assert.ok(holdsPhrase(words, ['brown', 'fo'], true) && !holdsPhrase(words, ['bro', 'fox'], true))
  })

  it('are covered by patterns as by the same regular expressions', () => {
    const random = new SeededRandom(4)
    const make = (deadLetters: string): string =>
      Array.from({ length: random.below(7) }, () => random.pick([...deadLetters])).join('')
    for (let round = 0; round < 5_000; round++) {
      const [pattern, text] = [make('ab*?.'), make('ab.')]
      const regex = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')}$`)
      assert.equal(patternTest(pattern, false, textBudget)(text), regex.test(text), `${pattern} ${text}`)
    }
    assert.ok(patternTest('a\\*b', false, textBudget)('a*b') && !patternTest('a\\*b', false, textBudget)('axb'))
    assert.ok(patternTest('FAIL*', true, textBudget)('failed') && patternTest('?', false, textBudget)('😀'))
  })

  it('are covered in no more steps than pattern times text, however the pattern is', () => {
    const test = patternTest(`${'*a'.repeat(200)}b`, false, textBudget)
    assert.equal(test('a'.repeat(5_000)), false)
    assertRefused('query_too_large', () => patternTest('*a'.repeat(600), false, textBudget))
  })
})
