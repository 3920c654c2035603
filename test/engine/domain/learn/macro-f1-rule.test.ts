import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseBy, type DecisionRule } from '../../../../engine/domain/learn/decision-rule.js'
import type { RuleStream } from '../../../../engine/domain/learn/macro-f1-rule.js'
import { fitRule as fitted } from '../../../../engine/domain/learn/pooled/rule-fit.js'

const among = Int32Array.from([0, 1])
/** A stream in which one event in ten has 0.4 for the rare label, and the others next to nothing. */
const stream = Float64Array.from({ length: 400 }, (_, i) => {
  const rare = (i >> 1) % 10 === 0 ? 0.4 : 0.01
  return i % 2 === 0 ? 1 - rare : rare
})
const weights = new Float64Array(200).fill(1)

function streamOf(
  probabilities: Float64Array,
  counted: Float64Array,
  {
    truths = [],
    examples = [90, 10],
  }: { readonly truths?: readonly number[]; readonly examples?: readonly number[] } = {},
): RuleStream {
  return {
    probabilities,
    weights: counted,
    among,
    labelCount: 2,
    truths: Int32Array.from(truths),
    examples: Int32Array.from(examples),
  }
}

const fitRule = (...terms: Parameters<typeof fitted>): DecisionRule => fitted(...terms).rule

function answer(objective: 'accuracy' | 'macro_f1', rare: number): number {
  return chooseBy(fitRule(objective, streamOf(stream, weights), 0), Float64Array.of(1 - rare, rare), among)
}

test('a rare label is answered below one half for macro F1, and not for accuracy', () => {
  assert.equal(answer('accuracy', 0.4), 0)
  assert.equal(answer('macro_f1', 0.4), 1)
  assert.equal(answer('macro_f1', 0.01), 0)
})

test('without a stream the most probable label is answered', () => {
  const rule = fitRule('macro_f1', streamOf(new Float64Array(0), new Float64Array(0)), 0)
  assert.equal(chooseBy(rule, Float64Array.of(0.6, 0.4), among), 0)
})

/** Events of which none is much likelier to be rare than another: from 0.05 to 0.15, 0.1 on the average. */
const alike = Float64Array.from({ length: 2_000 }, (_, i) => {
  const rare = 0.05 + 0.1 * ((i >> 1) / 999)
  return i % 2 === 0 ? 1 - rare : rare
})

/** What is answered, event by event, by the rule that is fitted to them. */
function answersAlike(): number[] {
  const rule = fitRule('macro_f1', streamOf(alike, new Float64Array(1_000).fill(1)), 0)
  return Array.from({ length: 1_000 }, (_, i) => chooseBy(rule, alike.subarray(2 * i, 2 * i + 2), among))
}

test('where nothing tells much some of what is likeliest to be rare is answered so, neither all nor none', () => {
  const answers = answersAlike()
  for (let i = 1; i < 1_000; i++)
    assert.ok((answers[i] as number) >= (answers[i - 1] as number), 'who is likelier to be rare is answered no less so')
  const rare = answers.filter((said) => said === 1).length
  assert.ok(rare > 50 && rare < 500, String(rare))
})

test('what is expected to be best is followed in most of the answers that it changes', () => {
  // What is best of all, by trying each bound.
  let most = 0
  let best = 0
  for (let bound = 0; bound < 1_000; bound++) {
    let hits = 0
    let right = 0
    for (let i = 0; i < 1_000; i++) {
      if (i >= bound) hits += alike[2 * i + 1] as number
      else right += alike[2 * i] as number
    }
    const f1 = (2 * hits) / (1_000 - bound + 110) + (2 * right) / (bound + 910)
    if (f1 <= most) continue
    most = f1
    best = 1_000 - bound
  }
  const rare = answersAlike().filter((said) => said === 1).length
  assert.ok(Math.abs(rare - 0.85 * best) <= 0.05 * best, `${rare} of ${best}`)
})

test('a rule that changes no answer of the stream is kept whole for what is to come', () => {
  // One event in a hundred is surely of the rare label, all others are surely not.
  const told = Float64Array.from({ length: 2_000 }, (_, i) => {
    const rare = (i >> 1) % 100 === 0 ? 0.9 : 0.001
    return i % 2 === 0 ? 1 - rare : rare
  })
  const { rule, ruleChanges } = fitted('macro_f1', streamOf(told, new Float64Array(1_000).fill(1)), 0)
  assert.equal(ruleChanges, 0)
  const bound = boundOf(rule)
  assert.ok(bound > 300 && bound < 460, `above half of the F1 of the rare label: ${bound}`)
})

test('a rule that changes much of the stream and no held-out example cannot be judged, and changes little', () => {
  // A hundred held-out examples are surely told. Of the others a growing share may be of the rare label.
  const told = Float64Array.from({ length: 200 }, (_, i) => (((i >> 1) % 10 === 0) === (i % 2 === 1) ? 0.999 : 0.001))
  const truths = Array.from({ length: 100 }, (_, i) => (i % 10 === 0 ? 1 : 0))
  const doubtful = Float64Array.from({ length: 200 }, (_, i) => {
    const rare = 0.35 + 0.14 * ((i >> 1) / 99)
    return i % 2 === 0 ? 1 - rare : rare
  })
  const both = Float64Array.of(...told, ...doubtful)
  const changedOf = (known: readonly number[]): number => {
    const rule = fitRule('macro_f1', streamOf(both, new Float64Array(200).fill(1), { truths: known }), 0)
    let changed = 0
    for (let i = 100; i < 200; i++) changed += chooseBy(rule, both.subarray(2 * i, 2 * i + 2), among)
    return changed
  }
  assert.ok(changedOf([]) > 50, 'without held-out examples there is nothing to compare with')
  const changed = changedOf(truths)
  assert.ok(changed > 0 && changed <= 10, `as far as a tenth more: ${changed}`)
})

test('a rule that loses accuracy and wins no macro F1 on held-out examples gives way', () => {
  const rare = (truths: readonly number[]): number =>
    chooseBy(fitRule('macro_f1', streamOf(stream, weights, { truths }), 0), Float64Array.of(0.6, 0.4), among)
  const expected = Array.from({ length: 200 }, (_, i) => (i % 10 === 0 && i % 20 === 0 ? 1 : 0))
  assert.equal(rare(expected), 1, 'where every second of its answers is right it pays')
  assert.equal(rare(new Array<number>(200).fill(0)), 0, 'where none is right it does not')
  assert.equal(rare(new Array<number>(20).fill(0)), 1, 'a handful of examples tells nothing')
})

/** The least probability of the rare label, in thousandths, that is answered with it. */
function boundOf(rule: DecisionRule): number {
  return [...new Array(1_001).keys()].findIndex(
    (i) => chooseBy(rule, Float64Array.of(1 - i / 1_000, i / 1_000), among) === 1,
  )
}

test('the fewer examples a label has, the less it gets of the rule', () => {
  const flat = new Float64Array(1_000).fill(1)
  const bounds = [1, 3, 5, 10].map((rare) =>
    boundOf(fitRule('macro_f1', streamOf(alike, flat, { examples: [99, rare] }), 0)),
  )
  assert.equal(bounds[0], 501, 'a single example gets nothing: the most probable label is answered')
  for (let i = 1; i < bounds.length; i++)
    assert.ok((bounds[i] as number) <= (bounds[i - 1] as number), `${bounds.join(', ')}`)
  assert.ok((bounds.at(-1) as number) < 150, `${bounds.join(', ')}`)
  const ofFew = boundOf(fitRule('macro_f1', streamOf(alike, flat, { examples: [29, 1] }), 0))
  assert.ok(ofFew < 150, `one example of thirty is no rare label: ${ofFew}`)
})

test('one held-out example more changes little of a rule that pays about as much as it costs', () => {
  // Of the twenty answers that the rule changes, so many are right.
  const bounds = [0, 1, 2, 3, 4, 5].map((right) => {
    const truths = Array.from({ length: 200 }, (_, i) => (i % 10 === 0 && i / 10 < right ? 1 : 0))
    return boundOf(fitRule('macro_f1', streamOf(stream, weights, { truths }), 0))
  })
  for (let i = 1; i < bounds.length; i++) {
    const moved = (bounds[i - 1] as number) - (bounds[i] as number)
    assert.ok(moved >= 0 && moved < 60, `the more are right the lower, in small steps: ${bounds.join(', ')}`)
  }
})

test('the share of answers that a rule changes is known, of rules for macro F1 alone', () => {
  const share = fitted('macro_f1', streamOf(alike, new Float64Array(1_000).fill(1)), 0).ruleChanges
  const changed = answersAlike().filter((said) => said === 1).length
  assert.equal(share, changed / 1_000, 'no event has a rare label as its most probable one')
  assert.equal(fitted('accuracy', streamOf(stream, weights), 0).ruleChanges, null)
  assert.equal(fitted('macro_f1', streamOf(new Float64Array(0), new Float64Array(0)), 0).ruleChanges, null)
  const costs = [
    [0, 1],
    [5, 0],
  ]
  assert.equal(fitted({ costs }, streamOf(stream, weights), 0).ruleChanges, null)
})
