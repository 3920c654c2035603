import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitEvidenceWeight, type EvidenceInput } from '../../../../../engine/domain/learn/pooled/evidence-weight.js'

const count = 240
const folds = 3
/** The weight without a measurement. */
const usual = 2

/** How the examples lie in buckets, what they are labelled, and what the model makes of them. */
interface Shape {
  bucketOf(example: number): number
  labelOf(example: number): number
  /** The probability of label 1. */
  chanceOf(example: number): number
}

function inputOf({ bucketOf, labelOf, chanceOf }: Shape): EvidenceInput {
  const examples = Int32Array.from({ length: count }, (_, h) => h)
  const classes = examples.map(labelOf)
  const held = {
    classCount: 2,
    examples,
    classes,
    weights: new Float64Array(count).fill(1),
    // A bucket has 24 examples in a row, so each has examples of every fold.
    folds: examples.map((h) => h % folds),
    foldCount: folds,
    chances: new Float64Array(0),
    allLabels: true,
    penalty: { strength: 0.5, onNumbers: 1 },
    depth: 6,
    rounds: 100,
    nearestClasses: new Int32Array(count).fill(-1),
    nearestDistances: new Float64Array(count).fill(9),
  }
  const chances = Float64Array.from({ length: 2 * count }, (_, i) => {
    const one = chanceOf(i >> 1)
    return i % 2 === 1 ? one : 1 - one
  })
  return {
    answers: { held, chances },
    rows: { pointCount: 1, atoms: examples.map(bucketOf), classes, classCount: 2 },
    uniformShare: 0.001,
    labelCount: 2,
  }
}

const inTens = (example: number): number => Math.floor(example / 24)
const even = (example: number): number => inTens(example) % 2

test('votes of buckets that agree count more than a model that knows nothing', () => {
  const weight = fitEvidenceWeight(inputOf({ bucketOf: inTens, labelOf: even, chanceOf: () => 0.5 }))
  assert.ok(weight !== null && weight < usual, `${weight}`)
})

test('a model that knows what buckets do not tell apart counts as many votes', () => {
  const labelOf = (example: number): number => (example * 7919) % 2
  const chanceOf = (example: number): number => (labelOf(example) === 1 ? 0.97 : 0.03)
  const weight = fitEvidenceWeight(inputOf({ bucketOf: inTens, labelOf, chanceOf }))
  assert.ok(weight !== null && weight > usual, `${weight}`)
})

test('nothing is measured without held-out answers, nor where every example is alone in its bucket', () => {
  const alone = inputOf({ bucketOf: (example) => example, labelOf: even, chanceOf: () => 0.5 })
  assert.equal(fitEvidenceWeight(alone), null)
  assert.equal(fitEvidenceWeight({ ...alone, answers: null }), null)
})
