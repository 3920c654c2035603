import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PointValues } from '../../../../../engine/domain/learn/classifier.js'
import { CodedAnswers, keptAnswerBytes } from '../../../../../engine/domain/learn/pooled/coded-answers.js'
import { defaultClassifier, loadModel } from '../../../../../engine/domain/learn/registry.js'
import { SeededRandom } from '../../../../../engine/rng.js'

function setKey({ key }: CodedAnswers, ...words: readonly number[]): void {
  key.clear()
  for (const word of words) key.int(word)
}

/** Looks for the answer to a key; keeps one where there is none. */
function askFor(answers: CodedAnswers, words: readonly number[], answer: Float64Array, score: number): number {
  const found = new Float64Array(answer.length)
  setKey(answers, ...words)
  const known = answers.find(found)
  if (Number.isNaN(known)) answers.keep(answer, score)
  else assert.deepEqual(found, answer)
  return known
}

/** Fills the memory, which others in this process may have used, until it is forgotten. */
function forgetAll(): void {
  const answers = new CodedAnswers(1)
  for (let i = 0, before = -1; keptAnswerBytes() >= before; i++) {
    before = keptAnswerBytes()
    const words = Array.from({ length: 1_000 }, (_, j) => i * 1_000 + j)
    askFor(answers, words, Float64Array.of(i), i)
  }
}

test('an answer is found by its whole key, with its probabilities and its score', () => {
  forgetAll()
  const answers = new CodedAnswers(3)
  for (let i = 0; i < 300; i++) assert.ok(Number.isNaN(askFor(answers, [i, 7], Float64Array.of(i, 0.1, -0), i / 3)))
  for (let i = 0; i < 300; i++) assert.equal(askFor(answers, [i, 7], Float64Array.of(i, 0.1, -0), 0), i / 3)
  assert.ok(Number.isNaN(askFor(answers, [5], Float64Array.of(1, 2, 3), 0)), 'a part of a key is another key')
})

test('a key that is too long is never found', () => {
  const answers = new CodedAnswers(1)
  const long = Array.from({ length: 1_025 }, (_, i) => i)
  for (let i = 0; i < 2; i++) assert.ok(Number.isNaN(askFor(answers, long, Float64Array.of(1), 1)))
})

test('many answers are forgotten at once, and later ones are kept', () => {
  const answers = new CodedAnswers(2)
  const words = (i: number): number[] => Array.from({ length: 500 }, (_, j) => i * 1_000 + j)
  for (let i = 0; i < 2_400; i++) askFor(answers, words(i), Float64Array.of(i, 1), i)
  assert.ok(Number.isNaN(askFor(answers, words(0), Float64Array.of(0, 1), 0)))
  assert.equal(askFor(answers, words(2_399), Float64Array.of(2_399, 1), 0), 2_399)
})

test('all models of a thread share one memory, and none finds the answer of another', () => {
  const models = Array.from({ length: 300 }, (_, at) => new CodedAnswers(1 + (at % 3)))
  const answerOf = (model: number): Float64Array => new Float64Array(1 + (model % 3)).fill(model)
  let found = 0
  for (let i = 0; i < 200; i++) {
    models.forEach((answers, model) => {
      const words = Array.from({ length: 90 }, (_, j) => i * 1_000 + j)
      assert.ok(Number.isNaN(askFor(answers, words, answerOf(model), model)))
      const known = askFor(answers, words, answerOf(model), model)
      if (known === model) found++
      // One among too many of the same hash is not kept.
      else assert.ok(Number.isNaN(known))
    })
    assert.ok(keptAnswerBytes() < 5 * 2 ** 20)
  }
  assert.ok(found > 0.99 * 200 * models.length, `${found}`)
})

test('nothing is looked for while hardly anything is found, and then it is tried again', () => {
  const answers = new CodedAnswers(1)
  let next = 0
  const look = (): boolean => {
    if (!answers.isWorthwhile()) return false
    askFor(answers, [next++], Float64Array.of(1), 1)
    return true
  }
  const looks = Array.from({ length: 6_000 }, look)
  assert.equal(looks.indexOf(false), 512)
  assert.equal(looks.indexOf(true, 512), 512 + 8 * 512 + 1)
  const often = new CodedAnswers(1)
  for (let i = 0; i < 6_000; i++) {
    assert.ok(often.isWorthwhile())
    askFor(often, [i % 100], Float64Array.of(1), 1)
  }
})

test('events that a model cannot tell apart get the bits that each would get alone', () => {
  const random = new SeededRandom(4)
  const points = ['rule', 'host', 'note', 'bytes', 'id']
  const eventOf = (i: number): PointValues => [
    `rule ${random.below(5)}`,
    random.below(6) === 0 ? null : `host-${random.below(4)}`,
    random.below(9) === 0 ? ['a', 'b'] : `seen on ${random.below(3)} machines of site ${random.below(3)}`,
    random.below(8) === 0 ? null : random.below(6) * 100,
    `id-${i}`,
  ]
  const examples = Array.from({ length: 120 }, (_, i) => {
    const values = eventOf(i)
    return { values, label: values[0] === 'rule 1' ? 1 : values[3] === 300 ? 2 : 0, weight: 1 }
  })
  const bytes = defaultClassifier.train({ points, labelCount: 3, examples, background: [], seed: 1 }, () => true)
  const model = loadModel(bytes)
  const events = Array.from({ length: 900 }, (_, i) => eventOf(1_000 + i))
  const [ours, alone] = [new Float64Array(3), new Float64Array(3)]
  events.forEach((values, i) => {
    const score = model.assess(values, ours)
    model.predict(values, alone)
    assert.deepEqual(ours, alone)
    if (i % 30 === 0) assert.equal(score, loadModel(bytes).assess(values, alone))
  })
})
